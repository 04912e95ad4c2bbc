package ui

import "strings"

// ChipsInWords is the filters as a text.
func ChipsInWords(chips []FilterChip) string {
	words := make([]string, len(chips))
	for i, c := range chips {
		words[i] = c.Label + ": " + c.Value
	}
	return strings.Join(words, " · ")
}
