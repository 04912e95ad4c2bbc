package exchange

import (
	"context"
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/webhooks"
	exchangeview "veinte/views/exchange"
	"veinte/views/ui"
)

// PauseEndpoint handles POST /endpoints/:id/pause.
func (h *Handlers) PauseEndpoint(c *fiber.Ctx, id int64) error {
	return h.actOnEndpoint(c, id, "flash.endpointPaused", h.Webhooks.PauseEndpoint)
}

// ResumeEndpoint handles POST /endpoints/:id/resumption.
func (h *Handlers) ResumeEndpoint(c *fiber.Ctx, id int64) error {
	return h.actOnEndpoint(c, id, "flash.endpointResumed", h.Webhooks.ResumeEndpoint)
}

// SetRelayBody handles POST /endpoints/:id/body.
func (h *Handlers) SetRelayBody(c *fiber.Ctx, id int64) error {
	to := webhooks.RelayBody(c.FormValue("body"))
	return h.actOnEndpoint(c, id, "flash.saved", func(ctx context.Context, actor models.Actor, id int64, version int) error {
		return h.Webhooks.SetRelayBody(ctx, actor, id, version, to)
	})
}

// RetireEndpoint handles POST /endpoints/:id/retirement.
func (h *Handlers) RetireEndpoint(c *fiber.Ctx, id int64) error {
	return h.actOnEndpoint(c, id, "flash.endpointRetired", h.Webhooks.RetireEndpoint)
}

// actOnEndpoint changes an endpoint and goes back to it; a refusal is shown
// there.
func (h *Handlers) actOnEndpoint(c *fiber.Ctx, id int64, done string, act kit.ChangeByID) error {
	return h.Change(c, act.At(c, id), endpointPath(id), done, h.showEndpoint(c, id))
}

// showEndpoint shows a refusal on the endpoint's page.
func (h *Handlers) showEndpoint(c *fiber.Ctx, id int64) kit.Again {
	return func(status int, errs ui.Errors) error { return h.endpointPage(c, id, status, "", errs) }
}

// RotateSecret handles POST /endpoints/:id/secret with the new secret, which is
// shown only once. A repeated form has an old version and is refused.
func (h *Handlers) RotateSecret(c *fiber.Ctx, id int64) error {
	version, err := kit.FormVersion(c)
	if err != nil {
		return err
	}
	secret, err := h.Webhooks.RotateSecret(c.UserContext(), kit.Actor(c), id, version)
	if err != nil {
		return kit.ShowAgain(err, h.showEndpoint(c, id))
	}
	e, err := h.Webhooks.Endpoint(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusCreated, exchangeview.EndpointSecret(&exchangeview.EndpointSecretView{
		Page: h.Page(c), Endpoint: e.Endpoint, Secret: secret, Rotated: true,
	}))
}

// TestEndpoint handles POST /endpoints/:id/test and shows the delivery, where the
// response will appear.
func (h *Handlers) TestEndpoint(c *fiber.Ctx, id int64) error {
	delivery, err := h.Webhooks.SendTest(c.UserContext(), kit.Actor(c), id)
	return h.Finish(c, err, deliveryPath(delivery), "flash.testSent", h.showEndpoint(c, id))
}

// RedeliverFailed handles POST /endpoints/:id/redelivery.
func (h *Handlers) RedeliverFailed(c *fiber.Ctx, id int64) error {
	day, err := models.ParseDay(c.FormValue("since"))
	if err != nil {
		return h.endpointPage(c, id, fiber.StatusUnprocessableEntity, "", ui.Errors{"since": "date.invalid"})
	}
	since := day.Time(h.Window().Calendar.Zone())
	n, err := h.Webhooks.RedeliverFailed(c.UserContext(), kit.Actor(c), id, since)
	if err == nil && n == 0 {
		return h.RedirectWith(c, endpointPath(id), ui.FlashNotice, "flash.nothingFailed")
	}
	to := endpointPath(id) + "?state=" + string(webhooks.Waiting)
	return h.Finish(c, err, to, "flash.redelivered", func(status int, errs ui.Errors) error {
		return h.endpointPage(c, id, status, day, errs)
	})
}

func deliveryPath(id int64) string { return fmt.Sprintf("/deliveries/%d", id) }

// ShowDelivery handles GET /deliveries/:id.
func (h *Handlers) ShowDelivery(c *fiber.Ctx, id int64) error {
	return h.deliveryPage(c, id, fiber.StatusOK, nil)
}

func (h *Handlers) deliveryPage(c *fiber.Ctx, id int64, status int, errs ui.Errors) error {
	detail, err := h.Webhooks.DeliveryHistory(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	return kit.Render(c, status, exchangeview.Delivery(&exchangeview.DeliveryView{Page: h.Page(c), History: *detail, Errors: errs}))
}

// Redeliver handles POST /deliveries/:id/redelivery.
func (h *Handlers) Redeliver(c *fiber.Ctx, id int64) error {
	return h.deliveryChanged(c, id, "flash.redelivered", h.Webhooks.Redeliver(c.UserContext(), kit.Actor(c), id))
}

// SetDeliveryAside handles POST /deliveries/:id/setting-aside.
func (h *Handlers) SetDeliveryAside(c *fiber.Ctx, id int64) error {
	return h.deliveryChanged(c, id, "flash.setAside", h.Webhooks.SetAside(c.UserContext(), kit.Actor(c), id))
}

// deliveryChanged shows a delivery after an act, and on its page why the act conflicts
// with what is there.
func (h *Handlers) deliveryChanged(c *fiber.Ctx, id int64, done string, err error) error {
	var known *models.Error
	if errors.As(err, &known) && known.Kind == models.KindConflict {
		return kit.ShownIn(err, h.deliveryPage(c, id, fiber.StatusConflict, ui.Errors{known.Field: known.Code}))
	}
	if err != nil {
		return err
	}
	return h.Done(c, deliveryPath(id), done)
}
