package jsontext

import "bytes"

// Plain is Member for what nearly every entry has: neither blanks nor escapes, whole
// numbers, few names in an object and none of them twice. Where it finds anything else it
// leaves the decision to Member and Twice.
func Plain(b []byte) (key, value, rest []byte, more, ok bool) {
	name := plainText(b)
	if name == 0 || name == len(b) || b[name] != ':' {
		return nil, nil, b, false, false
	}
	end := plainValue(b[name+1:], 0)
	if end == 0 {
		return nil, nil, b, false, false
	}
	end += name + 1
	if end == len(b) || b[end] != ',' && b[end] != '}' {
		return nil, nil, b, false, false
	}
	return b[1 : name-1], b[name+1 : end], b[end+1:], b[end] == ',', true
}

// The names of one object, and the depth, of what is plain.
const (
	plainNames = 24
	plainDepth = 12
)

// plainValue is where the plain value at the beginning ends; 0 when it is not plain.
func plainValue(b []byte, depth int) int {
	switch {
	case len(b) == 0 || depth > plainDepth:
		return 0
	case b[0] == '"':
		return plainText(b)
	case b[0] == '{':
		return plainObject(b, depth)
	case b[0] == '[':
		return plainList(b, depth)
	case b[0] >= '1' && b[0] <= '9':
		end := 1
		for end < len(b) && b[end] >= '0' && b[end] <= '9' {
			end++
		}
		if end < len(b) && (b[end] == ',' || b[end] == '}' || b[end] == ']') {
			return end
		}
	case b[0] == '0' && len(b) > 1 && (b[1] == ',' || b[1] == '}' || b[1] == ']'):
		return 1
	case len(b) >= 4 && (string(b[:4]) == "true" || string(b[:4]) == "null"):
		return 4
	case len(b) >= 5 && string(b[:5]) == "false":
		return 5
	}
	return 0
}

func plainObject(b []byte, depth int) int {
	if len(b) > 1 && b[1] == '}' {
		return 2
	}
	var own [plainNames][]byte
	names := own[:0]
	for at := 1; at < len(b); {
		name := plainText(b[at:])
		if name == 0 || at+name >= len(b) || b[at+name] != ':' || len(names) == plainNames {
			return 0
		}
		for _, other := range names {
			if bytes.Equal(other, b[at:at+name]) {
				return 0
			}
		}
		names = append(names, b[at:at+name])
		at += name + 1
		end := plainValue(b[at:], depth+1)
		if at += end; end == 0 || at >= len(b) {
			return 0
		}
		if b[at] == '}' {
			return at + 1
		}
		if b[at] != ',' {
			return 0
		}
		at++
	}
	return 0
}

func plainList(b []byte, depth int) int {
	if len(b) > 1 && b[1] == ']' {
		return 2
	}
	for at := 1; at < len(b); {
		end := plainValue(b[at:], depth+1)
		if at += end; end == 0 || at >= len(b) {
			return 0
		}
		if b[at] == ']' {
			return at + 1
		}
		if b[at] != ',' {
			return 0
		}
		at++
	}
	return 0
}

// Special are the bytes of a text that end it, or make it more than its bytes.
var Special = func() (s [256]bool) {
	for c := range ' ' {
		s[c] = true
	}
	s['"'], s['\\'] = true, true
	return s
}()

// plainText is where the text without escapes at the beginning ends, its quotes included.
func plainText(b []byte) int {
	if len(b) == 0 || b[0] != '"' {
		return 0
	}
	for i := 1; i < len(b); i++ {
		if Special[b[i]] {
			if b[i] == '"' {
				return i + 1
			}
			return 0
		}
	}
	return 0
}
