package passwords

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Limits of a password's length, in characters.
const (
	Min = 12
	Max = 128
)

// Problem is why a password is refused; "" for none. It is the code of a text.
type Problem string

// The problems.
const (
	TooShort Problem = "password.tooShort"
	TooLong  Problem = "field.tooLong"
	Simple   Problem = "password.simple"  // a row of keys or digits, a piece that repeats
	Common   Problem = "password.common"  // one of the list, or it with a number
	Context  Problem = "password.context" // the person's name, the store's, ours
)

const (
	minOwn      = 8 // characters that are left without the words of the context
	maxNumber   = 8 // what is written around a common password: a year, a date
	minDistinct = 5
	minWord     = 3 // of the context; shorter ones stand in too many words
)

// ours are words that everybody knows of this program and its shops.
var ours = []string{
	"veinte", "mostrador", "terminal", "tienda", "sucursal", "encargad", "supervis", "administra", "auditor",
	"cancelacion", "cancelar", "contrasena", "password",
}

// Length is the length of a password in characters, however they are encoded.
func Length(password string) int { return utf8.RuneCountInString(norm.NFC.String(password)) }

// Check returns what is wrong with a password. around are the names that stand around it:
// the person's, their address, those of the stores.
func Check(password string, around ...string) Problem {
	switch n := Length(password); {
	case n < Min:
		return TooShort
	case n > Max:
		return TooLong
	}
	plain := fold(password)
	if isSimple(plain) {
		return Simple
	}
	if isCommon(plain) {
		return Common
	}
	own := plain
	for _, w := range words(around) {
		own = strings.ReplaceAll(own, w, " ")
	}
	if own != plain && (count(own, unicode.IsLetter)+count(own, unicode.IsDigit) < minOwn || isCommon(own)) {
		return Context
	}
	return ""
}

// fold writes what people take for the same in the same way: small letters without
// accents.
func fold(text string) string {
	bare := transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.Mn)), norm.NFKC)
	out, _, err := transform.String(bare, strings.ToLower(text))
	if err != nil {
		return strings.ToLower(text)
	}
	return out
}

// words are those of the context, the longest first.
func words(around []string) []string {
	all := slices.Clone(ours)
	for _, name := range around {
		all = append(all, strings.FieldsFunc(fold(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
	}
	all = slices.DeleteFunc(all, func(w string) bool { return utf8.RuneCountInString(w) < minWord })
	slices.SortFunc(all, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(all)
}

// isSimple reports whether a text has few different characters, or is a row of them as
// they follow each other.
func isSimple(text string) bool {
	distinct, steps := map[rune]bool{}, 0
	var last rune
	for _, r := range text {
		distinct[r] = true
		if d := r - last; d < -1 || d > 1 {
			steps++
		}
		last = r
	}
	return len(distinct) < minDistinct || steps <= 3
}

// leet are the signs that stand for letters.
var leet = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

// isCommon reports whether a text is in the list: as it is, without its signs, or without
// a number around it; with letters for the digits that stand for them; written twice.
func isCommon(text string) bool {
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	forms := []string{text, keep(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })}
	for _, core := range []string{strings.TrimFunc(text, notLetter), keep(text, unicode.IsLetter)} {
		if utf8.RuneCountInString(text)-utf8.RuneCountInString(core) <= maxNumber {
			forms = append(forms, core)
		}
	}
	return slices.ContainsFunc(forms, func(form string) bool {
		plain := leet.Replace(form)
		return listed(form) || listed(plain) || listed(once(form)) || listed(once(plain))
	})
}

// once is the piece of which a text is made by repeating it.
func once(text string) string {
	if at := strings.Index((text + text)[min(1, len(text)):], text); at >= 0 && at+1 < len(text) {
		return text[:at+1]
	}
	return text
}

func keep(text string, f func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if f(r) {
			return r
		}
		return -1
	}, text)
}

func count(text string, f func(rune) bool) int { return utf8.RuneCountInString(keep(text, f)) }
