package settings

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models/operations"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
)

const connectionPath = "/settings/connection"

// Connection is what the client of the service can report and test.
type Connection interface {
	TokenState() operations.TokenState
	ClockState() operations.ClockState
	// Probe tests the connection to the service. It cancels nothing.
	Probe(ctx context.Context) []operations.ProbeStep
}

// ShowConnection handles GET /settings/connection.
func (h *Handlers) ShowConnection(c *fiber.Ctx) error {
	return h.connectionPage(c, fiber.StatusOK, nil)
}

func (h *Handlers) connectionPage(c *fiber.Ctx, status int, errs ui.Errors) error {
	answers, err := h.Operations.ReplyCounts(c.UserContext(), kit.Actor(c))
	if err != nil {
		return err
	}
	test, err := h.Operations.LastConnectionTest(c.UserContext())
	if err != nil {
		return err
	}
	v := &settingsview.ConnectionView{
		Page: h.Page(c), Ahead: h.Operations.ClockAhead(), Inquiries: h.Cancellations.CanInquire(), Waits: h.Rules.Waits(),
		Shared: h.Shared, Setup: h.Setup, Test: test, Answers: answers,
		Token: h.Connection.TokenState(), Clock: h.Connection.ClockState(), Errors: errs,
	}
	if h.Differs != nil {
		v.Differs = h.Differs(v.Now)
	}
	return kit.Render(c, status, settingsview.Connection(v))
}

// TestConnection handles POST /settings/connection/test.
func (h *Handlers) TestConnection(c *fiber.Ctx) error {
	err := h.Operations.TestConnection(c.UserContext(), kit.Actor(c), h.Connection.Probe)
	return h.Finish(c, err, connectionPath, "flash.connectionTested", func(status int, errs ui.Errors) error {
		return h.connectionPage(c, status, errs)
	})
}
