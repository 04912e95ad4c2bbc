package table

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"veinte/models/cards"
)

// shownMost is how much of a cell is repeated in an error.
const shownMost = 60

// lookedAt is how many bytes of a cell are looked at for that. Nothing makes more
// than five bytes of a text one character, so what is cut off would not be shown.
const lookedAt = 16 * shownMost

// Shown is a text of a file as it may be repeated to a person: one line, clipped,
// without what could be a card number.
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
	s = cards.Mask(s[:min(len(s), lookedAt)]) // before the last cut: half a card number would not be seen as one
	if utf8.RuneCountInString(s) > shownMost {
		s = string([]rune(s)[:shownMost-1]) + "…"
	}
	return s
}
