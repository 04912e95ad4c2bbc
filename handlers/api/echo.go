package api

import (
	"strings"

	"veinte/models/cards"
)

// mostEchoed is how much of what was sent an answer repeats, in characters.
const mostEchoed = 40

// echoed is what an answer may repeat of what was sent: not much, and nothing
// that a card number could be part of.
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
	if runes := []rune(s); len(runes) > mostEchoed {
		return string(runes[:mostEchoed]) + "…"
	}
	return s
}
