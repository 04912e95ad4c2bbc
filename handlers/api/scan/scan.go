// Package scan reads JSON without changing it: members that appear twice, numbers as
// they are written, and every mistake, of which encoding/json hides most. It knows
// nothing of sales.
package scan

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// Scanner reads JSON that is known to be valid. It also costs less than encoding/json,
// which costs more than the database.
type Scanner struct {
	data []byte
	at   int
}

// SyntaxError is an error of a body as a whole.
type SyntaxError struct {
	Code         string // catalogue key
	Line, Column int    // where; 0 when it is nowhere
}

func (e *SyntaxError) Error() string { return e.Code }

// New accepts a body that is JSON, whole and nothing but.
func New(body []byte) (*Scanner, error) {
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return nil, &SyntaxError{Code: "api.body.empty"}
	case !utf8.Valid(body):
		return nil, &SyntaxError{Code: "api.body.encoding"}
	case !json.Valid(body):
		return nil, syntaxOf(body)
	}
	s := &Scanner{data: body}
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
	return &SyntaxError{Code: "api.body.syntax", Line: line + 1, Column: max(column, 1)}
}

func (s *Scanner) space() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

// Kind is the first byte of the current value: { [ " t f n, or of a number.
func (s *Scanner) Kind() byte { return s.data[s.at] }

// Object calls f for each member, which must read the member's value. The scanner
// must be at the opening brace.
func (s *Scanner) Object(f func(name string)) {
	s.at++
	for s.space(); s.data[s.at] != '}'; s.space() {
		name, _ := s.Text()
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

// Array calls f for each element, which must read it. The scanner must be at the
// opening bracket.
func (s *Scanner) Array(f func()) {
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

// Text takes a string. ok is false when it holds what no text may: half a
// character of two, or NUL.
func (s *Scanner) Text() (value string, ok bool) {
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
func (s *Scanner) rawText() []byte {
	begin := s.at
	for s.at++; s.data[s.at] != '"'; s.at++ {
		if s.data[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
	return s.data[begin:s.at]
}

// Skip takes any value and returns it as it is written. However deep it goes,
// nothing is called within itself.
func (s *Scanner) Skip() []byte {
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
func (s *Scanner) literal() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\r', '\n', ',', ':', '}', ']':
			return
		}
		s.at++
	}
}
