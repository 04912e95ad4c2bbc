package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/rules"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
)

const reasonsPath = "/settings/reasons"

// listReasons answers GET /settings/reasons.
func (h *Handlers) listReasons(c *fiber.Ctx) error {
	return h.reasonsPage(c, fiber.StatusOK, settingsview.ReasonForm{}, nil)
}

func (h *Handlers) reasonsPage(c *fiber.Ctx, status int, form settingsview.ReasonForm, errs ui.Errors) error {
	reasons, err := h.Rules.AllReasons(c.UserContext())
	if err != nil {
		return err
	}
	return render(c, status, settingsview.ReasonList(&settingsview.ReasonsView{Page: h.page(c), Reasons: reasons, New: form, Errors: errs}))
}

func reasonForm(c *fiber.Ctx) (settingsview.ReasonForm, rules.ReasonInput) {
	in := rules.ReasonInput{LabelES: c.FormValue("labelEs"), LabelEN: c.FormValue("labelEn")}
	return settingsview.ReasonForm{LabelES: in.LabelES, LabelEN: in.LabelEN}, in
}

// addReason answers POST /settings/reasons.
func (h *Handlers) addReason(c *fiber.Ctx) error {
	form, in := reasonForm(c)
	err := h.Rules.AddReason(c.UserContext(), actor(c), in)
	if errs, status, ok := refused(err); ok {
		form.Errors = errs
		return shownIn(err, h.reasonsPage(c, status, form, nil))
	}
	if err != nil {
		return err
	}
	return h.done(c, reasonsPath, "flash.created")
}

// showReason answers GET /settings/reasons/:code.
func (h *Handlers) showReason(c *fiber.Ctx) error {
	r, err := h.reason(c)
	if err != nil {
		return err
	}
	form := settingsview.ReasonForm{LabelES: r.LabelES, LabelEN: r.LabelEN}
	return render(c, fiber.StatusOK, settingsview.ReasonEdit(&settingsview.ReasonView{Page: h.page(c), Reason: *r, Form: form}))
}

func (h *Handlers) reason(c *fiber.Ctx) (*models.Reason, error) {
	reasons, err := h.Rules.AllReasons(c.UserContext())
	if err != nil {
		return nil, err
	}
	for i := range reasons {
		if reasons[i].Code == c.Params("code") {
			return &reasons[i], nil
		}
	}
	return nil, models.ErrNotFound
}

// renameReason answers POST /settings/reasons/:code.
func (h *Handlers) renameReason(c *fiber.Ctx) error {
	version, err := formVersion(c)
	if err != nil {
		return err
	}
	form, in := reasonForm(c)
	err = h.Rules.RenameReason(c.UserContext(), actor(c), c.Params("code"), version, in)
	if errs, status, ok := refused(err); ok {
		r, reading := h.reason(c)
		if reading != nil {
			return reading
		}
		form.Errors = errs
		return shownIn(err, render(c, status, settingsview.ReasonEdit(&settingsview.ReasonView{Page: h.page(c), Reason: *r, Form: form})))
	}
	if err != nil {
		return err
	}
	return h.done(c, reasonsPath, "flash.saved")
}

// placeReason answers POST /settings/reasons/:code/position.
func (h *Handlers) placeReason(c *fiber.Ctx) error {
	to := c.FormValue("to")
	if to != "up" && to != "down" {
		return errBadInput
	}
	return h.changeReason(c, "flash.saved", func(code string, version int) error {
		return h.Rules.MoveReason(c.UserContext(), actor(c), code, version, to == "up")
	})
}

// retireReason answers POST /settings/reasons/:code/retirement.
func (h *Handlers) retireReason(c *fiber.Ctx) error {
	return h.changeReason(c, "flash.saved", func(code string, version int) error {
		return h.Rules.RetireReason(c.UserContext(), actor(c), code, version)
	})
}

// restoreReason answers POST /settings/reasons/:code/restoration.
func (h *Handlers) restoreReason(c *fiber.Ctx) error {
	return h.changeReason(c, "flash.saved", func(code string, version int) error {
		return h.Rules.RestoreReason(c.UserContext(), actor(c), code, version)
	})
}

// changeReason changes a reason in its place in the list.
func (h *Handlers) changeReason(c *fiber.Ctx, done string, change func(code string, version int) error) error {
	version, err := formVersion(c)
	if err != nil {
		return err
	}
	err = change(c.Params("code"), version)
	if errs, status, ok := refused(err); ok {
		return shownIn(err, h.reasonsPage(c, status, settingsview.ReasonForm{}, errs))
	}
	if err != nil {
		return err
	}
	return h.done(c, reasonsPath, done)
}
