package table

import (
	"strings"
	"unicode"
	"unicode/utf8"
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
	s = MaskCards(s[:min(len(s), lookedAt)]) // before the last cut: half a card number would not be seen as one
	if utf8.RuneCountInString(s) > shownMost {
		s = string([]rune(s)[:shownMost-1]) + "…"
	}
	return s
}

// MaskCards replaces card numbers by their last four digits: 13 to 19 digits,
// perhaps in groups, whose check digit is right.
func MaskCards(s string) string {
	var b strings.Builder
	done := 0
	for {
		from, to := cardIn(s, done)
		if to == 0 {
			break
		}
		b.WriteString(s[done:from])
		b.WriteString("****")
		b.WriteString(lastFour(s[from:to]))
		done = to
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// lastFour returns the last four digits of a card number, perhaps in groups.
func lastFour(card string) string {
	var four [4]byte
	n := len(four)
	for i := len(card) - 1; n > 0; i-- {
		if digit(card[i]) {
			n--
			four[n] = card[i]
		}
	}
	return string(four[:])
}

// HasCard reports whether the text holds a card number.
func HasCard(s string) bool {
	_, to := cardIn(s, 0)
	return to > 0
}

// cardIn finds the first card number that begins at or after a place. An order number, YYMMDDhhmmss-<serial>, is
// none: groups are joined whole, and its two have 12 and 22 digits.
func cardIn(s string, at int) (from, to int) {
	for i := at; i < len(s); i++ {
		if !digit(s[i]) || i > 0 && digit(s[i-1]) {
			continue // only where a group begins
		}
		digits := make([]byte, 0, 19)
		for j := i; j < len(s) && len(digits) <= 19; j++ {
			switch {
			case digit(s[j]):
				digits = append(digits, s[j])
				ends := j+1 == len(s) || !digit(s[j+1])
				if ends && len(digits) >= 13 && len(digits) <= 19 && luhn(digits) {
					return i, j + 1
				}
			case s[j] != ' ' && s[j] != '-' || j+1 == len(s) || !digit(s[j+1]):
				j = len(s)
			}
		}
	}
	return 0, 0
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// luhn reports whether the last digit is the check digit of the others.
func luhn(digits []byte) bool {
	sum := 0
	for i, c := range digits {
		d := int(c - '0')
		if (len(digits)-i)%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
