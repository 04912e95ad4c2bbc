package sealing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/notes"
)

// monthFile is what was read of a month's file.
type monthFile struct {
	size    int64 // bytes that were read
	changed time.Time
	last    *outside // the largest
	odd     string   // the first thing that this installation did not sign

	rest  string   // behind the last empty line
	said  string   // a checkpoint's text whose signatures were not read yet
	loose []string // what may be the beginning of a note that a dying process left half written
}

// foreign is the first thing in the file that this installation did not sign; "" when
// there is none. What is left half written is completed by the next process that
// writes there, which has the directory locked when it looks.
func (m *monthFile) foreign() string {
	switch {
	case m.odd != "":
		return m.odd
	case len(m.loose) > 0:
		return named(m.loose[0])
	case m.said != "":
		return named(m.said)
	case strings.TrimSpace(m.rest) != "":
		return named(m.rest)
	}
	return ""
}

// named is the beginning of what is foreign, for who looks for it in the file.
func named(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return fmt.Sprintf("%.80q", first)
}

// tailLength is how much of a file is read at first to find its last checkpoint. A
// checkpoint is about 300 bytes long, and notes.Max at most.
const tailLength = 3 * notes.Max

// read reads a file up to its size, from where it was read before. Of one that was
// not, it reads the end, and as much before it as it takes to find a checkpoint.
func (m *monthFile) read(file *os.File, size int64, d *checkpointDir) error {
	if m.size > 0 {
		return m.from(file, m.size, size, d)
	}
	for length := int64(tailLength); ; length *= 2 {
		from := max(size-length, 0)
		*m = monthFile{}
		if err := m.from(file, from, size, d); err != nil || m.last != nil || from == 0 {
			return err
		}
	}
}

func (m *monthFile) from(file *os.File, from, to int64, d *checkpointDir) error {
	text := make([]byte, to-from)
	n, err := file.ReadAt(text, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	text = text[:n]
	begun := m.size == 0 && from > 0 // it may begin within a note
	m.size = from + int64(n)
	text = append([]byte(m.rest), text...)
	whole := bytes.LastIndex(text, []byte("\n\n"))
	if whole < 0 {
		m.rest = string(text)
		return nil
	}
	m.rest = string(text[whole+2:])
	for part := range strings.SplitSeq(string(text[:whole]), "\n\n") {
		if part = strings.Trim(part, "\n"); part == "" {
			continue
		}
		m.part(part, d)
		if begun && m.last == nil {
			m.loose, m.odd = nil, "" // of what is before, a half was not read
		}
	}
	return nil
}

// part takes what stands between two empty lines.
func (m *monthFile) part(part string, d *checkpointDir) {
	if m.said != "" && strings.HasPrefix(part, "— ") {
		text := m.said + "\n\n" + part + "\n"
		m.said = ""
		m.signed(text, d)
		return
	}
	if m.said != "" {
		m.odds(m.said)
		m.said = ""
	}
	if _, err := trailfile.ParseText(part + "\n"); err == nil {
		m.said = part
		return
	}
	m.odds(part)
}

// maxLoose limits what is remembered of a file that is full of something else.
const maxLoose = 16

func (m *monthFile) odds(part string) {
	if m.loose = append(m.loose, part); len(m.loose) > maxLoose {
		m.loose, m.odd = nil, named(m.loose[0])
	}
}

// signed takes a note. What a dying process left before it half written is its
// beginning.
func (m *monthFile) signed(text string, d *checkpointDir) {
	c, err := trailfile.Open(text, d.keys)
	if err != nil {
		if errors.Is(err, trailfile.ErrUnknownKey) && d.ofFormerKey(text) {
			return
		}
		m.odds(strings.TrimSuffix(text, "\n"))
		return
	}
	for _, loose := range m.loose {
		if !strings.HasPrefix(text, loose) && m.odd == "" {
			m.odd = named(loose)
		}
	}
	m.loose = nil
	if m.last == nil || c.Size >= m.last.Size {
		m.last = &outside{c, text}
	}
}

// ofFormerKey reports whether a note bears the name of a key that sealed this trail
// before and is not known here any more. Nothing is concluded from it.
func (d *checkpointDir) ofFormerKey(text string) bool {
	return slices.ContainsFunc(notes.SignedBy(text), func(key string) bool { return d.former[key] })
}
