// Package cards finds and masks card numbers in texts. Everything the program
// refuses, masks or stores as "the last four digits" is decided here.
//
// A card number has 13 to 19 digits, begins as those of its issuers do, and its last
// digit is the check digit of the others (ISO/IEC 7812-1, annex B). Nothing else
// distinguishes it from other numbers with certainty: every tenth number has a valid
// check digit. So there is one rule in four degrees, by what a text is for. Each
// degree finds what the previous one finds, and more:
//
//  1. InReference: a number of a brand's own lengths and beginnings, unless it is a
//     number of the merchant's kind: an EAN-13, or one that carries the date of these
//     months where order numbers carry it. For order numbers, references, folios,
//     authorizations and merchant ids, in whichever way they come in, and for what is
//     searched.
//  2. Holds: any number that begins as payment cards do. For notes and names, where
//     no number has to stand.
//  3. Likely and Mask: however it begins, and in groups of any length. For the other
//     columns of files, where a line can be mended, and for showing a file's cells.
//  4. MaskDigits: without asking for the check digit. For the other fields of what
//     terminals post, which nobody reads before it is stored.
//
// The first two read a number as people and pages write it: in any digits of Unicode,
// in one piece or in groups, over lines, with blanks, dashes or one mark between.
//
// What the rule cannot do, and what is done about it, is said to people in the
// reference of the HTTP API: some numbers of merchants cannot be told from a card's
// (every tenth of those that begin and are as long as a brand's and carry no date),
// and one card number in some thousands looks like an order of these months. A number
// written in words, with letters between, or run together with other digits to more
// than nineteen, is not seen.
//
// The package does not know sales, nor where a text comes from.
package cards

import (
	"slices"
	"time"
	"unicode/utf8"
)

// The length of card numbers.
const (
	least = 13
	most  = 19
)

// Holds reports whether a text contains what could be a whole card number, by the
// second degree, whatever text is before or after it.
func Holds(s string) bool {
	return anyNumber(s, func(digits []byte, _ [][]byte) bool { return issued(digits) && luhn(digits) })
}

// InReference reports whether an order number, a reference or another number of the
// merchant's contains a card number, by the first degree. Dates in it count as far as
// they are near now; with the zero time any day from 2020 to 2039 is near, which is
// right for what was checked when it came in.
func InReference(s string, now time.Time) bool {
	return anyNumber(s, func(digits []byte, groups [][]byte) bool {
		return branded(digits) && luhn(digits) && !merchants(digits, groups, now)
	})
}

// anyNumber calls is for every number of a card's length in the text, with its digits
// and the groups in which they are written, until it returns true.
func anyNumber(s string, is func(digits []byte, groups [][]byte) bool) bool {
	if !enough(s) {
		return false
	}
	var groups [][]byte // the groups up to here, with one separator before the next
	for _, t := range tokens(s) {
		switch {
		case t.digits == nil && t.separates:
		case t.digits == nil:
			groups = nil
		default:
			if groups = append(groups, t.digits); anyEnding(groups, is) {
				return true
			}
		}
	}
	return false
}

// enough reports whether a text can contain a number as long as a card's at all.
func enough(s string) bool {
	n := 0
	for i := range len(s) {
		if digit(s[i]) || s[i]&utf8.RuneSelf != 0 {
			n++
		}
	}
	return n >= least
}

// anyEnding calls is for the numbers that end with the last group: of groups as they
// are written in numbers.
func anyEnding(groups [][]byte, is func(digits []byte, groups [][]byte) bool) bool {
	var digits []byte
	for n := len(groups) - 1; n >= 0 && together(groups[n:]); n-- {
		digits = append(slices.Clone(groups[n]), digits...)
		if len(digits) > most {
			return false
		}
		if len(digits) >= least && is(digits, groups[n:]) {
			return true
		}
	}
	return false
}

// together reports whether groups can be those of one number: of three digits and
// more, or all of one size up to four, of which the last may be shorter. Amounts,
// times and dates between other numbers are not.
func together(groups [][]byte) bool {
	size, last := len(groups[0]), len(groups)-1
	long, equal := true, size <= 4
	for i, g := range groups {
		if len(g) < 3 {
			long = false
		}
		if len(g) > size || i < last && len(g) != size {
			equal = false
		}
	}
	return long || equal
}

// Likely reports whether a text contains a card number by the third degree.
func Likely(s string) bool {
	_, to := find(s, 0)
	return to > 0 || Holds(s)
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
	double := false // every second digit, from the end
	for _, c := range slices.Backward(digits) {
		d := value(c)
		if double {
			d *= 2
		}
		sum += d/10 + d%10
		double = !double
	}
	return sum%10 == 0
}

// value is that of a digit: its lower four bits.
func value(c byte) int { return int(c & 0xf) }

func digit(c byte) bool { return c >= '0' && c <= '9' }
