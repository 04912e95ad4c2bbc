package kit

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// csrf returns the token for the forms of this response. It is derived from the
// session's secret, so it is not stored, and a token of any tab opens the forms of all.
func (k *Kit) csrf(c *fiber.Ctx) string {
	if token := ReaderOf(c).Token; token != "" {
		return masked(csrfFrom(token))
	}
	visit := c.Cookies(VisitCookie)
	if visit == "" || len(visit) > 100 {
		visit = rand.Text()
		c.Cookie(k.Cookie(VisitCookie, visit, 0))
	}
	return masked(csrfFrom(visit))
}

func csrfFrom(secret string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("veinte form"))
	return mac.Sum(nil)
}

// masked writes a token otherwise in every response. Responses are compressed: whoever
// sees only their lengths, and has text of their own put into them, would learn one that
// stays the same (BREACH).
func masked(token []byte) string {
	both := make([]byte, 2*len(token))
	mask, hidden := both[:len(token)], both[len(token):]
	rand.Read(mask)
	subtle.XORBytes(hidden, token, mask)
	return base64.RawURLEncoding.EncodeToString(both)
}

// unmasked is the token that masked has written; nil of anything else.
func unmasked(text string) []byte {
	both, err := base64.RawURLEncoding.DecodeString(text)
	switch {
	case err == nil && len(both) == sha256.Size:
		return both // of a page that the release before has drawn: it did not mask
	case err != nil || len(both) != 2*sha256.Size:
		return nil
	}
	token := make([]byte, sha256.Size)
	subtle.XORBytes(token, both[:sha256.Size], both[sha256.Size:])
	return token
}

// checkOrigin refuses a form that another site sent. It checks the browser's origin
// headers and the form's own token.
func (k *Kit) checkOrigin(c *fiber.Ctx) error {
	r := &http.Request{
		Method: c.Method(), Host: string(c.Request().Host()), URL: &url.URL{Path: c.Path()},
		Header: http.Header{"Sec-Fetch-Site": {c.Get("Sec-Fetch-Site")}, "Origin": {c.Get("Origin")}},
	}
	if err := k.origins.Check(r); err != nil {
		return errCSRF
	}
	if IsUpload(c) {
		return nil // its token is in the body, which nobody has read so far
	}
	return CheckToken(c, c.FormValue("csrf"))
}

// foreign reports whether a page of another site made the browser ask, as browsers say.
// A program and an address that was typed are not foreign.
func foreign(c *fiber.Ctx) bool {
	site := c.Get("Sec-Fetch-Site")
	return site == "cross-site" || site == "same-site"
}

// followsLink reports whether the browser opens a page of its own with the answer.
func followsLink(c *fiber.Ctx) bool {
	return c.Get("Sec-Fetch-Mode") == "navigate" && c.Get("Sec-Fetch-Dest") == "document"
}

// FromHere lets only our own pages, and people themselves, ask for what costs much or
// leaves an entry of an export: a link elsewhere could have a thousand made.
func FromHere(next fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if foreign(c) {
			return errOtherSite
		}
		return next(c)
	}
}

// CheckToken refuses a form without its token.
func CheckToken(c *fiber.Ctx, token string) error {
	secret := ReaderOf(c).Token
	if secret == "" {
		secret = c.Cookies(VisitCookie)
	}
	if secret == "" || !hmac.Equal(csrfFrom(secret), unmasked(token)) {
		return errOldForm
	}
	return nil
}

// hostOnly begins the names of our cookies behind https. Browsers take such names from this
// host alone, by https and for all its paths: a sister site, or somebody on the way, gives
// nobody a session of their own.
const (
	hostOnly = "__Host-"
	ours     = "veinte_"
)

// hostCookies has those of our cookies count that have the prefix, by their names without
// it, and no others.
func (k *Kit) hostCookies(h *fasthttp.RequestHeader) {
	if !k.SecureCookies {
		return
	}
	given := map[string]string{} // by their names without the prefix; "" for those that do not count
	for key, value := range h.Cookies() {
		name, prefixed := strings.CutPrefix(string(key), hostOnly)
		switch {
		case !strings.HasPrefix(name, ours):
		case prefixed:
			given[name] = string(value)
		case given[name] == "":
			given[name] = ""
		}
	}
	for name, value := range given {
		h.DelCookie(name)
		if value != "" {
			h.SetCookie(name, value)
		}
	}
}

// sent is the name by which browsers send a cookie of ours.
func (k *Kit) sent(name string) string {
	if k.SecureCookies {
		return hostOnly + name
	}
	return name
}

// Cookie makes a cookie that scripts cannot read and other sites cannot send. Zero
// seconds: until the browser closes; below zero: deleted.
func (k *Kit) Cookie(name, value string, seconds int) *fiber.Cookie {
	return &fiber.Cookie{
		Name: k.sent(name), Value: value, Path: "/", MaxAge: seconds, SessionOnly: seconds == 0,
		HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, Secure: k.SecureCookies,
	}
}
