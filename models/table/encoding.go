package table

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

const (
	utf8BOM    = "\xEF\xBB\xBF"
	utf16LEBOM = "\xFF\xFE"
	utf16BEBOM = "\xFE\xFF"
)

// text converts a file to UTF-8. It accepts UTF-8, UTF-16 with a byte order mark,
// and Windows-1252 when the file can be nothing else.
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
	isUTF8, err := examine(io.NewSectionReader(r, start, size-start))
	if err != nil {
		return nil, nil, err
	}
	if isUTF8 {
		return io.NewSectionReader(r, start, size-start), nil, nil
	}
	if start > 0 {
		return nil, nil, ErrMixed // it is marked as UTF-8, and is not
	}
	return charmap.Windows1252.NewDecoder().Reader(whole()), []Note{{Code: "table.note.windows1252"}}, nil
}

// examine reads the whole file to determine whether it is UTF-8: a single byte near
// its end may decide. A file that is only partly UTF-8 was joined from two files,
// and its letters are ambiguous.
func examine(r io.Reader) (isUTF8 bool, err error) {
	var seen letters
	buffer := make([]byte, 64<<10)
	kept := 0
	for {
		n, err := r.Read(buffer[kept:])
		if err != nil && !errors.Is(err, io.EOF) {
			return false, fmt.Errorf("read file: %w", err)
		}
		rest := seen.look(buffer[:kept+n])
		kept = copy(buffer, rest)
		if err != nil {
			break
		}
	}
	switch {
	case seen.control:
		return false, ErrNotText
	case seen.multibyte && seen.broken:
		return false, ErrMixed
	case seen.multibyte && kept > 0:
		return false, ErrCut // the last character is incomplete
	}
	return !seen.broken && kept == 0, nil
}

// letters are the kinds of bytes seen in a text.
type letters struct {
	multibyte bool // valid UTF-8 characters of several bytes
	broken    bool // bytes that are not valid UTF-8
	control   bool // characters that no text file has
}

// look examines the bytes and returns those of an incomplete last character.
func (l *letters) look(b []byte) []byte {
	for len(b) > 0 {
		if c := b[0]; c < utf8.RuneSelf {
			l.control = l.control || control(c)
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
