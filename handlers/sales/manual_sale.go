package sales

import (
	"cmp"
	"strings"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models/intake"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// NewSale handles GET /sales/new. The query may fill in known facts of the sale,
// such as those of a provider's report.
func (h *Handlers) NewSale(c *fiber.Ctx) error {
	now := h.Clock.Now()
	e := intake.ManualSale{
		Date: kit.Clip(c.Query("date", string(h.Window().Calendar.Day(now))), 20), Time: kit.Clip(c.Query("time"), 10),
	}
	e.Typed(func(name string, most int, text *string) { *text = kit.Clip(c.Query(name), most) })
	var err error
	if e.TerminalID, err = kit.QueryID(c, "terminal"); err != nil {
		return err
	}
	return h.saleForm(c, fiber.StatusOK, salesview.SaleEntryForm{ManualSale: e})
}

func (h *Handlers) saleForm(c *fiber.Ctx, status int, form salesview.SaleEntryForm) error {
	terminals, err := h.Intake.ManualTerminals(c.UserContext(), kit.Actor(c))
	if err != nil {
		return err
	}
	if form.TerminalID == 0 && len(terminals) == 1 {
		form.TerminalID = terminals[0].ID
	}
	return kit.Render(c, status, salesview.SaleNew(&salesview.SaleNewView{Page: h.Page(c), Terminals: terminals, Form: form}))
}

// CreateManualSale handles POST /sales: a sale typed from a ticket. With warnings
// the form is shown again with a checkbox that confirms those it shows.
func (h *Handlers) CreateManualSale(c *fiber.Ctx) error {
	form := salesview.SaleEntryForm{ManualSale: intake.ManualSale{
		TerminalID: kit.ChosenID(c.FormValue("terminal")), Date: c.FormValue("date"), Time: c.FormValue("time"),
		Reviewed: strings.Split(c.FormValue("reviewed"), ","),
	}}
	form.Typed(func(name string, _ int, text *string) { *text = c.FormValue(name) })
	got, err := h.Intake.RecordManual(c.UserContext(), kit.Actor(c), form.ManualSale)
	if err != nil {
		return err
	}
	switch got.Status {
	case intake.Created:
		return h.Done(c, salePath(got.SaleID), "flash.saleEntered")
	case intake.Known:
		if len(got.Completed) > 0 {
			return h.Done(c, salePath(got.SaleID), "flash.saleCompleted")
		}
		return h.RedirectWith(c, salePath(got.SaleID), ui.FlashNotice, "flash.saleKnown")
	case intake.Skipped:
		form.Warnings, form.Similar = got.Warnings, got.Similar
		return h.saleForm(c, fiber.StatusUnprocessableEntity, form)
	}
	form.Errors, form.Similar = ui.Errors{}, got.SaleID
	for _, p := range got.Problems {
		form.Errors[cmp.Or(manualSaleFields[p.Field], p.Field)] = p.Code
	}
	if got.Status == intake.Conflict {
		return kit.ShownIn(kit.ErrConflict, h.saleForm(c, fiber.StatusConflict, form))
	}
	return h.saleForm(c, fiber.StatusUnprocessableEntity, form)
}

// manualSaleFields are the form's own fields for those of the domain.
var manualSaleFields = map[string]string{"serialNumber": "terminal", "merchantId": "terminal", "soldAt": "date"}
