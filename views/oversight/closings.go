package oversight

import (
	"context"
	"time"

	"veinte/models"
	"veinte/models/closings"
	"veinte/views/locale"
	"veinte/views/ui"
)

// ClosingsView lists the closing reports of days.
type ClosingsView struct {
	ui.Page
	List   closings.List
	Before string // the day before which the page begins; "" for the newest
	Errors ui.Errors
}

// preparation is about how long a day's report takes to be made once its window has
// closed.
const preparation = 5 * time.Minute

// making reports whether the day has closed and its report is not there yet.
func (v *ClosingsView) making() bool {
	cutoff := v.Window.Calendar.Cutoff(v.Now)
	return v.Before == "" && !v.Now.Before(cutoff) && v.Now.Before(cutoff.Add(preparation)) &&
		(len(v.List.Lines) == 0 || v.List.Lines[0].Day < v.Today())
}

// ClosingView is the closing report of a day.
type ClosingView struct {
	ui.Page
	Report closings.Report
	Labels map[models.SerialNumber]string // of terminals, as they are called now
	Store  int64                          // whose terminals are shown; 0: those of all, where they are few
}

// Chosen is the store whose terminals are shown; nil when none was chosen, or the
// report has none of it.
func (v *ClosingView) Chosen() *closings.StoreSums {
	for i := range v.Report.Stores {
		if v.Report.Stores[i].ID == v.Store {
			return &v.Report.Stores[i]
		}
	}
	return nil
}

// fewTerminals is how many are shown without choosing a store.
const fewTerminals = 60

// shown are the stores whose terminals are on the page.
func (v *ClosingView) shown() []closings.StoreSums {
	if s := v.Chosen(); s != nil {
		return []closings.StoreSums{*s}
	}
	n := 0
	for i := range v.Report.Stores {
		n += len(v.Report.Stores[i].Terminals)
	}
	if n > fewTerminals {
		return nil
	}
	return v.Report.Stores
}

// firstAmended is how many changes are open: on a phone each is a card.
const firstAmended = 12

// amended are the changes that are open, and those that are folded. One alone is not worth it.
func (v *ClosingView) amended() (first, rest []closings.Amendment) {
	all := v.Report.Amendments
	if len(all) <= firstAmended+1 {
		return all, nil
	}
	return all[:firstAmended], all[firstAmended:]
}

func closingPath(d models.Day, rest string) string { return "/closings/" + string(d) + rest }

func (v *ClosingView) storeName(id int64) string {
	for i := range v.Report.Stores {
		if v.Report.Stores[i].ID == id {
			return v.Report.Stores[i].Name
		}
	}
	return ""
}

// orMore writes a count, and that it is not all.
func orMore(n int64, more bool) string {
	if more {
		return ui.Number(n) + "+"
	}
	return ui.Number(n)
}

// madeAt says when a report was made, and that it was late when it was.
func madeAt(ctx context.Context, p ui.Page, c *closings.Closing) string {
	key := "closing.made"
	if c.Late() {
		key = "closing.madeLate"
	}
	return locale.T(ctx, key, "At", ui.At(ctx, p, c.ClosedAt, c.Day))
}

// closedAs words what a sale was closed as; "" says that it was not there.
func closedAs(ctx context.Context, s closings.ClosedAs, amount models.Money, missing string) string {
	if s == "" {
		return locale.T(ctx, missing)
	}
	return locale.T(ctx, "closedAs."+string(s)) + " · " + ui.Money(amount)
}

// amendedAt is when a sale changed, a dash when that is not known.
func amendedAt(ctx context.Context, p ui.Page, a *closings.Amendment) string {
	if a.At == nil {
		return "–"
	}
	return ui.SinceZoned(ctx, p, a.At)
}

// columns are the standings that any sale of the day has: a column of noughts
// says nothing.
func (v *ClosingView) columns() []int {
	var some []int
	for i := range v.Report.Sums {
		if v.Report.Sums[i].Count > 0 {
			some = append(some, i)
		}
	}
	return some
}

// terminal names a terminal by its label and its serial number.
func (v *ClosingView) terminal(ctx context.Context, s models.SerialNumber) string {
	serial := locale.T(ctx, "terminal.serialShort") + " " + string(s)
	if label := v.Labels[s]; label != "" {
		return label + " · " + serial
	}
	return serial
}

// terminalOf names a terminal of a store, which stands before it where those of several
// are shown.
func (v *ClosingView) terminalOf(ctx context.Context, s *closings.StoreSums, serial models.SerialNumber) string {
	if len(v.shown()) < 2 {
		return v.terminal(ctx, serial)
	}
	return ui.InStore(s.Code, v.terminal(ctx, serial))
}

// closingNext says what to do about what was left open.
func closingNext(ctx context.Context, d *closings.DoubtfulSale) string {
	if d.State == models.SaleUnknown {
		return locale.T(ctx, "closing.nextDoubt")
	}
	return locale.T(ctx, "closing.nextPending")
}
