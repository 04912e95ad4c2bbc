package cancelapi

import (
	"log/slog"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const mask = "***"

// minSecret is the shortest secret that is masked. Masking a shorter one would
// damage every word that contains it, and reveal it by the gaps.
const minSecret = 4

var (
	bearer = regexp.MustCompile(`(?i)\bbearer\s+\S+`)

	// secretLike is any long run of the characters of tokens, keys and base64,
	// and so each part of a JWT. It sometimes matches an order number or a path
	// too, which does less harm than a leaked secret.
	secretLike = regexp.MustCompile(`[A-Za-z0-9+/_=-]{21,}`)
)

// clean makes foreign text fit to store, log and show: one line without control or
// invisible characters, with the given secrets and whatever looks like a secret
// masked, and at most limit characters long. An invalid_token response is known to
// quote the token.
func clean(text string, limit int, secrets ...string) string {
	// Masking comes after stripping, so that no invisible character can split a
	// secret, and before cutting, so that no part of one remains.
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

// printable returns letters, marks, digits, punctuation and symbols as they are and
// white space as a blank, and drops the rest.
func printable(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case !unicode.IsPrint(r):
		return -1
	}
	return r
}

// unprinted hides the struct that embeds it from %v, %#v and structured logs.
type unprinted struct{}

func (unprinted) String() string       { return mask }
func (unprinted) GoString() string     { return mask }
func (unprinted) LogValue() slog.Value { return slog.StringValue(mask) }
