package kit

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"veinte/models"
	"veinte/models/entrance"
	"veinte/views/locale"
)

// Shed refuses those who sign in while there is no place for them, before anything else is
// done: thousands at once cost no more than the reading of their requests. pages reports
// whether one more may get a page. The others get a few words, and their connections end.
func (k *Kit) Shed(app fasthttp.RequestHandler, pages func() bool) fasthttp.RequestHandler {
	return func(c *fasthttp.RequestCtx) {
		if !signsIn(c) || pages() || !k.turnedAway(c) {
			app(c)
			return
		}
		ctx := locale.With(context.Background(), string(c.Request.Header.Cookie(k.sent(LanguageCookie))))
		k.SetHeaders(&c.Response.Header)
		c.Response.Header.Set(fasthttp.HeaderContentLanguage, locale.Of(ctx))
		c.Response.Header.Set(fasthttp.HeaderRetryAfter, strconv.Itoa(int(entrance.SignInRetry.Seconds())))
		c.SetContentType("text/plain; charset=utf-8")
		c.SetStatusCode(fasthttp.StatusServiceUnavailable)
		c.SetBodyString(locale.T(ctx, entrance.ErrSignInBusy.Code) + "\n")
		c.SetConnectionClose()
	}
}

// signsIn reports whether it is a form of the sign-in page. A head that could be read in
// two ways is refused elsewhere.
func signsIn(c *fasthttp.RequestCtx) bool {
	return c.IsPost() && strings.TrimSuffix(string(c.Path()), "/") == "/login" &&
		len(c.Request.Header.Peek(framingMark)) == 0 && len(c.Request.Header.Peek(tooLargeMark)) == 0
}

func (k *Kit) turnedAway(c *fasthttp.RequestCtx) bool {
	from := models.Actor{UserAgent: string(c.UserAgent()), RequestID: requestID()}
	err := k.TurnAway(context.Background(), from, string(c.Request.Header.Cookie(k.sent(DeviceCookie))))
	return errors.Is(err, entrance.ErrSignInBusy)
}
