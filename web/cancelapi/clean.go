package cancelapi

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const mask = "***"

// minSecret is the shortest secret that is masked. To mask a shorter one would
// spoil every word that has it, and show by the gaps what it is.
const minSecret = 4

var (
	bearer = regexp.MustCompile(`(?i)\bbearer\s+\S+`)

	// secretLike is any long run of what tokens, keys and base64 are made of, and
	// so each part of a JWT. It takes an order number or a path with it now and
	// then, which is the cheaper mistake.
	secretLike = regexp.MustCompile(`[A-Za-z0-9+/_=-]{21,}`)
)

// clean makes words from outside fit to store, log and show: one line without
// control or invisible characters, the given secrets and whatever looks like a
// secret masked, and at most limit characters. An invalid_token answer is known
// to quote the token.
func clean(text string, limit int, secrets ...string) string {
	// Masking comes after stripping, so that no invisible character can break a
	// secret in two, and before cutting, so that no end of one stays.
	text = strings.TrimSpace(strings.Map(printable, strings.ToValidUTF8(text, "")))
	for _, secret := range secrets {
		if len(secret) >= minSecret {
			text = strings.ReplaceAll(text, secret, mask)
		}
	}
	text = bearer.ReplaceAllString(text, "Bearer "+mask)
	text = secretLike.ReplaceAllString(text, mask)
	if utf8.RuneCountInString(text) > limit {
		text = string([]rune(text)[:limit])
	}
	return text
}

// printable keeps letters, marks, digits, punctuation and symbols; white space
// becomes a blank, the rest goes.
func printable(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case !unicode.IsPrint(r):
		return -1
	}
	return r
}
