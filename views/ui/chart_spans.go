package ui

import (
	"strings"
	"time"

	"veinte/models"
)

// Span is how long a cancellation was in a state.
type Span struct {
	State models.State
	Long  time.Duration
	Open  bool // it is in it still
}

// DrawnSpan is one with its place in the picture.
type DrawnSpan struct {
	Span
	X, Width string
	Words    string
}

// LeastSpan is how wide one is at least, in hundredths: what took a second beside
// minutes is seen.
const LeastSpan = 1.5

// spansInWords is the picture in a sentence.
func spansInWords(spans []DrawnSpan) string {
	words := make([]string, len(spans))
	for i, s := range spans {
		words[i] = s.Words
	}
	return strings.Join(words, "; ") + "."
}

// fill is the pattern of a doubt; the others are filled by the styles.
func (s DrawnSpan) fill() string {
	if s.State == models.Unknown {
		return partDoubt.fill("spans")
	}
	return "currentColor"
}
