package results

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
)

// Receiver keeps a post and does what it says.
type Receiver interface {
	Receive(ctx context.Context, p models.Post) error
}

// maxBody is the largest post that is read; real ones are about two kilobytes.
const maxBody = 64 << 10

// forwardedBy is the header of what is forwarded. Such a post is kept like any
// other and not sent on again: a receiver that is a results door, ours or
// another's, would otherwise send each result round for ever.
const forwardedBy = "X-Veinte-Delivery"

// received is what a terminal must hear, or it shows its user an error.
var received = fiber.Map{"code": "00", "message": "Recibido"}

// Handler answers POST /results/:secret. The secret is all that tells a
// terminal from a stranger: results carry no signature. A wrong one is answered
// like a page that does not exist.
//
// Whatever a terminal posts is answered 200 and 00: unknown, duplicate, test and
// unreadable posts too. Only what could not be stored is answered 503, so that
// the terminal offers its user to send it again: nothing is lost in silence.
func Handler(secret string, r Receiver, log *slog.Logger) fiber.Handler {
	want := sha256.Sum256([]byte(secret))
	return func(c *fiber.Ctx) error {
		got := sha256.Sum256([]byte(c.Params("secret")))
		if secret == "" || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			return fiber.ErrNotFound
		}
		post := models.Post{Kind: models.ResultUnreadable}
		// The body as it came: c.Body would first inflate what is compressed, and
		// a few kilobytes can be a thousand times that.
		if body := c.BodyRaw(); len(body) <= maxBody {
			post = Read(body)
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
