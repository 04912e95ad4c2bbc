package cards

import (
	"strings"
	"unicode"
)

// token is a piece of a text: digits, something that may separate two groups of one
// number, or anything else.
type token struct {
	digits    []byte
	separates bool
}

// tokens splits a text. Characters that are not seen, such as zero-width ones and blank
// letters, and marks on a digit, such as those of keycaps, are left out.
func tokens(s string) []token {
	var list []token
	var digits []byte
	var between []rune
	flush := func() {
		if digits != nil {
			list = append(list, token{digits: digits})
		}
		if between != nil {
			list = append(list, token{separates: separates(between)})
		}
		digits, between = nil, nil
	}
	for _, r := range s {
		d, ok := digitOf(r)
		switch {
		case unseen(r):
		case ok && between != nil:
			flush()
			digits = []byte{d}
		case ok:
			digits = append(digits, d)
		case digits != nil:
			flush()
			between = []rune{r}
		default:
			between = append(between, r)
		}
	}
	flush()
	return list
}

func unseen(r rune) bool {
	const blankBraille = '\u2800'
	return unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point) || r == blankBraille
}

// mostBetween is how many characters may be between two groups: more, such as an
// empty line with its margins, begin something else.
const mostBetween = 6

// separates reports whether what is between digits can be between the groups of one
// number: blanks and ends of lines, with one dash in them, or one mark alone.
func separates(between []rune) bool {
	if len(between) > mostBetween {
		return false
	}
	inner := []rune(strings.TrimFunc(string(between), unicode.IsSpace))
	switch len(inner) {
	case 0:
		return true
	case 1:
		return dash(inner[0]) || len(between) == 1 && strings.ContainsRune("./,_:|\\·•*+~", inner[0])
	}
	return false
}

func dash(r rune) bool { return unicode.Is(unicode.Pd, r) || r == '\u2212' }

// digitOf returns the digit that a character shows, in ASCII: the decimal digits of
// every script, and digits that are raised, lowered or in a circle.
func digitOf(r rune) (byte, bool) {
	if !unicode.In(r, unicode.Nd, unicode.No) {
		return 0, false
	}
	switch r {
	case '¹':
		return '1', true
	case '²', '³':
		return byte(r-'²') + '2', true
	case '⁰', '₀', '⓪':
		return '0', true
	}
	for _, ones := range []rune{'⁴' - 3, '₁', '①', '❶', '➀', '➊', '⓵'} {
		if r >= ones && r < ones+9 && unicode.Is(unicode.No, r) {
			return byte(r-ones) + '1', true
		}
	}
	return decimal(r)
}

// decimal returns the digit of a script: its digits follow one another from zero.
func decimal(r rune) (byte, bool) {
	for _, of := range unicode.Nd.R16 {
		if r >= rune(of.Lo) && r <= rune(of.Hi) {
			return '0' + byte((r-rune(of.Lo))%10), true
		}
	}
	for _, of := range unicode.Nd.R32 {
		if r >= rune(of.Lo) && r <= rune(of.Hi) {
			return '0' + byte((r-rune(of.Lo))%10), true
		}
	}
	return 0, false
}

// digitsOf returns the digits of a text.
func digitsOf(s string) []byte {
	var digits []byte
	for _, r := range s {
		if d, ok := digitOf(r); ok {
			digits = append(digits, d)
		}
	}
	return digits
}
