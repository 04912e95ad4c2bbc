package table

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"veinte/models/cards"
)

// shownMost limits how much of a cell an error repeats.
const shownMost = 60

// lookedAt limits how many bytes of a cell Shown reads. At most five bytes make one
// character, so what is cut off would not be shown.
const lookedAt = 16 * shownMost

// Shown makes a text of a file safe to show to a person: one line, clipped, without
// anything that could be a card number.
func Shown(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = cards.Mask(s[:min(len(s), lookedAt)]) // before the last cut: half a card number would not be recognized
	if utf8.RuneCountInString(s) > shownMost {
		s = string([]rune(s)[:shownMost-1]) + "…"
	}
	return s
}
