package handlers

import (
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
)

// strangers writes down who comes to the terminals' door without the secret.
type strangers interface {
	RefusedResult(ctx context.Context, actor models.Actor) error
}

// result answers POST /results/:secret. That somebody came without the
// secret is in the trail.
func (h *Handlers) result(c *fiber.Ctx) error {
	err := h.takeResult(c)
	if errors.Is(err, fiber.ErrNotFound) {
		if failed := h.strangers.RefusedResult(c.UserContext(), kit.Actor(c)); failed != nil {
			return failed
		}
	}
	return err
}
