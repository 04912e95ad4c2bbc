package deliver

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// shown is how much of a response is stored, in bytes.
const shown = 200

// digits are runs long enough for a card, telephone or account number.
var digits = regexp.MustCompile(`\d(?:[ -]?\d){6,}`)

// keyLike is the shape of our attempt ids.
var keyLike = regexp.MustCompile(`[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)

// mask returns the first characters of a response in a form that may be stored:
// without what was sent, which a receiver may repeat, and without long numbers.
func mask(answer, sent []byte) string {
	text := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(answer), "?"))
	for _, value := range values(sent) {
		text = strings.ReplaceAll(text, value, "***")
	}
	text = digits.ReplaceAllString(keyLike.ReplaceAllString(text, "***"), "***")
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > shown {
		text = strings.ToValidUTF8(text[:shown], "")
	}
	return text
}

// values are the texts and numbers of what was sent that must be masked: a
// customer's name, a key. Short ones are left out, because they are parts of any
// word. For a body that is not JSON they are the whole body and each of its words.
func values(sent []byte) []string {
	d := json.NewDecoder(bytes.NewReader(sent))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return slices.DeleteFunc(append(strings.Fields(string(sent)), string(sent)), short)
	}
	var all []string
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case string:
			all = append(all, v)
		case json.Number:
			all = append(all, v.String())
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		case map[string]any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(tree)
	return slices.DeleteFunc(all, short)
}

func short(value string) bool { return len(value) < 4 }
