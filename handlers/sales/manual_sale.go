package sales

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models/cards"
	"veinte/models/intake"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// NewSale handles GET /sales/new. The query may fill in known facts of the sale,
// such as those of a provider's report, or what was typed and refused.
func (h *Handlers) NewSale(c *fiber.Ctx) error {
	e := intake.ManualSale{Date: kit.Clip(c.Query("date"), 20), Time: kit.Clip(c.Query("time"), 10)}
	e.Typed(func(name string, most int, text *string) { *text = kit.Clip(c.Query(name), most) })
	var err error
	if e.TerminalID, err = kit.QueryID(c, "terminal"); err != nil {
		return err
	}
	form := salesview.SaleEntryForm{ManualSale: e}
	if c.Query(refusedForm) == "" {
		form.Date = cmp.Or(e.Date, string(h.Window().Calendar.Day(h.Clock.Now())))
		return h.saleForm(c, fiber.StatusOK, form)
	}
	got, err := h.Intake.CheckManual(c.UserContext(), kit.Actor(c), e)
	if err != nil {
		return err
	}
	showOutcome(&form, got)
	return h.saleForm(c, fiber.StatusOK, form)
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
		h.endSearch(c)
		return h.Done(c, salePath(got.SaleID), "flash.saleEntered")
	case intake.Known:
		if len(got.Completed) > 0 {
			return h.Done(c, salePath(got.SaleID), "flash.saleCompleted")
		}
		return h.RedirectWith(c, salePath(got.SaleID), ui.FlashNotice, "flash.saleKnown")
	case intake.Conflict:
		return kit.ShownIn(kit.ErrConflict, h.saleRefused(c, fiber.StatusConflict, form, got))
	}
	return h.saleRefused(c, fiber.StatusUnprocessableEntity, form, got)
}

const (
	refusedForm = "refused" // of the query: it has what was typed, and the page says what is wrong with it
	longQuery   = 2000      // bytes; what fits the fields is shorter
)

// saleRefused leads to the form's own address, which has what was typed: a browser that
// goes back to an address that was posted to asks whether to send the form again. What no
// address may hold is shown where it is.
func (h *Handlers) saleRefused(c *fiber.Ctx, status int, form salesview.SaleEntryForm, got *intake.ManualOutcome) error {
	q := url.Values{refusedForm: {"on"}, "date": {form.Date}, "time": {form.Time}}
	if form.TerminalID > 0 {
		q.Set("terminal", ui.Itoa(form.TerminalID))
	}
	form.Typed(func(name string, _ int, text *string) { q.Set(name, *text) })
	to := "/sales/new?" + q.Encode()
	for _, values := range q {
		if cards.InReference(values[0], h.Clock.Now()) || len(to) > longQuery {
			showOutcome(&form, got)
			return h.saleForm(c, status, form)
		}
	}
	return c.Redirect(to, fiber.StatusSeeOther)
}

// showOutcome says in the form what is wrong or odd in it.
func showOutcome(form *salesview.SaleEntryForm, got *intake.ManualOutcome) {
	switch got.Status {
	case intake.Skipped:
		form.Warnings, form.Similar = got.Warnings, got.Similar
	case intake.Refused, intake.Conflict:
		form.Errors, form.Similar = ui.Errors{}, got.SaleID
		for _, p := range got.Problems {
			form.Errors[cmp.Or(manualSaleFields[p.Field], p.Field)] = p.Code
		}
	}
}

// manualSaleFields are the form's own fields for those of the domain.
var manualSaleFields = map[string]string{"serialNumber": "terminal", "merchantId": "terminal", "soldAt": "date"}
