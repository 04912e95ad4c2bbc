package results

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// echoed matches our attempt id after its name, in a body that cannot be read or in
// a text within a readable one.
var echoed = regexp.MustCompile(`(?i)(attemptId[^0-9A-Za-z]{1,12})` + keyLike.String())

// Forwardable returns a post as received, for the merchant's own programs, with our
// attempt ids removed: with one, anybody could claim an outcome. Ids that the
// merchant put into traceability stay. It returns nil when an id is written in a way
// that cannot be replaced.
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
	return raw
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
