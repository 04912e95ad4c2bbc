package sales

import (
	"crypto/rand"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/bulk"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

const bulkPath = "/sales/cancellations"

// ConfirmBulk handles GET /sales/cancellations/new?sale=…: the confirmation of
// more than one. One alone has the sheet of its own.
func (h *Handlers) ConfirmBulk(c *fiber.Ctx) error {
	ids, from := saleIDs(c.Context().QueryArgs()), listPath(c.Query("from"))
	switch {
	case len(ids) == 0:
		return h.RedirectWith(c, from, ui.FlashProblem, "several.none")
	case len(ids) > bulk.Max:
		return h.RedirectWith(c, from, ui.FlashProblem, "several.tooMany")
	case len(ids) == 1 && ids[0] != kit.NoID:
		return c.Redirect(salePath(ids[0])+"/cancellation/new", fiber.StatusSeeOther)
	}
	v, missing, err := h.bulkView(c, ids)
	if err != nil {
		return err
	}
	v.From = from
	v.Sheet.Form = salesview.CancelForm{Click: rand.Text()}
	v.Sheet.Form.Receipt = v.Sheet.Rules.Receipt(v.Sheet.Sale.StoreID, v.Sheet.Form.Reason)
	typedBefore(c, &v.Sheet.Form)
	return kit.ShownIn(missing, kit.Render(c, fiber.StatusOK, salesview.Bulk(v)))
}

// bulkView reads the chosen sales as they are now. Sales that the user may not see
// are listed without any detail; missing is their refusal, nil for none.
func (h *Handlers) bulkView(c *fiber.Ctx, ids []int64) (v *salesview.BulkView, missing, err error) {
	rows, err := h.Bulk.Chosen(c.UserContext(), kit.Actor(c), ids)
	if err != nil {
		return nil, nil, err
	}
	if missing, err = h.missing(c, rows); err != nil {
		return nil, nil, err
	}
	reasons, err := h.Rules.Reasons(c.UserContext())
	if err != nil {
		return nil, nil, err
	}
	v = &salesview.BulkView{Rows: rows}
	v.Sheet = salesview.SheetView{Page: h.Page(c), Reasons: reasons, Rules: h.Rules.Schedule().At(h.Clock.Now())}
	v.Sheet.Sale.StoreID = rows[0].Store.ID
	for i := range rows {
		if rows[i].Sale != nil && rows[i].Store.ID != rows[0].Store.ID {
			v.Sheet.Sale.StoreID = 0 // the receipt starts as it does in general
		}
	}
	return v, missing, nil
}

// missing is the refusal of requested sales that the user may not see. If there are
// no others, the response is "not found".
func (h *Handlers) missing(c *fiber.Ctx, rows []bulk.Row) (refusal, none error) {
	var ids []string
	for i := range rows {
		if rows[i].Sale == nil {
			ids = append(ids, strconv.FormatInt(rows[i].SaleID, 10))
		}
	}
	if len(ids) == 0 || len(ids) < len(rows) && kit.Actor(c).AllStores {
		return nil, nil
	}
	if len(ids) == len(rows) && kit.Actor(c).AllStores {
		return nil, models.ErrNotFound
	}
	refusal = &models.Refusal{Err: models.ErrNotFound, Line: c.Method() + " " + c.Path() + " " + strings.Join(ids, " "), Hidden: true}
	if len(ids) == len(rows) {
		return nil, refusal
	}
	return refusal, nil
}

// CancelBulk handles POST /sales/cancellations.
func (h *Handlers) CancelBulk(c *fiber.Ctx) error {
	sales, err := chosenSales(c.Context().PostArgs())
	if err != nil {
		return err
	}
	ids := idsOf(sales)
	from := listPath(c.FormValue("from"))
	form := salesview.CancelForm{
		Click: c.FormValue("click"), Reason: c.FormValue("reason"),
		Note: c.FormValue("note"), Receipt: c.FormValue("receipt") == "on",
	}
	reached, err := h.Bulk.Request(c.UserContext(), kit.Actor(c), bulk.Request{
		Sales: sales, OmitReceipt: !form.Receipt, Reason: form.Reason, Note: form.Note, Click: form.Click,
	})
	if _, _, ok := kit.Refused(err); ok {
		return h.bulkRefused(c, sales, from, form, err)
	}
	if err != nil && reached == 0 {
		return err
	}
	if err != nil {
		// Some were requested: what is committed is reported, even if an error ended
		// it.
		h.Logger.ErrorContext(c.UserContext(), "a bulk cancellation ended early",
			"reached", reached, "of", len(sales), "request", kit.Actor(c).RequestID, "error", err)
	}
	if list, query, searched := strings.Cut(from, "?"); searched {
		from = strings.TrimSuffix(list+"?"+withoutSearch(query), "?")
	}
	h.endSearch(c)
	q := url.Values{"from": {from}}
	for _, id := range ids {
		q.Add("sale", strconv.FormatInt(id, 10))
	}
	if rows, err := h.Bulk.Outcomes(c.UserContext(), kit.Actor(c), form.Click, ids); err == nil && !visible(rows) {
		return models.Recorded(models.ErrNotFound) // sale by sale
	}
	return c.Redirect(bulkPath+"/"+url.PathEscape(form.Click)+"?"+q.Encode(), fiber.StatusSeeOther)
}

// bulkRefused shows the form again with what was typed and what is wrong.
func (h *Handlers) bulkRefused(
	c *fiber.Ctx, sales []bulk.Sale, from string, form salesview.CancelForm, refusal error,
) error {
	errs, status, _ := kit.Refused(refusal)
	if code := errs["sale"]; code == "several.none" || code == "several.tooMany" {
		return h.RedirectWith(c, from, ui.FlashProblem, code)
	}
	if errs["sale"] != "" || errs["click"] != "" {
		return kit.ErrBadInput
	}
	v, missing, err := h.bulkView(c, idsOf(sales))
	if err != nil {
		return err
	}
	v.From, v.Sheet.Form = from, form
	v.Sheet.Form.Errors = errs
	if errs[""] == models.ErrAmountChanged.Code {
		markSeen(v.Rows, sales)
		// Another press than the one that was refused, for the trail too.
		v.Sheet.Form.Errors, v.Sheet.Form.AmountChanged, v.Sheet.Form.Click = nil, true, rand.Text()
	}
	if missing != nil {
		refusal = missing // what was wrong with the form is shown; this is nowhere else
	}
	return kit.ShownIn(refusal, kit.Render(c, status, salesview.Bulk(v)))
}

// ShowBulk handles GET /sales/cancellations/:click?sale=…, and the polled part
// of it with fragment=several.
func (h *Handlers) ShowBulk(c *fiber.Ctx) error {
	ids, click := saleIDs(c.Context().QueryArgs()), c.Params("click")
	if len(ids) == 0 || len(ids) > bulk.Max || len(click) > 64 {
		return kit.ErrNoPage
	}
	rows, err := h.Bulk.Outcomes(c.UserContext(), kit.Actor(c), click, ids)
	if err != nil {
		return err
	}
	if !visible(rows) {
		return models.ErrNotFound
	}
	v := &salesview.BulkOutcomeView{Page: h.Page(c), Rows: rows, Click: click, From: listPath(c.Query("from"))}
	if c.Query("fragment") == "several" {
		return h.RenderPolled(c, v.Page, salesview.BulkOutcomeBody(v))
	}
	return kit.Render(c, fiber.StatusOK, salesview.BulkOutcome(v))
}

func idsOf(sales []bulk.Sale) []int64 {
	ids := make([]int64, len(sales))
	for i, s := range sales {
		ids[i] = s.SaleID
	}
	return ids
}

// markSeen adds to each row the amount that was seen, where it is another now.
func markSeen(rows []bulk.Row, seen []bulk.Sale) {
	amounts := make(map[int64]models.Money, len(seen))
	for _, s := range seen {
		amounts[s.SaleID] = s.Amount
	}
	for i := range rows {
		if was := amounts[rows[i].SaleID]; rows[i].Sale != nil && was != rows[i].Sale.Amount {
			rows[i].Seen = &was
		}
	}
}

// visible reports whether the reader may see any of the sales.
func visible(rows []bulk.Row) bool {
	return slices.ContainsFunc(rows, func(r bulk.Row) bool { return r.Sale != nil })
}

// saleIDs reads the sales of an address, each once; an invalid id becomes NoID.
func saleIDs(args *fasthttp.Args) []int64 {
	var ids []int64
	for _, value := range args.PeekMulti("sale") {
		id := kit.ChosenID(string(value))
		if id != 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// chosenSales reads the sales of the form with the amounts that were shown, as views
// writes them: 7:125000. Anything else is refused.
func chosenSales(args *fasthttp.Args) ([]bulk.Sale, error) {
	var sales []bulk.Sale
	for _, value := range args.PeekMulti("sale") {
		id, amount, _ := strings.Cut(string(value), ":")
		n, errID := strconv.ParseInt(id, 10, 64)
		seen, errAmount := strconv.ParseInt(amount, 10, 64)
		if errID != nil || errAmount != nil || n <= 0 || seen < 0 {
			return nil, kit.ErrBadInput
		}
		sales = append(sales, bulk.Sale{SaleID: n, Amount: models.Money(seen)})
	}
	return sales, nil
}

// listPath accepts the list to go back to; anything else is the list of today.
func listPath(s string) string {
	if u, err := url.Parse(kit.LocalPath(s)); err == nil && u.Path == "/sales" {
		return u.String()
	}
	return "/sales"
}
