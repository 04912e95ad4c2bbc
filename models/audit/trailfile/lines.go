package trailfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"golang.org/x/mod/sumdb/tlog"
)

// line is one line of an export, understood.
type line struct {
	kind   lineKind
	length int // in bytes, its newline included
	n, id  int64
	era    int64
	txid   uint64
	hash   tlog.Hash // as listed
	amount int64
	move   Move // of no cancellation when it is none
	gap    gap
	foot   footer
	wrong  Code // "" when nothing is
	detail string
}

type lineKind int

const (
	badLine lineKind = iota // nothing after it can be parsed either
	entryLine
	gapLine
	footLine
)

type gap struct {
	From   int64    `json:"from"`
	To     int64    `json:"to"`
	Hashes [][]byte `json:"hashes"`
}

// lineReader understands lines; what it needs for one it uses for the next.
type lineReader struct {
	leaf   []byte // a zero byte, then the leaf's bytes: what is hashed
	fields []Field
}

// read understands a line without its newline.
func (r *lineReader) read(text []byte, l *line) {
	*l = line{length: len(text) + 1, n: -1}
	var err error
	switch {
	case bytes.HasPrefix(text, []byte(`{"n":`)):
		l.kind = entryLine
		err = r.entry(text, l)
	case bytes.HasPrefix(text, []byte(`{"gap":`)):
		l.kind = gapLine
		err = r.gapLine(text, l)
	case bytes.HasPrefix(text, []byte(`{"entries":`)):
		l.kind = footLine
		err = strictJSON(text, &l.foot)
	default:
		err = errors.New("want an entry, a gap or the footer")
	}
	if err != nil {
		l.kind, l.wrong, l.detail, l.id = badLine, BadLine, err.Error(), max(l.id, 0)
	}
}

// entry understands {"n":…,"id":…,"era":…,"txid":"…","entry":"…","hash":"…"},
// which has one way to be written.
func (r *lineReader) entry(text []byte, l *line) (err error) {
	s := &scanner{rest: text}
	s.literal(`{"n":`)
	l.n = s.number()
	s.literal(`,"id":`)
	l.id = s.number()
	s.literal(`,"era":`)
	l.era = s.number()
	s.literal(`,"txid":"`)
	l.txid = s.unsigned()
	s.literal(`","entry":"`)
	r.leaf = Leaf{ID: l.id, Era: int(l.era), TxID: l.txid}.AppendTo(append(r.leaf[:0], 0))
	from := len(r.leaf)
	r.leaf = s.text(r.leaf)
	s.literal(`,"hash":"`)
	s.hash(&l.hash)
	s.literal(`"}`)
	if s.err == nil && len(s.rest) > 0 {
		s.fail("something behind its end")
	}
	if s.err != nil {
		return s.err
	}
	r.fields, err = Split(r.leaf[from:], r.fields[:0])
	if err == nil {
		l.amount, err = amountOf(r.fields)
		l.move, _ = MoveOf(r.fields)
	}
	if sha256.Sum256(r.leaf) != l.hash {
		l.wrong = BadBytes
	} else if err != nil {
		l.wrong, l.detail = BadEntry, err.Error()
	}
	return nil
}

func (r *lineReader) gapLine(text []byte, l *line) error {
	var whole struct {
		Gap *gap `json:"gap"`
	}
	if err := strictJSON(text, &whole); err != nil {
		return err
	}
	if whole.Gap == nil {
		return errors.New("a gap without bounds")
	}
	l.gap, l.n = *whole.Gap, whole.Gap.From
	if l.gap.From < 0 || l.gap.To <= l.gap.From || l.gap.To > MaxLeaves {
		return fmt.Errorf("a gap from %d to %d", l.gap.From, l.gap.To)
	}
	n := 0
	for from := l.gap.From; from < l.gap.To; n++ {
		from += 1 << Subtree(from, l.gap.To)
	}
	if n != len(l.gap.Hashes) {
		return fmt.Errorf("a gap from %d to %d has %d hashes, not %d", l.gap.From, l.gap.To, n, len(l.gap.Hashes))
	}
	for _, h := range l.gap.Hashes {
		if len(h) != tlog.HashSize {
			return errors.New("a gap with a hash that is not of 32 bytes")
		}
	}
	return nil
}

// strictJSON reads one JSON value that has no field which is not known.
func strictJSON(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("not as the format has it: %w", err)
	}
	if d.InputOffset() != int64(len(text)) {
		return errors.New("something behind its end")
	}
	return nil
}

// scanner parses text that has only one valid form. After the first error it reads
// nothing more.
type scanner struct {
	rest []byte
	err  error
}

func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
	s.rest = nil
}

func (s *scanner) literal(want string) {
	if len(s.rest) < len(want) || string(s.rest[:len(want)]) != want {
		s.fail("want %s", want)
		return
	}
	s.rest = s.rest[len(want):]
}

// unsigned reads a number that fits 64 bits, in its one decimal form.
func (s *scanner) unsigned() uint64 {
	length := 0
	for length < len(s.rest) && s.rest[length] >= '0' && s.rest[length] <= '9' {
		length++
	}
	if length == 0 || length > 1 && s.rest[0] == '0' {
		s.fail("want a number")
		return 0
	}
	n, err := strconv.ParseUint(string(s.rest[:min(length, 30)]), 10, 64)
	if err != nil {
		s.fail("a number that is too large")
		return 0
	}
	s.rest = s.rest[length:]
	return n
}

// number reads one that is no larger than 2⁶³-1.
func (s *scanner) number() int64 {
	n := s.unsigned()
	if n > math.MaxInt64 {
		s.fail("a number that is too large")
		return 0
	}
	return int64(n)
}

// text reads the rest of a JSON string behind its opening quote, with the closing
// one, and appends its decoded value.
func (s *scanner) text(to []byte) []byte {
	for s.err == nil {
		i := 0
		for i < len(s.rest) && s.rest[i] != '"' && s.rest[i] != '\\' {
			i++
		}
		to = append(to, s.rest[:i]...)
		if s.rest = s.rest[i:]; len(s.rest) < 2 {
			s.fail("a text without an end")
			break
		}
		if s.rest[0] == '"' {
			s.rest = s.rest[1:]
			break
		}
		to = s.escape(to)
	}
	return to
}

func (s *scanner) escape(to []byte) []byte {
	switch c := s.rest[1]; c {
	case '"', '\\':
		s.rest = s.rest[2:]
		return append(to, c)
	case 'u':
		if len(s.rest) >= 6 {
			if n, err := strconv.ParseUint(string(s.rest[2:6]), 16, 8); err == nil && n < ' ' {
				s.rest = s.rest[6:]
				return append(to, byte(n))
			}
		}
	}
	s.fail("an escape that nothing needs")
	return to
}

func (s *scanner) hash(to *tlog.Hash) {
	const length = 44 // of 32 bytes in base64
	if len(s.rest) < length {
		s.fail("want a hash of 32 bytes in base64")
		return
	}
	var raw [33]byte
	n, err := base64.StdEncoding.Strict().Decode(raw[:], s.rest[:length])
	if err != nil || n != tlog.HashSize {
		s.fail("want a hash of 32 bytes in base64")
		return
	}
	copy(to[:], raw[:])
	s.rest = s.rest[length:]
}
