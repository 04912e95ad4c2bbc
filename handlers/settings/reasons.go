package settings

import (
	"context"
	"slices"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/rules"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
)

const reasonsPath = "/settings/reasons"

// ListReasons handles GET /settings/reasons.
func (h *Handlers) ListReasons(c *fiber.Ctx) error {
	return h.reasonsPage(c, fiber.StatusOK, settingsview.ReasonForm{}, nil)
}

func (h *Handlers) reasonsPage(c *fiber.Ctx, status int, form settingsview.ReasonForm, errs ui.Errors) error {
	reasons, err := h.Rules.AllReasons(c.UserContext())
	if err != nil {
		return err
	}
	return kit.Render(c, status, settingsview.ReasonList(&settingsview.ReasonsView{
		Page: h.Page(c), Reasons: reasons, New: form, Errors: errs,
	}))
}

func reasonForm(c *fiber.Ctx) (settingsview.ReasonForm, rules.ReasonInput) {
	in := rules.ReasonInput{LabelES: c.FormValue("labelEs"), LabelEN: c.FormValue("labelEn")}
	return settingsview.ReasonForm{LabelES: in.LabelES, LabelEN: in.LabelEN}, in
}

// AddReason handles POST /settings/reasons.
func (h *Handlers) AddReason(c *fiber.Ctx) error {
	form, in := reasonForm(c)
	err := h.Rules.AddReason(c.UserContext(), kit.Actor(c), in)
	return h.Finish(c, err, reasonsPath, "flash.created", func(status int, errs ui.Errors) error {
		form.Errors = errs
		return h.reasonsPage(c, status, form, nil)
	})
}

// ShowReason handles GET /settings/reasons/:code.
func (h *Handlers) ShowReason(c *fiber.Ctx) error {
	r, err := h.reason(c)
	if err != nil {
		return err
	}
	form := settingsview.ReasonForm{LabelES: r.LabelES, LabelEN: r.LabelEN}
	return kit.Render(c, fiber.StatusOK, settingsview.ReasonEdit(&settingsview.ReasonView{Page: h.Page(c), Reason: *r, Form: form}))
}

func (h *Handlers) reason(c *fiber.Ctx) (*models.Reason, error) {
	reasons, err := h.Rules.AllReasons(c.UserContext())
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(reasons, func(r models.Reason) bool { return r.Code == c.Params("code") })
	if i < 0 {
		return nil, models.ErrNotFound
	}
	return &reasons[i], nil
}

// RenameReason handles POST /settings/reasons/:code.
func (h *Handlers) RenameReason(c *fiber.Ctx) error {
	form, in := reasonForm(c)
	return h.Change(c, func(version int) error {
		return h.Rules.RenameReason(c.UserContext(), kit.Actor(c), c.Params("code"), version, in)
	}, reasonsPath, "flash.saved", func(status int, errs ui.Errors) error {
		r, err := h.reason(c)
		if err != nil {
			return err
		}
		form.Errors = errs
		return kit.Render(c, status, settingsview.ReasonEdit(&settingsview.ReasonView{Page: h.Page(c), Reason: *r, Form: form}))
	})
}

// MoveReason handles POST /settings/reasons/:code/position.
func (h *Handlers) MoveReason(c *fiber.Ctx) error {
	to := c.FormValue("to")
	if to != "up" && to != "down" {
		return kit.ErrBadInput
	}
	return h.changeReason(c, func(ctx context.Context, actor models.Actor, code string, version int) error {
		return h.Rules.MoveReason(ctx, actor, code, version, to == "up")
	})
}

// RetireReason handles POST /settings/reasons/:code/retirement.
func (h *Handlers) RetireReason(c *fiber.Ctx) error {
	return h.changeReason(c, h.Rules.RetireReason)
}

// RestoreReason handles POST /settings/reasons/:code/restoration.
func (h *Handlers) RestoreReason(c *fiber.Ctx) error {
	return h.changeReason(c, h.Rules.RestoreReason)
}

// changeReason changes a reason in its place in the list.
func (h *Handlers) changeReason(
	c *fiber.Ctx, change func(ctx context.Context, actor models.Actor, code string, version int) error,
) error {
	return h.Change(c, func(version int) error {
		return change(c.UserContext(), kit.Actor(c), c.Params("code"), version)
	}, reasonsPath, "flash.saved", func(status int, errs ui.Errors) error {
		return h.reasonsPage(c, status, settingsview.ReasonForm{}, errs)
	})
}
