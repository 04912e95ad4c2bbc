package sales

import (
	"context"
	"net/url"
	"time"

	"veinte/models"
	"veinte/models/bulk"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// BulkView is the confirmation of several cancellations at once: what will be
// canceled, terminal by terminal, and why.
type BulkView struct {
	// Sheet has the reasons, the rules, what was typed, and the one store that all
	// are of; it is of no single sale.
	Sheet SheetView
	Rows  []bulk.Row // by store and terminal
	From  string     // the list where they were chosen
}

// bulkGroup are the chosen sales of one terminal, which takes one at a time.
type bulkGroup struct {
	store    *models.Store
	terminal *models.Terminal
	rows     []bulk.Row
}

// groups are the sales that can be asked for, by terminal.
func (v *BulkView) groups() []bulkGroup {
	var all []bulkGroup
	for i := range v.Rows {
		r := &v.Rows[i]
		if r.Refusal != "" {
			continue
		}
		if n := len(all); n == 0 || all[n-1].terminal.ID != r.Terminal.ID {
			all = append(all, bulkGroup{store: &r.Store, terminal: &r.Terminal})
		}
		g := &all[len(all)-1]
		g.rows = append(g.rows, *r)
	}
	return all
}

func (g *bulkGroup) amount() models.Money { return sumOf(g.rows) }

// free are the sales that can be asked for.
func (v *BulkView) free() []bulk.Row {
	return pick(v.Rows, func(r *bulk.Row) bool { return r.Refusal == "" })
}

// barred are those that cannot, each with why.
func (v *BulkView) barred() []bulk.Row {
	return pick(v.Rows, func(r *bulk.Row) bool { return r.Refusal != "" })
}

// changed is how many of those that can be asked for have another amount than was seen.
func (v *BulkView) changed() int {
	return len(pick(v.free(), func(r *bulk.Row) bool { return r.Seen != nil }))
}

func pick(rows []bulk.Row, has func(*bulk.Row) bool) []bulk.Row {
	var picked []bulk.Row
	for i := range rows {
		if has(&rows[i]) {
			picked = append(picked, rows[i])
		}
	}
	return picked
}

func sumOf(rows []bulk.Row) models.Money {
	var sum models.Money
	for i := range rows {
		if rows[i].Sale != nil {
			sum += rows[i].Sale.Amount
		}
	}
	return sum
}

// closes is when the first of them closes.
func (v *BulkView) closes() string {
	var first time.Time
	for _, r := range v.free() {
		if at := v.Sheet.Window.Closes(r.Sale); first.IsZero() || at.Before(first) {
			first = at
		}
	}
	return first.UTC().Format(time.RFC3339Nano)
}

// inFront is the store whose clock stands beside the cut-off's: the only one.
func (v *BulkView) inFront() *models.Store { return onlyStore(v.free()) }

func onlyStore(rows []bulk.Row) *models.Store {
	for i := range rows {
		if rows[i].Store.ID != rows[0].Store.ID {
			return nil
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return &rows[0].Store
}

// chosen is a sale as the form gives it back: its id, and the amount that is seen.
func chosen(s *models.Sale) string { return ui.Itoa(s.ID) + ":" + ui.Itoa(int64(s.Amount)) }

// BulkOutcomeView is what became of several cancellations that were asked for
// at once.
type BulkOutcomeView struct {
	ui.Page
	Rows  []bulk.Row // in the order in which they were asked for
	Click string
	From  string
}

// fate is how far a row has come, for counting and for its picture.
type fate string

const (
	stoodCanceled fate = "canceled"
	stoodOpen     fate = "open"    // asked for, and on its way
	stoodUnknown  fate = "unknown" // it may or may not have happened
	stoodEnded    fate = "ended"   // asked for, and not canceled
	stoodRefused  fate = "refused" // never asked for
)

func fateOf(r *bulk.Row) fate {
	switch {
	case r.Cancellation == nil:
		return stoodRefused
	case r.Cancellation.State == models.Confirmed:
		return stoodCanceled
	case r.Cancellation.State == models.Unknown:
		return stoodUnknown
	case r.Cancellation.State.Open():
		return stoodOpen
	}
	return stoodEnded
}

// count is how many rows stand so.
func (v *BulkOutcomeView) count(is ...fate) int {
	n := 0
	for i := range v.Rows {
		for _, s := range is {
			if fateOf(&v.Rows[i]) == s {
				n++
			}
		}
	}
	return n
}

// asked is how many were asked for.
func (v *BulkOutcomeView) asked() int { return len(v.Rows) - v.count(stoodRefused) }

// mayChange reports whether something can still change by itself, the end of a pause
// among it: then what it refused may be asked for again.
func (v *BulkOutcomeView) mayChange() bool {
	return v.count(stoodOpen, stoodUnknown) > 0 || v.Notices.Pause != nil && len(v.again()) > 0
}

// again are the sales that were refused, or that a terminal refused, and may be
// asked for now.
func (v *BulkOutcomeView) again() []bulk.Row {
	return pick(v.Rows, func(r *bulk.Row) bool {
		if r.Sale == nil || r.Cancellation != nil && r.Cancellation.State != models.Rejected {
			return false
		}
		return MayCancel(v.Actor, r.Sale, v.Window, v.Now)
	})
}

func (v *BulkOutcomeView) againURL() string {
	return bulkURL("/sales/cancellations/new", v.again(), v.From)
}

// url is where the outcome is found again.
func (v *BulkOutcomeView) url() string {
	return bulkURL("/sales/cancellations/"+url.PathEscape(v.Click), v.Rows, v.From)
}

func (v *BulkOutcomeView) partURL() string { return v.url() + "&fragment=several" }

func bulkURL(path string, rows []bulk.Row, from string) string {
	q := url.Values{}
	for i := range rows {
		q.Add("sale", ui.Itoa(rows[i].SaleID))
	}
	ui.Set(q, "from", from)
	return ui.Address(path, q)
}

// outcomeLook is the class of a row's state; what was not asked for shares that
// of a refusal.
func outcomeLook(r *bulk.Row) string {
	if r.Cancellation == nil {
		return string(models.SaleTooLate)
	}
	return words.SharedState(r.Cancellation.State)
}

func outcomeIcon(r *bulk.Row) string {
	switch {
	case r.Cancellation == nil:
		return "ban"
	case r.Cancellation.State == models.Withdrawn:
		return "undo-2"
	}
	return words.StateIcons[models.SaleState(r.Cancellation.State)]
}

func outcomeState(ctx context.Context, r *bulk.Row) string {
	if r.Cancellation == nil {
		return locale.T(ctx, "several.notAsked")
	}
	return locale.T(ctx, "case."+string(r.Cancellation.State))
}

// outcomeNext is why, or what happens next, in a sentence.
func (v *BulkOutcomeView) outcomeNext(ctx context.Context, r *bulk.Row) string {
	switch {
	case r.Cancellation == nil && r.Refusal == "":
		return locale.T(ctx, "several.neverReached")
	case r.Cancellation == nil && r.Seen != nil && r.Sale != nil:
		return locale.T(ctx, "several.amountOutcome", "Seen", ui.Money(*r.Seen), "Now", ui.Money(r.Sale.Amount))
	case r.Cancellation == nil:
		return ui.Maybe(ctx, "", r.Refusal)
	case r.Cancellation.State == models.Requested && r.QueuePosition > 0:
		return ui.CountOf(ctx, "story.place", r.QueuePosition)
	case r.Cancellation.State == models.Rejected, r.Cancellation.State == models.Unknown:
		return words.DetailWord(ctx, r.Cancellation.Detail)
	case r.Cancellation.State == models.Expired:
		return locale.T(ctx, "several.expired")
	case r.Cancellation.State == models.Accepted:
		return locale.T(ctx, "several.accepted")
	}
	return ""
}

func cancellationState(r *bulk.Row) string {
	if r.Cancellation == nil {
		return ""
	}
	return string(r.Cancellation.State)
}

func orderOf(r *bulk.Row) string {
	if r.Sale == nil {
		return ""
	}
	return r.Sale.OrderID
}

// TogetherURL lists in the trail what was asked for by one press, and what came
// of it.
func TogetherURL(reference string) string { return "/audit?q=" + url.QueryEscape(reference) }
