package api

import (
	"strings"

	"veinte/models/cards"
)

// maxEchoed is how much of what was sent an answer repeats, in characters.
const maxEchoed = 40

// echoed is the part of a sent value that a response may repeat: a short text
// without anything that could be part of a card number.
func echoed(s string) string {
	if cards.Holds(s) {
		return ""
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if runes := []rune(s); len(runes) > maxEchoed {
		return string(runes[:maxEchoed]) + "…"
	}
	return s
}
