package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// scanner reads JSON that is known to be valid. encoding/json hides duplicate
// members, converts numbers and reports only the first mistake; it also costs more
// than the database.
type scanner struct {
	data []byte
	at   int
}

// errSyntax is an error of a body as a whole.
type errSyntax struct {
	code         string // catalogue key
	line, column int    // where; 0 when it is nowhere
}

func (e *errSyntax) Error() string { return e.code }

// Unwrap returns the error that the trail names.
func (e *errSyntax) Unwrap() error { return errWritten }

// newScanner accepts a body that is JSON, whole and nothing but.
func newScanner(body []byte) (*scanner, error) {
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return nil, &errSyntax{code: "api.body.empty"}
	case !utf8.Valid(body):
		return nil, &errSyntax{code: "api.body.encoding"}
	case !json.Valid(body):
		return nil, syntaxOf(body)
	}
	s := &scanner{data: body}
	s.space()
	return s, nil
}

// syntaxOf finds the position of the first mistake.
func syntaxOf(body []byte) error {
	at := len(body)
	var syntax *json.SyntaxError
	if err := json.Unmarshal(body, new(json.RawMessage)); errors.As(err, &syntax) {
		at = min(int(syntax.Offset), len(body))
	}
	before := body[:at]
	line := bytes.Count(before, []byte("\n"))
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return &errSyntax{code: "api.body.syntax", line: line + 1, column: max(column, 1)}
}

func (s *scanner) space() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

// kind is the first byte of the current value: { [ " t f n, or of a number.
func (s *scanner) kind() byte { return s.data[s.at] }

// object calls f for each member, which must read the member's value. The scanner
// must be at the opening brace.
func (s *scanner) object(f func(name string)) {
	s.at++
	for s.space(); s.data[s.at] != '}'; s.space() {
		name, _ := s.text()
		s.space()
		s.at++ // the colon
		s.space()
		f(name)
		s.space()
		if s.data[s.at] == ',' {
			s.at++
		}
	}
	s.at++
}

// array calls f for each element, which must read it. The scanner must be at the
// opening bracket.
func (s *scanner) array(f func()) {
	s.at++
	for s.space(); s.data[s.at] != ']'; s.space() {
		f()
		s.space()
		if s.data[s.at] == ',' {
			s.at++
		}
	}
	s.at++
}

// text takes a string. ok is false when it holds what no text may: half a
// character of two, or NUL.
func (s *scanner) text() (value string, ok bool) {
	raw := s.rawText()
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return "", false
	}
	// What was escaped wrongly is read as a replacement.
	damaged := strings.Contains(value, "\uFFFD") && !bytes.Contains(raw, []byte("\uFFFD"))
	return value, !damaged && !strings.ContainsRune(value, 0)
}

// rawText takes a string as it is written, quotes included.
func (s *scanner) rawText() []byte {
	begin := s.at
	for s.at++; s.data[s.at] != '"'; s.at++ {
		if s.data[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
	return s.data[begin:s.at]
}

// skip takes any value and returns it as it is written. However deep it goes,
// nothing is called within itself.
func (s *scanner) skip() []byte {
	begin, depth := s.at, 0
	for {
		switch s.data[s.at] {
		case '"':
			s.rawText()
		case '{', '[':
			depth++
			s.at++
		case '}', ']':
			depth--
			s.at++
		case ' ', '\t', '\r', '\n', ',', ':':
			s.at++
		default:
			s.literal()
		}
		if depth == 0 {
			return s.data[begin:s.at]
		}
	}
}

// literal takes a number, true, false or null.
func (s *scanner) literal() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\r', '\n', ',', ':', '}', ']':
			return
		}
		s.at++
	}
}
