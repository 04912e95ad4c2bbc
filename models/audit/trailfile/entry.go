package trailfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Field is one member of an entry's canonical bytes, as written there.
type Field struct{ Key, Value []byte }

// errEntry is wrapped by what is wrong with canonical bytes.
var errEntry = errors.New("no well-formed entry")

// Split parses canonical bytes and appends the fields to into; they are slices of
// the input. It refuses anything but a JSON object in UTF-8 of a known version, with
// its fields in their order and no name twice at any level, not nested too deep and
// without half a character: two parsers could read other bytes differently.
func Split(canonical []byte, into []Field) ([]Field, error) {
	refused := func(why string) ([]Field, error) { return into, fmt.Errorf("%w: %s", errEntry, why) }
	if len(canonical) < 2 || canonical[0] != '{' {
		return refused("not a JSON object")
	}
	if !utf8.Valid(canonical) {
		return refused("not UTF-8")
	}
	first, known := len(into), fieldNames
	rest, more := blanks(canonical[1:]), true
	if len(rest) > 0 && rest[0] == '}' {
		rest, more = rest[1:], false
	}
	for more {
		var f Field
		if f, rest, more = member(rest); f.Value == nil {
			return refused("not JSON")
		}
		if known = behind(known, f.Key); known == nil {
			return refused("a field that no version has, or not in its place: " + strconv.Quote(string(f.Key)))
		}
		if twice(f.Value) {
			return refused("a field twice in " + strconv.Quote(string(f.Key)))
		}
		into = append(into, f)
	}
	if len(blanks(rest)) > 0 {
		return refused("not JSON")
	}
	if bytes.Count(canonical, []byte("{"))+bytes.Count(canonical, []byte("[")) > maxNesting && deepest(canonical) > maxNesting {
		return refused(errTooDeep.Error())
	}
	if halfPair(canonical) {
		return refused("half a character")
	}
	if first == len(into) || string(into[first].Key) != "v" || string(into[first].Value) != "1" && string(into[first].Value) != "2" {
		return refused("its version is not known here")
	}
	return into, nil
}

// fieldNames are the fields of an entry, in their order. Empty ones are left out.
var fieldNames = []string{
	"v", "nonce", "at", "actorId", "actor", "role", "onBehalfOf", "action", "outcome", "storeId", "store", "serialNumber",
	"saleId", "orderId", "cancellationId", "attempt", "amountCentavos", "before", "after", "reason", "address", "userAgent", "requestId", "",
}

// behind are the names that may follow a key; nil when the key is not one of them.
// The last name, the empty one, ends the list and belongs to no field.
func behind(names []string, key []byte) []string {
	for i, name := range names[:len(names)-1] {
		if string(key) == name {
			return names[i+1:]
		}
	}
	return nil
}

// twice reports whether an object in a value that is JSON has a name twice.
func twice(value []byte) bool {
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
			if i += len(text) - 1; blanks(value[i+1:])[0] != ':' {
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

// member parses the next member of an object and returns the rest: behind the comma
// when there are more members, or behind the object's end. The value is nil when it
// is not JSON.
func member(b []byte) (f Field, rest []byte, more bool) {
	b = blanks(b)
	end := textEnd(b)
	if end == 0 {
		return f, nil, false
	}
	f.Key, rest = b[1:end-1], blanks(b[end:])
	if len(rest) == 0 || rest[0] != ':' {
		return f, nil, false
	}
	rest = blanks(rest[1:])
	if end = valueEnd(rest); end == 0 {
		return f, nil, false
	}
	value := rest[:end]
	if rest = blanks(rest[end:]); len(rest) == 0 || rest[0] != ',' && rest[0] != '}' {
		return f, nil, false
	}
	f.Value = value
	return f, rest[1:], rest[0] == ','
}

func blanks(b []byte) []byte {
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
