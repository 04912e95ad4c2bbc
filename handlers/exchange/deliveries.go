package exchange

import (
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
func (h *Handlers) PauseEndpoint(c *fiber.Ctx) error {
	return h.actOnEndpoint(c, "flash.endpointPaused", func(id int64, version int) error {
		return h.Webhooks.PauseEndpoint(c.UserContext(), kit.Actor(c), id, version)
	})
}

// ResumeEndpoint handles POST /endpoints/:id/resumption.
func (h *Handlers) ResumeEndpoint(c *fiber.Ctx) error {
	return h.actOnEndpoint(c, "flash.endpointResumed", func(id int64, version int) error {
		return h.Webhooks.ResumeEndpoint(c.UserContext(), kit.Actor(c), id, version)
	})
}

// RetireEndpoint handles POST /endpoints/:id/retirement.
func (h *Handlers) RetireEndpoint(c *fiber.Ctx) error {
	return h.actOnEndpoint(c, "flash.endpointRetired", func(id int64, version int) error {
		return h.Webhooks.RetireEndpoint(c.UserContext(), kit.Actor(c), id, version)
	})
}

// actOnEndpoint changes an endpoint and goes back to it; a refusal is shown
// there.
func (h *Handlers) actOnEndpoint(c *fiber.Ctx, done string, act func(id int64, version int) error) error {
	id, err := kit.ParamID(c)
	if err != nil {
		return err
	}
	return h.Change(c, kit.ChangeForm{
		Change: func(version int) error { return act(id, version) },
		To:     endpointPath(id), Flash: done,
		Again: func(status int, errs ui.Errors) error { return h.endpointPage(c, status, "", errs) },
	})
}

// RotateSecret handles POST /endpoints/:id/secret with the new secret, which is
// shown only once. A repeated form has an old version and is refused.
func (h *Handlers) RotateSecret(c *fiber.Ctx) error {
	id, version, err := kit.Versioned(c)
	if err != nil {
		return err
	}
	secret, err := h.Webhooks.RotateSecret(c.UserContext(), kit.Actor(c), id, version)
	if errs, status, ok := kit.Refused(err); ok {
		return kit.ShownIn(err, h.endpointPage(c, status, "", errs))
	}
	if err != nil {
		return err
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
func (h *Handlers) TestEndpoint(c *fiber.Ctx) error {
	id, err := kit.ParamID(c)
	if err != nil {
		return err
	}
	delivery, err := h.Webhooks.SendTest(c.UserContext(), kit.Actor(c), id)
	if errs, status, ok := kit.Refused(err); ok {
		return kit.ShownIn(err, h.endpointPage(c, status, "", errs))
	}
	if err != nil {
		return err
	}
	return h.Done(c, deliveryPath(delivery), "flash.testSent")
}

// RedeliverFailed handles POST /endpoints/:id/redelivery.
func (h *Handlers) RedeliverFailed(c *fiber.Ctx) error {
	id, err := kit.ParamID(c)
	if err != nil {
		return err
	}
	day, err := models.ParseDay(c.FormValue("since"))
	if err != nil {
		return h.endpointPage(c, fiber.StatusUnprocessableEntity, "", ui.Errors{"since": "date.invalid"})
	}
	since := day.Time(h.Window().Calendar.Zone())
	n, err := h.Webhooks.RedeliverFailed(c.UserContext(), kit.Actor(c), id, since)
	if errs, status, ok := kit.Refused(err); ok {
		return kit.ShownIn(err, h.endpointPage(c, status, day, errs))
	}
	if err != nil {
		return err
	}
	if n == 0 {
		return h.RedirectWith(c, endpointPath(id), ui.FlashNotice, "flash.nothingFailed")
	}
	return h.Done(c, endpointPath(id)+"?state="+string(webhooks.Waiting), "flash.redelivered")
}

func deliveryPath(id int64) string { return fmt.Sprintf("/deliveries/%d", id) }

// ShowDelivery handles GET /deliveries/:id.
func (h *Handlers) ShowDelivery(c *fiber.Ctx) error {
	return h.deliveryPage(c, fiber.StatusOK, nil)
}

func (h *Handlers) deliveryPage(c *fiber.Ctx, status int, errs ui.Errors) error {
	id, err := kit.ParamID(c)
	if err != nil {
		return err
	}
	detail, err := h.Webhooks.DeliveryHistory(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	return kit.Render(c, status, exchangeview.Delivery(&exchangeview.DeliveryView{Page: h.Page(c), Story: *detail, Errors: errs}))
}

// Redeliver handles POST /deliveries/:id/redelivery.
func (h *Handlers) Redeliver(c *fiber.Ctx) error {
	return h.actOnDelivery(c, "flash.redelivered", func(id int64) error {
		return h.Webhooks.Redeliver(c.UserContext(), kit.Actor(c), id)
	})
}

// SetDeliveryAside handles POST /deliveries/:id/setting-aside.
func (h *Handlers) SetDeliveryAside(c *fiber.Ctx) error {
	return h.actOnDelivery(c, "flash.setAside", func(id int64) error {
		return h.Webhooks.SetAside(c.UserContext(), kit.Actor(c), id)
	})
}

func (h *Handlers) actOnDelivery(c *fiber.Ctx, done string, act func(id int64) error) error {
	id, err := kit.ParamID(c)
	if err != nil {
		return err
	}
	err = act(id)
	var known *models.Error
	if errors.As(err, &known) && known.Kind == models.KindConflict {
		return kit.ShownIn(err, h.deliveryPage(c, fiber.StatusConflict, ui.Errors{known.Field: known.Code}))
	}
	if err != nil {
		return err
	}
	return h.Done(c, deliveryPath(id), done)
}
