package jsontext

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Twice reports whether an object in a value that is JSON has a name twice.
func Twice(value []byte) bool {
	if len(value) == 0 || value[0] != '{' && value[0] != '[' {
		return false
	}
	var open [][]string // the names so far of each object, or list, that has begun
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '{', '[':
			open = append(open, nil)
		case '}', ']':
			open = open[:len(open)-1]
		case '"':
			text := value[i : closingQuote(value, i)+1]
			if i += len(text) - 1; Blanks(value[i+1:])[0] != ':' {
				continue
			}
			var name string
			if json.Unmarshal(text, &name) != nil || slices.Contains(open[len(open)-1], name) {
				return true
			}
			open[len(open)-1] = append(open[len(open)-1], name)
		}
	}
	return false
}

// Member parses the next member of an object and returns the rest: behind the comma
// when there are more members, or behind the object's end. The value is nil when it
// is not JSON.
func Member(b []byte) (key, value, rest []byte, more bool) {
	b = Blanks(b)
	end := textEnd(b)
	if end == 0 {
		return nil, nil, nil, false
	}
	key, rest = b[1:end-1], Blanks(b[end:])
	if len(rest) == 0 || rest[0] != ':' {
		return nil, nil, nil, false
	}
	rest = Blanks(rest[1:])
	if end = valueEnd(rest); end == 0 {
		return nil, nil, nil, false
	}
	value = rest[:end]
	if rest = Blanks(rest[end:]); len(rest) == 0 || rest[0] != ',' && rest[0] != '}' {
		return nil, nil, nil, false
	}
	return key, value, rest[1:], rest[0] == ','
}

// Blanks is a text without the blanks before it.
func Blanks(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\n' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}

// valueEnd is where the value at the beginning ends; 0 when it is not JSON. Most
// values are strings and whole numbers, which are recognized directly; the library
// decides on the rest.
func valueEnd(b []byte) int {
	end := textEnd(b)
	if end > 0 || len(b) == 0 {
		return end
	}
	for end < len(b) && b[end] >= '0' && b[end] <= '9' {
		end++
	}
	if whole := end > 0 && (b[0] != '0' || end == 1); whole && end < len(b) && (b[end] == ',' || b[end] == '}') {
		return end
	}
	value := bytes.TrimRight(b[:extent(b)], " \t\n\r")
	if !json.Valid(value) {
		return 0
	}
	return len(value)
}

// textEnd is where the text at the beginning ends, its quotes included; 0 when
// none does.
func textEnd(b []byte) int {
	if len(b) == 0 || b[0] != '"' {
		return 0
	}
	escaped := false
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"' && escaped && !json.Valid(b[:i+1]), c < ' ':
			return 0
		case c == '"':
			return i + 1
		case c == '\\':
			escaped = true
			i++
		}
	}
	return 0
}

// closingQuote is where the text that begins at i ends; len(b) or more when it does not.
func closingQuote(b []byte, i int) int {
	for i++; i < len(b) && b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i
}

// extent is how far the value at the beginning could go: to the comma or the
// bracket that is not its own.
func extent(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = closingQuote(b, i)
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(b)
}
