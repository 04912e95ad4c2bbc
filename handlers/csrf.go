package handlers

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"

	"github.com/gofiber/fiber/v2"
)

// visitCookie stands in for the session before there is one, so that the
// sign-in form has a token too.
const visitCookie = "veinte_visit"

// csrf returns the token for the forms of this answer. It follows from the
// session's secret, so nothing is stored and every tab has the same.
func (h *Handlers) csrf(c *fiber.Ctx) string {
	if token := readerOf(c).token; token != "" {
		return csrfFrom(token)
	}
	visit := c.Cookies(visitCookie)
	if visit == "" || len(visit) > 100 {
		var raw [16]byte
		_, _ = rand.Read(raw[:])
		visit = base64.RawURLEncoding.EncodeToString(raw[:])
		c.Cookie(h.cookie(visitCookie, visit, 0))
	}
	return csrfFrom(visit)
}

func csrfFrom(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("veinte form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// checkOrigin refuses a form that another site sent, by what the browser says
// of its origin and by the form's own token.
func (h *Handlers) checkOrigin(c *fiber.Ctx) error {
	r := &http.Request{
		Method: c.Method(), Host: string(c.Request().Host()), URL: &url.URL{Path: c.Path()},
		Header: http.Header{"Sec-Fetch-Site": {c.Get("Sec-Fetch-Site")}, "Origin": {c.Get("Origin")}},
	}
	if err := h.origins.Check(r); err != nil {
		return errCSRF
	}
	if isUpload(c) {
		return nil // its token is in the body, which nobody has read so far
	}
	return checkToken(c, c.FormValue("csrf"))
}

// checkToken refuses a form without its token.
func checkToken(c *fiber.Ctx, token string) error {
	secret := readerOf(c).token
	if secret == "" {
		secret = c.Cookies(visitCookie)
	}
	if secret == "" || !hmac.Equal([]byte(csrfFrom(secret)), []byte(token)) {
		return errOldForm
	}
	return nil
}

// cookie makes a cookie that scripts cannot read and other sites cannot send.
// Zero seconds: until the browser closes; below zero: gone.
func (h *Handlers) cookie(name, value string, seconds int) *fiber.Cookie {
	return &fiber.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: seconds, SessionOnly: seconds == 0,
		HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, Secure: h.SecureCookies,
	}
}
