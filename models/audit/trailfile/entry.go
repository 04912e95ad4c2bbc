package trailfile

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"veinte/models/audit/trailfile/jsontext"
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
	rest, more := jsontext.Blanks(canonical[1:]), true
	if len(rest) > 0 && rest[0] == '}' {
		rest, more = rest[1:], false
	}
	for more {
		var f Field
		plain := false
		if f.Key, f.Value, rest, more, plain = jsontext.Plain(rest); !plain {
			f.Key, f.Value, rest, more = jsontext.Member(rest)
		}
		if f.Value == nil {
			return refused("not JSON")
		}
		if known = behind(known, f.Key); known == nil {
			return refused("a field that no version has, or not in its place: " + strconv.Quote(string(f.Key)))
		}
		if !plain && jsontext.Twice(f.Value) {
			return refused("a field twice in " + strconv.Quote(string(f.Key)))
		}
		into = append(into, f)
	}
	if len(jsontext.Blanks(rest)) > 0 {
		return refused("not JSON")
	}
	if bytes.Count(canonical, []byte("{"))+bytes.Count(canonical, []byte("[")) > maxNesting && jsontext.Deepest(canonical) > maxNesting {
		return refused(errTooDeep.Error())
	}
	if jsontext.HalfPair(canonical) {
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
