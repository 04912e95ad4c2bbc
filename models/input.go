package models

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"veinte/models/cards"
)

// Text trims what a person typed into a field. It refuses what cannot be stored or
// shown: control characters, invalid UTF-8, too long a text.
func Text(field, s string, most int) (string, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return "", Invalid(field, "field.required")
	case !utf8.ValidString(s) || strings.ContainsFunc(s, Invisible) || strayVariation(s):
		return "", Invalid(field, "field.invalidText")
	case utf8.RuneCountInString(s) > most:
		return "", Invalid(field, "field.tooLong")
	case cards.Holds(s):
		return "", Invalid(field, "field.cardNumber") // it could never be removed from the trail
	}
	return s, nil
}

// Storable reports whether PostgreSQL can hold the text.
func Storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// Readable reports whether a note of several lines can be stored and is read as it was
// written: without control characters and without changes of direction, which would show
// it in another order.
func Readable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) || unicode.Is(unicode.Bidi_Control, r)
	})
}

// Legible makes text from outside storable in the trail, at most n bytes. A header
// may contain bytes that PostgreSQL does not accept, and must not prevent the entry
// from being written. What cannot be seen, and could show the text in another order, is
// a question mark. Possible card numbers are masked to their last four digits.
func Legible(s string, n int) string {
	return Truncate(strings.Map(visible, cards.Hide(strings.ToValidUTF8(s, "?"))), n)
}

func visible(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case Invisible(r):
		return '?'
	}
	return r
}

// ParseStoreCode accepts the short name of a store: A–Z, 0–9 and hyphens, at
// most twenty. Lower case is converted to upper case.
func ParseStoreCode(s string) (string, error) {
	s = strings.ToUpper(strings.TrimSpace(s))
	if s == "" || len(s) > 20 || s[0] == '-' {
		return "", Invalid("code", "storeCode.invalid")
	}
	for i := range len(s) {
		if c := s[i]; c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			return "", Invalid("code", "storeCode.invalid")
		}
	}
	if cards.Holds(s) {
		return "", Invalid("code", "field.cardNumber")
	}
	return s, nil
}

// The maximum length of what the service gives, in characters. It publishes none.
const (
	MaxOrderID    = 250
	MaxMerchantID = 250
)

// ParseMerchantID accepts the service's storeId: any text of one line. The service
// publishes no rule for it.
func ParseMerchantID(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" || utf8.RuneCountInString(s) > MaxMerchantID || !utf8.ValidString(s) || strings.ContainsFunc(s, Invisible) {
		return "", Invalid("merchantId", "merchantId.invalid")
	}
	if cards.InReference(s, time.Time{}) {
		return "", Invalid("merchantId", "field.cardNumber")
	}
	return s, nil
}

// ofThisMachine are names beside those of the time zone database: this machine's own zone,
// and copies that count leap seconds or that the next machine and PostgreSQL may not have.
var ofThisMachine = regexp.MustCompile(`^(|Local|localtime|posixrules|Factory|(right|posix)/.*)$`)

// ParseTimeZone accepts a name of the time zone database.
func ParseTimeZone(s string) (string, error) {
	s = strings.TrimSpace(s)
	if ofThisMachine.MatchString(s) {
		return "", Invalid("timeZone", "timeZone.invalid")
	}
	if _, err := time.LoadLocation(s); err != nil {
		return "", Invalid("timeZone", "timeZone.invalid")
	}
	return s, nil
}

// ParseEmail accepts an email address as a sign-in name, in lower case. Whether the
// address exists is not checked. One with a card number in it is none: it would stand in
// the trail.
func ParseEmail(s string) (string, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	local, domain, ok := strings.Cut(s, "@")
	bad := func(r rune) bool { return unicode.IsSpace(r) || Invisible(r) || r == '@' }
	if !ok || local == "" || domain == "" || len(s) > 120 || !utf8.ValidString(s) ||
		strings.ContainsFunc(local, bad) || strings.ContainsFunc(domain, bad) || cards.Holds(s) {
		return "", Invalid("email", "email.invalid")
	}
	return s, nil
}

// ParseRole accepts a role that a person can have.
func ParseRole(s string) (Role, error) {
	if slices.Contains(Roles, Role(s)) {
		return Role(s), nil
	}
	return "", Invalid("role", "role.invalid")
}

// Invisible reports whether a character cannot be seen: control characters, and
// those that only format or separate, such as zero-width characters and changes of
// direction; letters and signs that fonts leave blank.
func Invisible(r rune) bool {
	const blankBraille = '\u2800'
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point) || r == blankBraille
}

// strayVariation reports whether a variation selector follows anything but a symbol, as one
// follows ❤ on phones: there it cannot be seen, and two names would look the same.
func strayVariation(s string) bool {
	var before rune
	for _, r := range s {
		if unicode.Is(unicode.Variation_Selector, r) && !unicode.IsSymbol(before) {
			return true
		}
		before = r
	}
	return false
}

func IsLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// oddLength is how long an order number or a storeId may be before it looks odd.
// Those that were seen have about 25 characters.
const oddLength = 60

// OddIdentifier reports whether an order number or a storeId looks odd: very long, or
// with characters other than letters, digits and a few signs. The service publishes no
// rule for either, so nothing is refused for it: it is shown to whoever can compare it.
func OddIdentifier(s string) bool {
	return len(s) > oddLength || strings.ContainsFunc(s, func(r rune) bool {
		plain := r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		return !plain && !strings.ContainsRune("-_./:# ", r)
	})
}
