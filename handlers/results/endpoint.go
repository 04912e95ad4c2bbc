package results

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
)

// Receiver stores a post and applies it.
type Receiver interface {
	Receive(ctx context.Context, p models.Post) error
}

// maxBody is the largest post that is read; real ones are about two kilobytes.
const maxBody = 64 << 10

// forwardedBy is the header of a forwarded post. Such a post is stored like any
// other and not forwarded again: otherwise two results endpoints that forward to
// each other would loop.
const forwardedBy = "X-Veinte-Delivery"

// received is the reply that a terminal expects; without it, it shows its user an
// error.
var received = fiber.Map{"code": "00", "message": "Recibido"}

// Handler handles POST /results/:secret. The secret is the only proof that a
// terminal posts, because results have no signature. A wrong secret gets the same
// response as a page that does not exist.
//
// Every post gets 200 and 00, also unknown, duplicate, test and unreadable ones.
// Only a post that could not be stored gets 503, so that the terminal offers its
// user to send it again and no result is lost.
func Handler(secret string, r Receiver, clock models.Clock, log *slog.Logger) fiber.Handler {
	want := sha256.Sum256([]byte(secret))
	return func(c *fiber.Ctx) error {
		got := sha256.Sum256([]byte(c.Params("secret")))
		if secret == "" || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			return fiber.ErrNotFound
		}
		post := models.Post{Kind: models.ResultUnreadable}
		// The body as received: c.Body would first inflate a compressed body, which
		// could make a few kilobytes a thousand times larger.
		if body := c.BodyRaw(); len(body) <= maxBody {
			post = Read(body, clock.Now())
			if c.Get(fiber.HeaderContentEncoding) == "" { // else an id of ours in it cannot be seen
				post.Raw, post.ContentType = Forwardable(body), c.Get(fiber.HeaderContentType)
			}
		}
		post.Address, post.Forwarded = c.IP(), c.Get(forwardedBy) != ""
		if err := r.Receive(c.UserContext(), post); err != nil {
			log.ErrorContext(c.UserContext(), "result not stored", "error", err)
			return c.Status(fiber.StatusServiceUnavailable).
				JSON(fiber.Map{"code": "99", "message": "No se pudo guardar. Reintenta."})
		}
		return c.JSON(received)
	}
}
