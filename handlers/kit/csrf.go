package kit

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"

	"github.com/gofiber/fiber/v2"
)

// csrf returns the token for the forms of this response. It is derived from the
// session's secret, so it is not stored, and every tab has the same one.
func (k *Kit) csrf(c *fiber.Ctx) string {
	if token := ReaderOf(c).Token; token != "" {
		return csrfFrom(token)
	}
	visit := c.Cookies(VisitCookie)
	if visit == "" || len(visit) > 100 {
		visit = rand.Text()
		c.Cookie(k.Cookie(VisitCookie, visit, 0))
	}
	return csrfFrom(visit)
}

func csrfFrom(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("veinte form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
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

// CheckToken refuses a form without its token.
func CheckToken(c *fiber.Ctx, token string) error {
	secret := ReaderOf(c).Token
	if secret == "" {
		secret = c.Cookies(VisitCookie)
	}
	if secret == "" || !hmac.Equal([]byte(csrfFrom(secret)), []byte(token)) {
		return errOldForm
	}
	return nil
}

// Cookie makes a cookie that scripts cannot read and other sites cannot send. Zero
// seconds: until the browser closes; below zero: deleted.
func (k *Kit) Cookie(name, value string, seconds int) *fiber.Cookie {
	return &fiber.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: seconds, SessionOnly: seconds == 0,
		HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, Secure: k.SecureCookies,
	}
}
