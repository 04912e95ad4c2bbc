// Package cards finds and masks card numbers in texts. Everything the program
// refuses, masks or stores as "the last four digits" is decided here.
//
// A card number has 13 to 19 digits, and its last one is the check digit of the
// others (ISO/IEC 7812-1, annex B). Nothing else distinguishes it from other numbers
// with certainty, so the rule has three degrees. Each degree finds what the previous
// one finds, and more:
//
//  1. Holds: it begins as payment cards do, and is written as people and pages
//     write one: in one piece, or in groups of three digits and more with a blank,
//     dash, dot or slash between. For what somebody typed: a number that is
//     refused wrongly stops a person.
//  2. Likely and Mask: however it begins, and in groups of any length. For the
//     files of others, where a line can be mended.
//  3. MaskDigits: without asking for the check digit. For what terminals post,
//     which nobody reads before it is stored.
//
// The order number of a terminal, YYMMDDhhmmss-<serial>, is no card number by the
// first two degrees: its groups are joined as a whole, and have 12 and 22 digits.
//
// The package does not know sales, nor where a text comes from.
package cards

import (
	"slices"
	"strings"
)

// The length of card numbers.
const (
	least = 13
	most  = 19
)

// Holds reports whether a text contains what could be a whole card number, by the
// first degree, whatever text is before or after it.
func Holds(s string) bool {
	s = plainSeparators.Replace(s)
	var groups [][]byte // of digits, each with one separator before the next
	for i := 0; i < len(s); {
		if !digit(s[i]) {
			if i+1 == len(s) || !strings.ContainsRune(" -./", rune(s[i])) || !digit(s[i+1]) {
				groups = nil
			}
			i++
			continue
		}
		from := i
		for i < len(s) && digit(s[i]) {
			i++
		}
		if groups = append(groups, []byte(s[from:i])); endsInCard(groups) {
			return true
		}
	}
	return false
}

// plainSeparators replaces everything that looks like one separator by one: blanks
// and dashes that are not ASCII, several blanks, blanks around a dash.
var plainSeparators = func() *strings.Replacer {
	var pairs []string
	for _, dash := range []string{"-", "\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2212"} {
		pairs = append(pairs, " "+dash+" ", "-", dash, "-")
	}
	for _, blank := range []string{"    ", "   ", "  ", "\t", "\u00a0", "\u2002", "\u2003", "\u2007", "\u2009", "\u202f"} {
		pairs = append(pairs, blank, " ")
	}
	return strings.NewReplacer(append(pairs, "\u200b", "", "\u2060", "", "\ufeff", "")...)
}()

// endsInCard reports whether the last groups are a card number.
func endsInCard(groups [][]byte) bool {
	var digits []byte
	for n := len(groups) - 1; n >= 0 && len(groups[n]) >= 3; n-- {
		digits = append(slices.Clone(groups[n]), digits...)
		if len(digits) > most {
			return false
		}
		if len(digits) >= least && issued(digits) && luhn(digits) {
			return true
		}
	}
	return false
}

// issued reports whether payment cards begin with these digits: 3 to 6, and one
// brand, whose numbers have sixteen digits, with 2221 to 2720 (ISO/IEC 7812-1,
// issuers' lists). Every tenth number has a valid check digit; without this check,
// order numbers that begin with a year or a serial number would be taken for cards.
func issued(digits []byte) bool {
	if digits[0] == '2' {
		series := string(digits[:4])
		return len(digits) == 16 && series >= "2221" && series <= "2720"
	}
	return digits[0] >= '3' && digits[0] <= '6'
}

// Likely reports whether a text contains a card number by the second degree.
func Likely(s string) bool {
	_, to := find(s, 0)
	return to > 0 || Holds(s)
}

// Only reports whether a text consists of a card number by the second degree and
// nothing else.
func Only(s string) bool {
	return run.FindString(s) == s && s != "" && luhn(digitsOf(s))
}

// find finds the first number with a valid check digit that begins at or after a
// position.
func find(s string, at int) (from, to int) {
	for i := at; i < len(s); i++ {
		if !digit(s[i]) || i > 0 && digit(s[i-1]) {
			continue // only where a group begins
		}
		digits := make([]byte, 0, most)
		for j := i; j < len(s) && len(digits) <= most; j++ {
			switch {
			case digit(s[j]):
				digits = append(digits, s[j])
				ends := j+1 == len(s) || !digit(s[j+1])
				if ends && len(digits) >= least && len(digits) <= most && luhn(digits) {
					return i, j + 1
				}
			case s[j] != ' ' && s[j] != '-' || j+1 == len(s) || !digit(s[j+1]):
				j = len(s)
			}
		}
	}
	return 0, 0
}

// luhn checks the check digit of a card number.
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

func digit(c byte) bool { return c >= '0' && c <= '9' }

func digitsOf(s string) []byte {
	var digits []byte
	for i := range len(s) {
		if digit(s[i]) {
			digits = append(digits, s[i])
		}
	}
	return digits
}
