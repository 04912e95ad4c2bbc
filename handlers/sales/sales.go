package sales

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/cards"
	"veinte/models/database"
	"veinte/models/sales"
	"veinte/views/locale"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// ListSales handles GET /sales, and the polled part of it with fragment=list.
func (h *Handlers) ListSales(c *fiber.Ctx) error {
	if c.Query("card") != "" || cards.InReference(c.Query("q"), h.Clock.Now()) {
		return h.withoutCard(c)
	}
	f, errs := h.saleFilter(c)
	if !kit.AsksByItself(c) {
		h.rememberList(c, &f) // also while somebody types, which loads no page
	}
	fragment := c.Query("fragment") == "list"
	if fragment && len(errs) == 0 && c.Get(fiber.HeaderIfNoneMatch) != "" {
		revision, err := h.Sales.DayRevision(c.UserContext(), kit.Actor(c), f)
		if err != nil {
			return err
		}
		if tag := h.listTag(c, f, revision); c.Get(fiber.HeaderIfNoneMatch) == tag {
			c.Set(fiber.HeaderETag, tag)
			return c.SendStatus(fiber.StatusNotModified)
		}
	}
	v, err := h.salesView(c, f, errs)
	if err != nil {
		return err
	}
	tag := ""
	if len(errs) == 0 {
		tag = h.listTag(c, f, v.List.Revision)
	}
	if fragment {
		if tag != "" {
			c.Set(fiber.HeaderETag, tag)
		}
		v.Part, v.HasStrip = true, c.Get(salesview.StripHeader)
		c.Vary(salesview.StripHeader)
		return h.RenderPolled(c, v.Page, salesview.SalesList(v))
	}
	v.Tag = tag
	kit.AllowCamera(c)
	return kit.Render(c, kit.StatusOf(errs), salesview.Sales(v))
}

// saleFilter reads the query. Values that cannot be read are ignored and reported.
func (h *Handlers) saleFilter(c *fiber.Ctx) (sales.Filter, ui.Errors) {
	f, wrong := sales.ParseFilter(kit.Query(c), h.Clock.Now())
	f.Cursor = c.Query("cursor")
	if f.Day == "" {
		f.Day = h.Window().Calendar.Day(h.Clock.Now())
	}
	return f, kit.ErrorsOf(wrong)
}

// withoutCard redirects a search for a whole card number to the same list without
// it: addresses are stored in histories and shared. The page's script does not send
// the number; it sends the parameter card instead.
func (h *Handlers) withoutCard(c *fiber.Ctx) error {
	q := url.Values{}
	for name, value := range c.Queries() {
		if name != "q" && name != "card" && value != "" && !cards.InReference(value, h.Clock.Now()) {
			q.Set(name, value)
		}
	}
	to := "/sales"
	if len(q) > 0 {
		to += "?" + q.Encode()
	}
	return h.RedirectWith(c, to, ui.FlashProblem, "sales.cardNumber")
}

func (h *Handlers) salesView(c *fiber.Ctx, f sales.Filter, errs ui.Errors) (*salesview.SalesView, error) {
	page, v, err := h.readList(c, f)
	if known, _, ok := kit.Refused(err); ok && f.Cursor != "" {
		// A cursor that is none: the first page, and the reason.
		errs["cursor"] = known["cursor"]
		f.Cursor = ""
		page, v, err = h.readList(c, f)
	}
	if err != nil {
		return nil, err
	}
	dir, err := h.Directory(c.UserContext())
	if err != nil {
		return nil, err
	}
	v.Page, v.Filter, v.Stores, v.Terminals = h.Page(c), f, dir.Visible(kit.Actor(c)), dir.Terminals
	v.List, v.Errors = *page, errs
	if f.Query != "" && f.Cursor == "" && page.Filtered.Sales.Count <= sales.LittleFound {
		v.Elsewhere, err = h.Sales.FoundElsewhere(c.UserContext(), kit.Actor(c), f, sales.MaxElsewhere)
	}
	return v, err
}

// readList reads a list, and beside it what its page says more.
func (h *Handlers) readList(c *fiber.Ctx, f sales.Filter) (page *sales.DayPage, v *salesview.SalesView, err error) {
	v = &salesview.SalesView{}
	actor, now := kit.Actor(c), h.Clock.Now()
	reads := []func(context.Context) error{func(ctx context.Context) (err error) {
		page, err = h.Sales.DaySales(ctx, actor, f)
		return err
	}}
	if c.Query("fragment") == "" {
		if v.First, err = h.Onboarding(c); err != nil {
			return nil, nil, err
		}
		reads = append(reads, func(ctx context.Context) (err error) {
			v.Saved, err = h.SavedViews(ctx, actor, models.ViewsOfSales)
			return err
		})
		if window := h.Window(); f.Day == window.Calendar.Day(now) {
			// The bar above today's list says when it was canceled and, once the day has
			// closed, who still waits.
			reads = append(reads, func(ctx context.Context) (err error) {
				v.Canceled, err = h.Sales.CanceledAt(ctx, actor, f)
				return err
			})
			if !now.Before(window.DayCloses(now)) {
				reads = append(reads, func(ctx context.Context) (err error) {
					v.Pending, err = h.Pending(ctx, actor, f.Day, f.StoreID)
					return err
				})
			}
		}
	}
	if f.TerminalID != 0 && !actor.AllStores {
		reads = append(reads, func(ctx context.Context) (err error) {
			v.Own, err = h.Sales.OwnTerminals(ctx, actor)
			return err
		})
	}
	err = database.Together(c.UserContext(), reads...)
	return page, v, err
}

