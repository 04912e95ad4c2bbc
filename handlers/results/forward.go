package results

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// echoed matches our attempt id after its name, in a body that cannot be read or in
// a text within a readable one.
var echoed = regexp.MustCompile(`(?i)(attemptId[^0-9A-Za-z]{1,12})` + keyLike.String())

// Forwardable returns a post as received, for the merchant's own programs, with our
// attempt ids removed: with one, anybody could claim an outcome. What the merchant put
// into traceability is given back as it came, without our member beside it. It returns
// nil when an id is written in a way that cannot be replaced.
func Forwardable(body []byte) []byte {
	w, readable := decode(body)
	raw := echoed.ReplaceAll(body, []byte("${1}***"))
	if !readable {
		// Whatever it is: an id in it might be ours.
		return keyLike.ReplaceAll(raw, []byte("***"))
	}
	id := w.attemptID()
	if id == "" {
		return bytes.Clone(raw)
	}
	if quoted, err := json.Marshal(id); err == nil {
		raw = bytes.ReplaceAll(raw, quoted, []byte(`"***"`))
	}
	if len(id) >= 16 {
		raw = bytes.ReplaceAll(raw, []byte(id), []byte("***"))
	}
	after, readable := decode(raw)
	if !readable || holds(map[string]any(after), id) {
		return nil
	}
	return withoutOurs(raw)
}

// ourMember matches our member after its id was replaced, with a comma before it, else
// with one after it. We write it without white space; terminals may add some.
var ourMember = regexp.MustCompile(`\s*,\s*"attemptId"\s*:\s*"\*\*\*"|"attemptId"\s*:\s*"\*\*\*"\s*,?\s*`)

// withoutOurs takes our member out of traceability. A body in which that would change
// anything else stays as it is.
func withoutOurs(raw []byte) []byte {
	at := ourMember.FindAllIndex(raw, -1)
	if len(at) != 1 {
		return raw
	}
	cut := slices.Concat(raw[:at[0][0]], raw[at[0][1]:])
	before, _ := decode(raw)
	after, readable := decode(cut)
	trace, ok := before["traceability"].(map[string]any)
	if !readable || !ok || trace[attemptField] != "***" {
		return raw
	}
	delete(trace, attemptField)
	if !reflect.DeepEqual(before, after) {
		return raw
	}
	return cut
}

// holds reports whether the text is anywhere in a value, also when its characters
// were escaped.
func holds(value any, id string) bool {
	switch v := value.(type) {
	case string:
		return v == id || len(id) >= 16 && strings.Contains(v, id)
	case map[string]any:
		for name, inner := range v {
			if holds(name, id) || holds(inner, id) {
				return true
			}
		}
	case []any:
		for _, inner := range v {
			if holds(inner, id) {
				return true
			}
		}
	}
	return false
}
