package table

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

const (
	utf8BOM    = "\xEF\xBB\xBF"
	utf16LEBOM = "\xFF\xFE"
	utf16BEBOM = "\xFE\xFF"
)

// text converts a file to UTF-8. It accepts UTF-8, UTF-16 with a byte order mark,
// and, when the file can be nothing else, the old code pages in which Windows,
// Macintosh and MS-DOS write Spanish.
func text(r io.ReaderAt, size int64) (io.Reader, []Note, error) {
	whole := func() io.Reader { return io.NewSectionReader(r, 0, size) }
	var begin [3]byte
	n, err := r.ReadAt(begin[:min(size, 3)], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("read file: %w", err)
	}
	head := string(begin[:n])
	if n >= 2 && (head[:2] == utf16LEBOM || head[:2] == utf16BEBOM) {
		if size%2 != 0 {
			return nil, nil, ErrCut
		}
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(whole()), nil, nil
	}
	var start int64
	if head == utf8BOM {
		start = 3
	}
	seen, err := examine(io.NewSectionReader(r, start, size-start))
	if err != nil {
		return nil, nil, err
	}
	decoded, notes := io.Reader(io.NewSectionReader(r, start, size-start)), []Note(nil)
	if !seen.isUTF8 {
		if start > 0 {
			return nil, nil, ErrMixed // it is marked as UTF-8, and is not
		}
		page := seen.pages.best()
		decoded, notes = page.NewDecoder().Reader(whole()), []Note{{Code: page.note}}
	}
	if seen.returns && !seen.newlines {
		decoded = returnEnds{decoded}
	}
	return decoded, notes, nil
}

// returnEnds reads a text of an old Macintosh, whose lines end in a carriage return.
type returnEnds struct{ r io.Reader }

func (r returnEnds) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// examine reads the whole file to determine whether it is UTF-8: a single byte near
// its end may decide. A file that is only partly UTF-8 was joined from two files,
// and its letters are ambiguous.
func examine(r io.Reader) (seen letters, err error) {
	buffer := make([]byte, 64<<10)
	kept := 0
	for {
		n, err := r.Read(buffer[kept:])
		if err != nil && !errors.Is(err, io.EOF) {
			return seen, fmt.Errorf("read file: %w", err)
		}
		for _, c := range buffer[kept : kept+n] {
			seen.pages.add(c)
		}
		rest := seen.look(buffer[:kept+n])
		kept = copy(buffer, rest)
		if err != nil {
			break
		}
	}
	seen.pages.add('\n')
	switch {
	case seen.control:
		return seen, ErrNotText
	case seen.multibyte && seen.broken:
		return seen, ErrMixed
	case seen.multibyte && kept > 0:
		return seen, ErrCut // the last character is incomplete
	}
	seen.isUTF8 = !seen.broken && kept == 0
	return seen, nil
}

// letters are the kinds of bytes seen in a text.
type letters struct {
	multibyte bool // valid UTF-8 characters of several bytes
	broken    bool // bytes that are not valid UTF-8
	control   bool // characters that no text file has
	returns   bool // carriage returns
	newlines  bool
	isUTF8    bool // the result
	pages     pageVotes
}

// look examines the bytes and returns those of an incomplete last character.
func (l *letters) look(b []byte) []byte {
	for len(b) > 0 {
		if c := b[0]; c < utf8.RuneSelf {
			l.control = l.control || control(c)
			l.returns, l.newlines = l.returns || c == '\r', l.newlines || c == '\n'
			b = b[1:]
			continue
		}
		if !utf8.FullRune(b) {
			return b
		}
		r, width := utf8.DecodeRune(b)
		if r == utf8.RuneError && width == 1 {
			l.broken = true
		} else {
			l.multibyte = true
		}
		b = b[width:]
	}
	return nil
}

func control(c byte) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v' || c == 0x7F
}
