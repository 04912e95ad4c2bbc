package entrance

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/entrance"
	entranceview "veinte/views/entrance"
)

// own is what people need of the accounts for their own.
type own interface {
	SessionsOf(ctx context.Context, actor models.Actor, userID int64) ([]entrance.OpenSession, error)
	EndOwnSession(ctx context.Context, actor models.Actor, id int64) error
}

// ShowAccount handles GET /account.
func (h *Handlers) ShowAccount(c *fiber.Ctx) error {
	who := kit.Actor(c)
	open, err := h.Entrance.SessionsOf(c.UserContext(), who, who.UserID)
	if err != nil {
		return err
	}
	v := &entranceview.AccountView{Page: h.Page(c), Sessions: kit.SessionLines(open, who.Session.ID)}
	return kit.Render(c, fiber.StatusOK, entranceview.Account(v))
}

// EndSession handles POST /account/sessions: one of the person's other sessions, or all.
func (h *Handlers) EndSession(c *fiber.Ctx) error {
	id, err := kit.SessionID(c)
	if err != nil {
		return err
	}
	err = h.Entrance.EndOwnSession(c.UserContext(), kit.Actor(c), id)
	return h.FinishAt(c, err, "/account", "flash.sessionsEnded")
}
