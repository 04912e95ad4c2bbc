package trailfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

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
	at     int64     // of the entry; microseconds since 1970
	nonce  [2]uint64
	named  bool  // it has a nonce
	clock  int64 // what the clock would have shown, where it says that it was put right
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
	From, To int64
	Hashes   []tlog.Hash
}

// lineReader understands lines; what it needs for one it uses for the next.
type lineReader struct {
	leaf  []byte // a zero byte, then the leaf's bytes: what is hashed
	rules entryRules
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
		err = readGap(text, l)
	case bytes.HasPrefix(text, []byte(`{"entries":`)):
		l.kind = footLine
		err = readFooter(text, &l.foot)
	default:
		err = errors.New("want an entry, a gap or the footer")
	}
	if err != nil {
		l.kind, l.wrong, l.detail, l.id = badLine, BadLine, err.Error(), 0
	}
}

// entry understands {"n":…,"id":…,"era":…,"txid":"…","entry":"…","hash":"…"}, with
// "differs":["…"] at its end where columns did not agree. It has one way to be written.
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
	s.literal(`"`)
	differs := s.differs()
	s.literal(`}`)
	if s.end(); s.err == nil && (l.n >= MaxLeaves || l.id < 1 || l.era < 1 || l.era > math.MaxInt32) {
		s.fail("a number that is too small or too large")
	}
	if s.err != nil {
		return s.err
	}
	err = r.rules.read(r.leaf[from:])
	if err == nil {
		l.at, l.nonce, l.named, l.clock, l.amount = r.rules.at, r.rules.nonce, r.rules.named, r.rules.clock, r.rules.amount
		l.move, _ = MoveOf(r.rules.fields)
	}
	switch {
	case sha256.Sum256(r.leaf) != l.hash:
		l.wrong = BadBytes
	case err != nil:
		l.wrong, l.detail = BadEntry, err.Error()
	case differs != "":
		l.wrong, l.detail = BadColumns, differs
	}
	return nil
}

// readGap understands {"gap":{"from":…,"to":…,"hashes":["…",…]}}.
func readGap(text []byte, l *line) error {
	s := &scanner{rest: text}
	s.literal(`{"gap":{"from":`)
	l.gap.From = s.number()
	s.literal(`,"to":`)
	l.gap.To = s.number()
	s.literal(`,"hashes":[`)
	if s.err == nil && (l.gap.To <= l.gap.From || l.gap.To > MaxLeaves) {
		s.fail("a gap from %d to %d", l.gap.From, l.gap.To)
	}
	for from := l.gap.From; s.err == nil && from < l.gap.To; {
		if from > l.gap.From {
			s.literal(`,`)
		}
		var h tlog.Hash
		s.literal(`"`)
		s.hash(&h)
		s.literal(`"`)
		l.gap.Hashes = append(l.gap.Hashes, h)
		from += 1 << Subtree(from, l.gap.To)
	}
	s.literal(`]}}`)
	s.end()
	l.n = l.gap.From
	return s.err
}

// readFooter understands {"entries":…,"amountCentavos":"…","sha256":"…","end":true}.
func readFooter(text []byte, f *footer) error {
	s := &scanner{rest: text}
	s.literal(`{"entries":`)
	f.Entries = s.number()
	s.literal(`,"amountCentavos":"`)
	f.Amount = s.until('"')
	s.literal(`","sha256":"`)
	f.SHA256 = s.until('"')
	s.literal(`","end":true}`)
	s.end()
	return s.err
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

// end refuses what stands behind the end.
func (s *scanner) end() {
	if s.err == nil && len(s.rest) > 0 {
		s.fail("something behind its end")
	}
}

// until reads up to a character, which is left.
func (s *scanner) until(c byte) string {
	at := bytes.IndexByte(s.rest, c)
	if at < 0 {
		s.fail("want %q", c)
		return ""
	}
	text := string(s.rest[:at])
	s.rest = s.rest[at:]
	return text
}

// differs reads the names of columns, where there are any.
func (s *scanner) differs() string {
	if s.err != nil || s.rest[0] != ',' {
		return ""
	}
	s.literal(`,"differs":["`)
	names := s.until(']')
	s.literal(`]`)
	names, quoted := strings.CutSuffix(names, `"`)
	for _, name := range strings.Split(names, `","`) {
		if s.err == nil && (!quoted || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "") {
			s.fail("want names of columns")
		}
	}
	return strings.ReplaceAll(names, `","`, ", ")
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
		for i < len(s.rest) && s.rest[i] != '"' && s.rest[i] != '\\' && s.rest[i] >= ' ' {
			i++
		}
		to = append(to, s.rest[:i]...)
		if s.rest = s.rest[i:]; len(s.rest) < 2 || s.rest[0] < ' ' {
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
			n, err := strconv.ParseUint(string(s.rest[2:6]), 16, 8)
			if err == nil && n < ' ' && bytes.Equal(s.rest[2:6], fmt.Appendf(nil, "%04x", n)) {
				s.rest = s.rest[6:]
				return append(to, byte(n))
			}
		}
	}
	s.fail("an escape that nothing needs")
	return to
}

var hashText = base64.StdEncoding.Strict()

func (s *scanner) hash(to *tlog.Hash) {
	const length = 44 // of 32 bytes in base64
	if len(s.rest) < length {
		s.fail("want a hash of 32 bytes in base64")
		return
	}
	var raw [33]byte
	n, err := hashText.Decode(raw[:], s.rest[:length])
	if err != nil || n != tlog.HashSize { // a newline in it would be skipped, and leave fewer
		s.fail("want a hash of 32 bytes in base64")
		return
	}
	copy(to[:], raw[:])
	s.rest = s.rest[length:]
}
