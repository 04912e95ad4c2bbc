package table

import (
	"strings"
	"unicode"

	"golang.org/x/text/encoding/charmap"
)

// codePage is a code page of one byte per character, with the note that says that a
// file was read by it.
type codePage struct {
	*charmap.Charmap
	note string
}

// codePages are the code pages of Spanish files, in the order of preference when the
// letters do not decide. MS-DOS had two, 437 and 850; the letters and signs that
// Spanish has in both are the same, and 850 has the accented capitals too.
var codePages = []codePage{
	{charmap.Windows1252, "table.note.windows1252"},
	{charmap.Macintosh, "table.note.macintosh"},
	{charmap.CodePage850, "table.note.msdos"},
}

// pageVotes finds out by which code page the bytes make Spanish words.
type pageVotes struct {
	votes        [3]int
	before, last byte
}

// best is the code page with most votes.
func (v *pageVotes) best() codePage {
	best := 0
	for i := range v.votes {
		if v.votes[i] > v.votes[best] {
			best = i
		}
	}
	return codePages[best]
}

// add judges the last byte, now that the one after it is known.
func (v *pageVotes) add(next byte) {
	if v.last >= 0x80 {
		for i, page := range codePages {
			v.votes[i] += plausibleIn(page, v.before, v.last, next)
		}
	}
	v.before, v.last = v.last, next
}

// plausibleIn votes for or against a byte between two others: a letter of Spanish
// within a word of its case, or a sign where Spanish has it.
func plausibleIn(page codePage, before, c, after byte) int {
	r, left, right := page.DecodeByte(c), page.DecodeByte(before), page.DecodeByte(after)
	inWord := unicode.IsLetter(left) || unicode.IsLetter(right)
	switch {
	case strings.ContainsRune("áéíóúñü", r):
		if inWord && !unicode.IsUpper(right) && (!unicode.IsUpper(left) || unicode.IsLower(right) || !unicode.IsLetter(right)) {
			return 2
		}
	case strings.ContainsRune("ÁÉÍÓÚÑÜ", r):
		if inWord && !unicode.IsLower(left) {
			return 2
		}
	case strings.ContainsRune("ºª°", r):
		if !unicode.IsLetter(right) {
			return 1
		}
	case strings.ContainsRune("¿¡", r):
		if unicode.IsLetter(right) && !unicode.IsLetter(left) {
			return 1
		}
	case r == '’': // McDonald’s, O’Brien
		if unicode.IsLetter(left) && (right == 's' || unicode.IsUpper(right)) {
			return 2
		}
	case strings.ContainsRune("€“”–—…•", r):
		if !unicode.IsLetter(left) || !unicode.IsLetter(right) {
			return 1
		}
	case unicode.IsLetter(r) && inWord:
		return 0 // another language's
	}
	return -1
}
