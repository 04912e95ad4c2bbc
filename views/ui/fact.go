package ui

import (
	"slices"
	"strings"
)

// Fact is something said in two cells: what, and which.
type Fact struct{ Label, Value string }

// KnownFacts are those that say something.
func KnownFacts(facts ...Fact) []Fact {
	return slices.DeleteFunc(facts, func(f Fact) bool { return f.Value == "" })
}

// FilterFact is a filter in words, and the code by which programs know it where
// that is another.
type FilterFact struct{ Label, Value, Code string }

// ForFile is the filter as files have it, for people and for programs.
func (f *FilterFact) ForFile() string {
	if f.Code == "" {
		return f.Value
	}
	return f.Value + " (" + f.Code + ")"
}

// ChipsInWords is the filters as a text.
func ChipsInWords(chips []FilterChip) string {
	words := make([]string, len(chips))
	for i, c := range chips {
		words[i] = c.Label + ": " + c.Value
	}
	return strings.Join(words, " · ")
}
