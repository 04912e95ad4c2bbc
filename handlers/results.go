package handlers

import (
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
)

// strangers records posts to the results endpoint without its secret.
type strangers interface {
	RefusedResult(ctx context.Context, actor models.Actor) error
}

// result handles POST /results/:secret. A post with a wrong secret is recorded in
// the trail.
func (h *Handlers) result(c *fiber.Ctx) error {
	err := h.takeResult(c)
	if errors.Is(err, fiber.ErrNotFound) {
		if failed := h.strangers.RefusedResult(c.UserContext(), kit.Actor(c)); failed != nil {
			return failed
		}
	}
	return err
}
