package sales

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/database"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// ConfirmCancellation handles GET /sales/:id/cancellation/new: the sheet, as a page
// of its own or as the part that the script shows in a dialog.
func (h *Handlers) ConfirmCancellation(c *fiber.Ctx, id int64) error {
	v, others, err := h.sheetView(c, id)
	if err != nil {
		return err
	}
	// No reason is chosen: most cancellations would carry the first one.
	v.Form = salesview.CancelForm{Click: rand.Text(), Receipt: v.Rules.Receipt(v.Sale.StoreID, "")}
	typedBefore(c, &v.Form)
	if err := h.refuse(c, v, others); err != nil {
		return err
	}
	c.Set(fiber.HeaderVary, "HX-Request")
	if c.Get("HX-Request") == "true" {
		return kit.Render(c, fiber.StatusOK, salesview.Sheet(v))
	}
	return kit.Render(c, fiber.StatusOK, salesview.SheetPage(v))
}

// typedBefore fills in what somebody had typed when their session ended.
func typedBefore(c *fiber.Ctx, form *salesview.CancelForm) {
	if c.Query("reason") == "" && c.Query("note") == "" {
		return
	}
	form.Reason, form.Note = kit.Clip(c.Query("reason"), 50), kit.Clip(c.Query("note"), 500)
	form.Receipt, form.TicketDate = c.Query("receipt") == "on", kit.Clip(c.Query("ticketDate"), 10)
}

