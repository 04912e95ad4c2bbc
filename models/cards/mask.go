package cards

import (
	"regexp"
	"strings"
)

// Mask replaces the card numbers of a text, by the third degree, by four stars and
// their last four digits.
func Mask(s string) string {
	var b strings.Builder
	done := 0
	for {
		from, to := find(s, done)
		if to == 0 {
			break
		}
		b.WriteString(s[done:from])
		b.WriteString("****")
		b.WriteString(Last4(s[from:to]))
		done = to
	}
	if done == 0 {
		return Hide(s)
	}
	b.WriteString(s[done:])
	return Hide(b.String())
}

// run is 13 to 19 digits, possibly in groups. Serial numbers are shorter.
var run = regexp.MustCompile(`\d(?:[ -]?\d){12,18}`)

// MaskDigits replaces, by the fourth degree, every number as long as a card number by
// four stars.
func MaskDigits(s string) string { return Hide(run.ReplaceAllString(s, "****")) }

// Hide replaces every digit but the last four by a dot in a text that contains a
// card number by the second degree.
func Hide(s string) string {
	if !Holds(s) {
		return s
	}
	hidden, kept := []rune(s), 0
	for i := len(hidden) - 1; i >= 0; i-- {
		if _, ok := digitOf(hidden[i]); !ok {
			continue
		}
		if kept++; kept > 4 {
			hidden[i] = '•'
		}
	}
	return string(hidden)
}

// Last4 returns the last four digits of a card number, whole or masked; fewer when
// it has fewer digits.
func Last4(card string) string {
	digits := digitsOf(card)
	return string(digits[max(0, len(digits)-4):])
}