// listTag is the entity tag of a list at a revision. With it, a poll of an unchanged list
// is one question, and nothing is drawn.
func (h *Handlers) listTag(c *fiber.Ctx, f sales.Filter, revision int64) string {
	// The page also depends on the user, the language, the minute, the cut-off,
	// whether anything can still be canceled, and the notices.
	now, window, notices := h.Clock.Now(), h.Window(), h.Notices(c.UserContext())
	seen := fmt.Sprint(revision, f, kit.ReaderOf(c).Token, kit.Actor(c).Role, kit.Actor(c).StoreIDs,
		locale.Of(c.UserContext()), now.Truncate(time.Minute).Unix(), window.DayOpen(now),
		window.Calendar.Cutoff(now).Unix(), window.Margin, kit.NoticesKey(notices), endedIDs(notices.EndedFor(kit.Actor(c))))
	sum := sha256.Sum256([]byte(seen))
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

func endedIDs(all []models.EndedDoubt) (ids []int64) {
	for i := range all {
		ids = append(ids, all[i].ID)
	}
	return ids
}

// ShowSale handles GET /sales/:id, and the polled part of it with fragment=story.
func (h *Handlers) ShowSale(c *fiber.Ctx, id int64) error {
	v, err := h.saleDetail(c, id)
	if err != nil {
		return err
	}
	if c.Query("fragment") == "story" {
		return h.RenderPolled(c, v.Page, salesview.SaleDetailBody(v))
	}
	if err := h.showEnded(c, v); err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, salesview.SaleDetail(v))
}

// showEnded takes from the page the notice that a doubt about this sale ended: its
// person sees it on the page itself.
func (h *Handlers) showEnded(c *fiber.Ctx, v *salesview.SaleDetailView) error {
	var seen []int64
	v.Ended = slices.DeleteFunc(v.Ended, func(e models.EndedDoubt) bool {
		here := slices.ContainsFunc(v.Detail.Cancellations, func(of cancellations.CancellationDetail) bool {
			return of.ID == e.CancellationID && of.State == e.State
		})
		if here {
			seen = append(seen, e.ID)
		}
		return here
	})
	if len(seen) == 0 || c.Method() != fiber.MethodGet {
		return nil
	}
	// Its end was what somebody waited for.
	v.List = withoutSearch(v.List)
	h.endSearch(c)
	return h.SawEnded(c.UserContext(), kit.Actor(c), seen)
}

// HideEnded handles POST /sales/ended: the person has read how doubts ended.
func (h *Handlers) HideEnded(c *fiber.Ctx) error {
	if err := h.SawEnded(c.UserContext(), kit.Actor(c), kit.ChosenIDs(c, "id")); err != nil {
		return err
	}
	return c.Redirect(kit.LocalPath(c.FormValue("next")), fiber.StatusSeeOther)
}

func (h *Handlers) saleDetail(c *fiber.Ctx, saleID int64) (*salesview.SaleDetailView, error) {
	v, actor := &salesview.SaleDetailView{Inquiries: h.Cancellations.CanInquire()}, kit.Actor(c)
	err := database.Together(c.UserContext(), func(ctx context.Context) error {
		detail, err := h.Cancellations.SaleDetail(ctx, actor, saleID)
		if err == nil {
			v.Detail = *detail
		}
		return err
	}, func(ctx context.Context) (err error) {
		v.Reasons, err = h.Rules.AllReasons(ctx)
		return err
	}, func(ctx context.Context) (err error) {
		v.Differences, err = h.Differences(ctx, saleID)
		return err
	}, func(ctx context.Context) error {
		waits, err := h.Sales.Waits(ctx, actor, []int64{saleID})
		if w, waiting := waits[saleID]; waiting {
			v.Wait = &w
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if v.Detail.Sale.State != models.SaleRequested { // it was sent between the two reads
		v.Wait = nil
	}
	v.Page, v.List = h.Page(c), h.listSeen(c, &v.Detail.Sale)
	return v, nil
}

// ShowNotice handles GET /sales/:id/slip: the notice for the customer. Each view is
// recorded in the trail, since the document leaves the merchant.
func (h *Handlers) ShowNotice(c *fiber.Ctx, id int64) error {
	notice, err := h.IssueNotice(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, salesview.Notice(&salesview.NoticeView{
		Page: h.Page(c), Notice: *notice, Seal: h.Seal(c.UserContext()),
	}))
}

// ShowDay handles GET /sales/day?date&store&by.
func (h *Handlers) ShowDay(c *fiber.Ctx) error {
	f, errs := h.saleFilter(c)
	delete(errs, "state")
	delete(errs, "terminal")
	figures, err := h.Sales.DayFigures(c.UserContext(), kit.Actor(c), f)
	if err != nil {
		return err
	}
	dir, err := h.Directory(c.UserContext())
	if err != nil {
		return err
	}
	return kit.Render(c, kit.StatusOf(errs), salesview.Day(&salesview.DayView{
		Page: h.Page(c), Filter: sales.Filter{Day: f.Day, StoreID: f.StoreID}, By: kit.ChartBy(c),
		Stores: dir.Visible(kit.Actor(c)), Terminals: dir.Terminals, Figures: *figures, Errors: errs,
	}))
}