// sheetView is the sheet of a sale, and the other sales of its order.
func (h *Handlers) sheetView(c *fiber.Ctx, saleID int64) (v *salesview.SheetView, others []models.Sale, err error) {
	var detail *cancellations.SaleDetail
	v = &salesview.SheetView{Rules: h.Rules.Schedule().At(h.Clock.Now())}
	actor := kit.Actor(c)
	err = database.Together(c.UserContext(), func(ctx context.Context) (err error) {
		detail, err = h.Cancellations.SaleDetail(ctx, actor, saleID)
		return err
	}, func(ctx context.Context) (err error) {
		v.Reasons, err = h.Rules.Reasons(ctx)
		return err
	}, func(ctx context.Context) (err error) {
		others, err = h.Cancellations.OthersOf(ctx, saleID)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	v.Page, v.Sale, v.Store, v.Terminal = h.Page(c), detail.Sale, detail.Store, detail.Terminal
	if latest := detail.Latest(); latest != nil {
		v.Latest = &latest.Cancellation
	}
	return v, others, nil
}

// refuse adds why a sale cannot be canceled now, for the page. The request is checked
// again in its own transaction.
func (h *Handlers) refuse(c *fiber.Ctx, v *salesview.SheetView, others []models.Sale) error {
	err := h.Cancellations.Requestable(c.UserContext(), kit.Actor(c), &v.Sale, &v.Terminal, others)
	errs, _, _ := kit.Refused(err)
	for _, v.Refusal = range errs {
		return h.addOther(c, v, err)
	}
	return nil
}

// addOther adds the other sale of the charge, when that is why one is refused.
func (h *Handlers) addOther(c *fiber.Ctx, v *salesview.SheetView, refusal error) error {
	other := cancellations.OtherSale(kit.Actor(c), refusal)
	if other == nil {
		return nil
	}
	dir, err := h.Directory(c.UserContext())
	if err != nil {
		return err
	}
	v.Other = &salesview.OtherSale{Sale: *other, Terminal: dir.Terminals[other.TerminalID]}
	if store := dir.Stores[other.StoreID]; store != nil {
		v.Other.Store = *store
	}
	return nil
}

// CancelSale handles POST /sales/:id/cancellation.
func (h *Handlers) CancelSale(c *fiber.Ctx, id int64) error {
	form := salesview.CancelForm{
		Click: c.FormValue("click"), Reason: c.FormValue("reason"),
		Note: c.FormValue("note"), Receipt: c.FormValue("receipt") == "on", TicketDate: c.FormValue("ticketDate"),
	}
	seen, err := seenAmount(c)
	if err != nil {
		return err
	}
	_, err = h.Cancellations.Request(c.UserContext(), kit.Actor(c), cancellations.CancelRequest{
		SaleID: id, OmitReceipt: !form.Receipt, Reason: form.Reason, Note: form.Note, Click: form.Click, Seen: seen, FromPage: true,
		TicketDate: models.Day(form.TicketDate),
	})
	if err == nil {
		h.endSearch(c)
		return h.RedirectWith(c, salePath(id), ui.FlashNotice, "flash.requested") // asked for is not done
	}
	refusal := err
	return kit.ShowAgain(err, func(status int, errs ui.Errors) error {
		v, others, err := h.sheetView(c, id)
		if err != nil {
			return err
		}
		form.Errors = errs
		// A pause ends, and another amount can be confirmed, so the form keeps what was
		// typed. Other refusals are final.
		switch code := errs[""]; code {
		case cancellations.ErrPaused.Code:
		case models.ErrAmountChanged.Code:
			form.Errors, form.AmountChanged, form.Seen = nil, true, seen
			err = h.refuse(c, v, others)
		case models.ErrDayNotProven.Code:
			form.Errors = ui.Errors{"ticketDate": "ticketDate.required"}
		default:
			v.Refusal = code
			err = h.addOther(c, v, refusal)
		}
		if err != nil {
			return err
		}
		v.Form = form
		return kit.Render(c, status, salesview.SheetPage(v))
	})
}

// seenAmount is the amount that the form showed; nil when it names none, as forms did
// that were drawn before they had the field.
func seenAmount(c *fiber.Ctx) (*models.Money, error) {
	text := c.FormValue("seen")
	if text == "" {
		return nil, nil
	}
	seen, err := models.ParseMoney(text)
	if err != nil {
		return nil, kit.ErrBadInput
	}
	return &seen, nil
}

func salePath(id int64) string { return fmt.Sprintf("/sales/%d", id) }

// ShowCancellation handles GET /cancellations/:id: a cancellation is shown with its
// sale.
func (h *Handlers) ShowCancellation(c *fiber.Ctx, id int64) error {
	saleID, err := h.Cancellations.SaleOf(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	return c.Redirect(salePath(saleID), fiber.StatusSeeOther)
}

// Withdraw handles POST /cancellations/:id/withdrawal.
func (h *Handlers) Withdraw(c *fiber.Ctx, id int64) error {
	return h.actOnCancellation(c, id, "flash.withdrawn", func(ctx context.Context, a models.Actor, id int64) error {
		_, err := h.Cancellations.Withdraw(ctx, a, id)
		return err
	})
}

// Inquire handles POST /cancellations/:id/inquiry.
func (h *Handlers) Inquire(c *fiber.Ctx, id int64) error {
	return h.actOnCancellation(c, id, "flash.inquirySent", h.Cancellations.AskToVerify)
}

// actOnCancellation changes a cancellation and redirects to its sale, with a message
// about the result.
func (h *Handlers) actOnCancellation(c *fiber.Ctx, id int64, done string, act func(context.Context, models.Actor, int64) error) error {
	saleID, err := h.Cancellations.SaleOf(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	if err = act(c.UserContext(), kit.Actor(c), id); err == nil {
		h.endSearch(c)
	}
	return h.FinishAt(c, err, salePath(saleID), done)
}

// resolved are the outcomes that the form offers.
var resolved = map[string]models.State{"canceled": models.Confirmed, "notCanceled": models.NotCanceled}

// Resolve handles POST /cancellations/:id/resolution.
func (h *Handlers) Resolve(c *fiber.Ctx, id int64) error {
	form := salesview.ResolutionForm{
		Outcome: c.FormValue("outcome"), AuthCode: c.FormValue("authCode"),
		Folio: c.FormValue("folio"), Note: c.FormValue("note"),
	}
	if form.Outcome == "notCanceled" { // the form hides what it has no ticket for
		form.AuthCode, form.Folio = "", ""
	}
	saleID, err := h.Cancellations.SaleOf(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	err = h.Cancellations.Resolve(c.UserContext(), kit.Actor(c), id, cancellations.Resolution{
		Outcome: resolved[form.Outcome], AuthCode: form.AuthCode, Folio: form.Folio, Note: form.Note,
	})
	if err == nil {
		h.endSearch(c)
	}
	return h.Finish(c, err, salePath(saleID), "flash.resolved", func(status int, errs ui.Errors) error {
		v, err := h.saleDetail(c, saleID)
		if err != nil {
			return err
		}
		form.Errors = errs
		v.Form = form
		return kit.Render(c, status, salesview.SaleDetail(v))
	})
}

// ListPending handles GET /sales/pending?date&store: a day's cancellations that are
// not yet resolved with the customer.
func (h *Handlers) ListPending(c *fiber.Ctx) error {
	v := &salesview.PendingView{Page: h.Page(c), Day: h.Window().Calendar.Day(h.Clock.Now()), Errors: ui.Errors{}}
	if date := c.Query("date"); date != "" {
		day, err := models.ParseDay(date)
		if err != nil {
			v.Errors["date"] = "date.invalid"
		} else {
			v.Day = day
		}
	}
	var err error
	if v.Store, err = kit.QueryID(c, "store"); err != nil {
		return err
	}
	pending, err := h.Pending(c.UserContext(), kit.Actor(c), v.Day, v.Store)
	if err != nil {
		return err
	}
	if v.Stores, err = h.Stores(c); err != nil {
		return err
	}
	v.Pending = *pending
	return kit.Render(c, kit.StatusOf(v.Errors), salesview.Pending(v))
}
