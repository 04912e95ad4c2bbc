package kit

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// TestFewLargeBodiesAreReadAtOnce: whoever sends them; what a form or a terminal sends is
// read beside them, and one that waited for too long may come again.
func TestFewLargeBodiesAreReadAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &Kit{large: make(chan struct{}, 1)}
		app := fiber.New()
		for _, tt := range []struct {
			fact  string
			taken bool // others have every place
			size  int
			limit int
			want  error
		}{
			{"a form", true, maxForm, MaxRequest, nil},
			{"a large body beside others", true, maxForm + 1, MaxRequest, fiber.ErrServiceUnavailable},
			{"a large body alone", false, maxForm + 1, MaxRequest, nil},
			{"the largest", false, MaxRequest, MaxRequest, nil},
			{"one byte more", false, MaxRequest + 1, MaxRequest, fiber.ErrRequestEntityTooLarge},
			{"a form that is too large", true, maxForm + 1, maxForm, fiber.ErrRequestEntityTooLarge},
		} {
			c := app.AcquireCtx(&fasthttp.RequestCtx{})
			if tt.taken {
				k.large <- struct{}{}
			}
			sent := bytes.Repeat([]byte("x"), tt.size)
			body, err := k.readBody(c, bytes.NewReader(sent), tt.limit)
			if !errors.Is(err, tt.want) || err == nil && !bytes.Equal(body, sent) {
				t.Errorf("%s: readBody() = %d bytes, %v, want %v", tt.fact, len(body), err, tt.want)
			}
			if again := string(c.Response().Header.Peek(fiber.HeaderRetryAfter)); (again == "5") != (tt.want == fiber.ErrServiceUnavailable) {
				t.Errorf("%s: Retry-After is %q", tt.fact, again)
			}
			if tt.taken {
				<-k.large
			}
			if len(k.large) > 0 {
				t.Fatalf("%s: the place was not given back", tt.fact)
			}
			app.ReleaseCtx(c)
		}
	})
}
