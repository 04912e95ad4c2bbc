package locale

import (
	"fmt"
	"strings"
)

// filled is a message cut at its {{.Name}} places: texts and names alternate,
// beginning and ending with a text.
type filled []string

func parse(text string) filled {
	var parts filled
	for {
		before, rest, found := strings.Cut(text, "{{.")
		if !found {
			return append(parts, text)
		}
		name, after, _ := strings.Cut(rest, "}}")
		parts = append(parts, before, name)
		text = after
	}
}

// with puts the values in. args are names and values by turns; a value that is
// missing leaves a gap rather than an error on somebody's page.
func (f filled) with(args []any) string {
	var b strings.Builder
	for i, part := range f {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}
		for j := 0; j+1 < len(args); j += 2 {
			if args[j] != part {
				continue
			}
			if text, ok := args[j+1].(string); ok {
				b.WriteString(text)
			} else {
				fmt.Fprint(&b, args[j+1])
			}
		}
	}
	return b.String()
}
