package api

import (
	"crypto/sha256"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/api/headers"
	"veinte/models"
	"veinte/models/apikeys"
)

// idempotencyHeader names a request, so that its repeat is not another.
const idempotencyHeader = "Idempotency-Key"

// maxToken is how long such a name may be.
const maxToken = 255

// once runs an act that carries an Idempotency-Key, or repeats the stored response
// of the same request. Only a complete success is stored. A refusal changed nothing,
// so its repeat is checked again. When a partly refused batch is repeated, its
// recorded sales are already known.
func (a *API) once(c *call, act func()) error {
	name := c.Get(idempotencyHeader)
	// Printable text fits into a header.
	if len(name) > maxToken || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) {
		return a.invalid(c.Ctx, a.fieldError(c.Ctx, models.Invalid(idempotencyHeader, "idempotency.invalid"), "header", ""))
	}
	token := sha256.Sum256([]byte(name))
	h := sha256.New()
	h.Write([]byte(c.Method() + "\n" + c.OriginalURL() + "\n"))
	h.Write(c.BodyRaw())
	claim, stored, err := a.APIKeys.BeginIdempotent(c.UserContext(), c.actor, token, [32]byte(h.Sum(nil)))
	if err != nil {
		return err
	}
	if stored != nil {
		c.Set(replayed.Name, "true")
		c.Set(fiber.HeaderContentType, stored.ContentType)
		for name, value := range stored.Headers {
			c.Set(name, value)
		}
		return c.Status(stored.Status).Send(stored.Body)
	}
	done := false
	defer func() {
		if !done { // a panic is answered elsewhere
			claim.Release(c.UserContext())
		}
	}()
	before := headers.Own(c.Ctx)
	act()
	r := c.Response()
	if r.StatusCode() >= http.StatusMultipleChoices || c.leftOut {
		return nil
	}
	done = true
	err = claim.Store(c.UserContext(), apikeys.IdempotencyRecord{
		Status: r.StatusCode(), ContentType: string(r.Header.ContentType()), Body: r.Body(),
		Headers: headers.Repeatable(before, headers.Own(c.Ctx)),
	})
	if err != nil {
		// The act is done and its response is correct; a repeat will find it done.
		a.Logger.WarnContext(c.UserContext(), "response not stored", "request", c.actor.RequestID, "error", err)
	}
	return nil
}
