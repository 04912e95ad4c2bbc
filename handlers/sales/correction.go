package sales

import (
	"errors"
	"slices"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/intake"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// EditManualSale handles GET /sales/:id/correction: the form that corrects a sale that
// a person typed, or takes it back.
func (h *Handlers) EditManualSale(c *fiber.Ctx, id int64) error {
	v, err := h.correctionView(c, id)
	if err != nil {
		return h.notCorrectable(c, id, err)
	}
	v.Form = models.SaleInput{
		Amount: v.Sale.Amount.Decimal(), Last4: v.Sale.Last4, CardBrand: v.Sale.CardBrand, AuthCode: v.Sale.AuthCode, Folio: v.Sale.Folio,
	}
	return kit.Render(c, fiber.StatusOK, salesview.Correction(v))
}

func (h *Handlers) correctionView(c *fiber.Ctx, id int64) (*salesview.CorrectionView, error) {
	sale, err := h.Intake.Correctable(c.UserContext(), kit.Actor(c), id, models.SourceManual)
	if err != nil {
		return nil, err
	}
	return &salesview.CorrectionView{Page: h.Page(c), Sale: *sale}, nil
}

// notCorrectable shows at the sale why it stays as it is.
func (h *Handlers) notCorrectable(c *fiber.Ctx, id int64, err error) error {
	if errors.Is(err, intake.ErrAsked) || errors.Is(err, intake.ErrOtherDoor) {
		return kit.ShownIn(err, h.FinishAt(c, err, salePath(id), ""))
	}
	return err
}

// CorrectManualSale handles POST /sales/:id/correction.
func (h *Handlers) CorrectManualSale(c *fiber.Ctx, id int64) error {
	typed, correction := models.SaleInput{}, intake.Correction{
		Source: models.SourceManual, Facts: map[string]string{}, Note: c.FormValue("note"),
	}
	typed.Typed(func(name string, _ int, text *string) {
		if *text = c.FormValue(name); slices.Contains(intake.CorrectableFacts, name) {
			correction.Facts[name] = *text
		}
	})
	_, wrong, err := h.Intake.Correct(c.UserContext(), kit.Actor(c), id, correction)
	switch {
	case err == nil && len(wrong) == 0:
		return h.Done(c, salePath(id), "flash.saleCorrected")
	case err == nil:
		err = wrong[0]
	}
	return h.correctionAgain(c, id, err, func(v *salesview.CorrectionView, errs ui.Errors) {
		v.Form, v.Note, v.Errors = typed, correction.Note, errs
		for _, p := range wrong {
			v.Errors[p.Field] = p.Code
		}
	})
}

// UndoManualSale handles POST /sales/:id/undoing.
func (h *Handlers) UndoManualSale(c *fiber.Ctx, id int64) error {
	note := c.FormValue("undoNote")
	err := h.Intake.TakeBack(c.UserContext(), kit.Actor(c), id, models.SourceManual, note)
	if err == nil {
		return h.Done(c, "/sales", "flash.saleUndone")
	}
	return h.correctionAgain(c, id, err, func(v *salesview.CorrectionView, errs ui.Errors) {
		s := &v.Sale
		v.Form = models.SaleInput{
			Amount: s.Amount.Decimal(), Last4: s.Last4, CardBrand: s.CardBrand, AuthCode: s.AuthCode, Folio: s.Folio,
		}
		v.UndoNote, v.Errors = note, ui.Errors{"undoNote": errs["note"]}
	})
}

// correctionAgain shows the form with what is wrong, or at the sale why it stays.
func (h *Handlers) correctionAgain(c *fiber.Ctx, id int64, refusal error, fill func(*salesview.CorrectionView, ui.Errors)) error {
	errs, status, ok := kit.Refused(refusal)
	if !ok || errs[""] != "" {
		return h.notCorrectable(c, id, refusal)
	}
	v, err := h.correctionView(c, id)
	if err != nil {
		return h.notCorrectable(c, id, err)
	}
	fill(v, errs)
	return kit.ShownIn(refusal, kit.Render(c, status, salesview.Correction(v)))
}
