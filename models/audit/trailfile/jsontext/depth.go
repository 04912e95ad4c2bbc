package jsontext

import (
	"bytes"
	"strconv"
)

// Deepest is how many objects and lists are open at once in JSON.
func Deepest(text []byte) (most int) {
	open := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = closingQuote(text, i)
		case '{', '[':
			open++
			most = max(most, open)
		case '}', ']':
			open--
		}
	}
	return most
}

// HalfPair reports whether JSON has an escape \ud800 to \udfff that is no half of a pair:
// no text has such a character, and readers put different ones in its place.
func HalfPair(text []byte) bool {
	if !bytes.Contains(text, []byte(`\ud`)) && !bytes.Contains(text, []byte(`\uD`)) {
		return false
	}
	high := false // the escape before was the first half of a pair
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			if high {
				return true
			}
			continue
		}
		n := uint64(0)
		if i++; i < len(text) && text[i] == 'u' && i+4 < len(text) {
			n, _ = strconv.ParseUint(string(text[i+1:i+5]), 16, 32)
			i += 4
		}
		switch low := n >= 0xdc00 && n <= 0xdfff; {
		case high != low:
			return true
		case n >= 0xd800 && n <= 0xdbff:
			high = true
		default:
			high = false
		}
	}
	return high
}
