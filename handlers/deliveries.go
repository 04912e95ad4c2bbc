package handlers

import (
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/webhooks"
	exchangeview "veinte/views/exchange"
	"veinte/views/ui"
)

// pauseEndpoint answers POST /endpoints/:id/pause.
func (h *Handlers) pauseEndpoint(c *fiber.Ctx) error {
	return h.actOnEndpoint(c, "flash.endpointPaused", func(id int64, version int) error {
		return h.Webhooks.PauseEndpoint(c.UserContext(), actor(c), id, version)
	})
}

// resumeEndpoint answers POST /endpoints/:id/resumption.
func (h *Handlers) resumeEndpoint(c *fiber.Ctx) error {
	return h.actOnEndpoint(c, "flash.endpointResumed", func(id int64, version int) error {
		return h.Webhooks.ResumeEndpoint(c.UserContext(), actor(c), id, version)
	})
}

// retireEndpoint answers POST /endpoints/:id/retirement.
func (h *Handlers) retireEndpoint(c *fiber.Ctx) error {
	return h.actOnEndpoint(c, "flash.endpointRetired", func(id int64, version int) error {
		return h.Webhooks.RetireEndpoint(c.UserContext(), actor(c), id, version)
	})
}

// actOnEndpoint changes an endpoint and goes back to it; a refusal is shown
// there.
func (h *Handlers) actOnEndpoint(c *fiber.Ctx, done string, act func(id int64, version int) error) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	version, err := formVersion(c)
	if err != nil {
		return err
	}
	err = act(id, version)
	if errs, status, ok := refused(err); ok {
		return shownIn(err, h.endpointPage(c, status, "", errs))
	}
	if err != nil {
		return err
	}
	return h.done(c, endpointPath(id), done)
}

// rotateSecret answers POST /endpoints/:id/secret with the new one, which is
// shown only this once. Sent twice, the second is of a version that is over.
func (h *Handlers) rotateSecret(c *fiber.Ctx) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	version, err := formVersion(c)
	if err != nil {
		return err
	}
	secret, err := h.Webhooks.RotateSecret(c.UserContext(), actor(c), id, version)
	if errs, status, ok := refused(err); ok {
		return shownIn(err, h.endpointPage(c, status, "", errs))
	}
	if err != nil {
		return err
	}
	e, err := h.Webhooks.Endpoint(c.UserContext(), actor(c), id)
	if err != nil {
		return err
	}
	return render(c, fiber.StatusCreated, exchangeview.EndpointSecret(&exchangeview.EndpointSecretView{
		Page: h.page(c), Endpoint: e.Endpoint, Secret: secret, Rotated: true,
	}))
}

// testEndpoint answers POST /endpoints/:id/test and shows the delivery, where
// the answer will be.
func (h *Handlers) testEndpoint(c *fiber.Ctx) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	delivery, err := h.Webhooks.SendTest(c.UserContext(), actor(c), id)
	if errs, status, ok := refused(err); ok {
		return shownIn(err, h.endpointPage(c, status, "", errs))
	}
	if err != nil {
		return err
	}
	return h.done(c, deliveryPath(delivery), "flash.testSent")
}

// redeliverFailed answers POST /endpoints/:id/redelivery.
func (h *Handlers) redeliverFailed(c *fiber.Ctx) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	day, err := models.ParseDay(c.FormValue("since"))
	if err != nil {
		return h.endpointPage(c, fiber.StatusUnprocessableEntity, "", ui.Errors{"since": "date.invalid"})
	}
	since := day.Time(h.Rules.Window().Calendar.Zone())
	n, err := h.Webhooks.RedeliverFailed(c.UserContext(), actor(c), id, since)
	if errs, status, ok := refused(err); ok {
		return shownIn(err, h.endpointPage(c, status, day, errs))
	}
	if err != nil {
		return err
	}
	if n == 0 {
		return h.redirectWith(c, endpointPath(id), ui.FlashNotice, "flash.nothingFailed")
	}
	return h.done(c, endpointPath(id)+"?state="+string(webhooks.Waiting), "flash.redelivered")
}

func deliveryPath(id int64) string { return fmt.Sprintf("/deliveries/%d", id) }

// showDelivery answers GET /deliveries/:id.
func (h *Handlers) showDelivery(c *fiber.Ctx) error {
	return h.deliveryPage(c, fiber.StatusOK, nil)
}

func (h *Handlers) deliveryPage(c *fiber.Ctx, status int, errs ui.Errors) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	story, err := h.Webhooks.DeliveryHistory(c.UserContext(), actor(c), id)
	if err != nil {
		return err
	}
	return render(c, status, exchangeview.Delivery(&exchangeview.DeliveryView{Page: h.page(c), Story: *story, Errors: errs}))
}

// redeliver answers POST /deliveries/:id/redelivery.
func (h *Handlers) redeliver(c *fiber.Ctx) error {
	return h.actOnDelivery(c, "flash.redelivered", func(id int64) error {
		return h.Webhooks.Redeliver(c.UserContext(), actor(c), id)
	})
}

// setDeliveryAside answers POST /deliveries/:id/setting-aside.
func (h *Handlers) setDeliveryAside(c *fiber.Ctx) error {
	return h.actOnDelivery(c, "flash.setAside", func(id int64) error {
		return h.Webhooks.SetAside(c.UserContext(), actor(c), id)
	})
}

func (h *Handlers) actOnDelivery(c *fiber.Ctx, done string, act func(id int64) error) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	err = act(id)
	var known *models.Error
	if errors.As(err, &known) && known.Kind == models.KindConflict {
		return shownIn(err, h.deliveryPage(c, statuses[known.Kind], ui.Errors{known.Field: known.Code}))
	}
	if err != nil {
		return err
	}
	return h.done(c, deliveryPath(id), done)
}
