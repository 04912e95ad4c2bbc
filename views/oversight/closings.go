package oversight

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/audit/compare"
	"veinte/models/closings"
	"veinte/views/locale"
	"veinte/views/seal"
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
	// Compared is when the tables were last compared with the trail; nil: never.
	Compared *compare.Comparison
	Seal     *seal.View                     // the first checkpoint over the report's entry; nil: none yet
	Labels   map[models.SerialNumber]string // of terminals, as they are called now
	Store    int64                          // whose terminals are unfolded; 0: those of all, where they are few
	At       int                            // the page of the stores; 0: the one with the store, or the first
}

// proven reports whether the tables were compared with the trail since the report was made,
// and no difference was found: only then is it said that all is as it was stored.
func (v *ClosingView) proven() bool {
	return v.Compared != nil && v.Compared.State == compare.Intact && v.Compared.At.After(v.Report.ClosedAt)
}

// Chosen is the store whose terminals are unfolded; nil when none was chosen, or the
// report has none of it.
func (v *ClosingView) Chosen() *closings.StoreSums {
	for i := range v.Report.Stores {
		if v.Report.Stores[i].ID == v.Store {
			return &v.Report.Stores[i]
		}
	}
	return nil
}

// fewTerminals is how many are shown below their stores without unfolding one.
const fewTerminals = 60

// few reports whether the terminals of all stores are shown.
func (v *ClosingView) few() bool {
	n := 0
	for i := range v.Report.Stores {
		n += len(v.Report.Stores[i].Terminals)
	}
	return n <= fewTerminals
}

// unfolded reports whether the terminals of a store are below it.
func (v *ClosingView) unfolded(s *closings.StoreSums) bool {
	return v.Store == s.ID || v.Store == 0 && v.few()
}

// storesAClosing is how many stores a page of a report has.
const storesAClosing = 25

// stores are those of this page, first where something was left open, and the numbers of
// the pages before and after; 0 for none.
func (v *ClosingView) stores() (shown []closings.StoreSums, before, after int) {
	all := slices.Clone(v.Report.Stores)
	open := func(s closings.StoreSums) int {
		return min(int(s.Sums.Of(closings.ClosedDoubt).Count+s.Sums.Of(closings.ClosedPending).Count), 1)
	}
	slices.SortStableFunc(all, func(a, b closings.StoreSums) int { return cmp.Compare(open(b), open(a)) })
	if at := slices.IndexFunc(all, func(s closings.StoreSums) bool { return s.ID == v.Store }); v.At < 1 {
		v.At = max(at, 0)/storesAClosing + 1
	}
	v.At = min(v.At, max(1, (len(all)+storesAClosing-1)/storesAClosing))
	if v.At*storesAClosing < len(all) {
		after = v.At + 1
	}
	return all[(v.At-1)*storesAClosing : min(v.At*storesAClosing, len(all))], v.At - 1, after
}

// page is the address of a page of the stores.
func (v *ClosingView) page(at int) templ.SafeURL {
	return templ.SafeURL(closingPath(v.Report.Day, "?page="+strconv.Itoa(at)+"#sums"))
}

// fold is the address that unfolds a store's terminals, or folds them.
func (v *ClosingView) fold(s *closings.StoreSums) templ.SafeURL {
	q := url.Values{}
	if v.At > 1 {
		q.Set("page", strconv.Itoa(v.At))
	}
	if v.Store != s.ID {
		q.Set("store", ui.Itoa(s.ID))
	}
	return templ.SafeURL(ui.Address(closingPath(v.Report.Day, ""), q) + "#store-" + ui.Itoa(s.ID))
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

// since says in words what came or changed after a day was closed.
func since(ctx context.Context, l *closings.Line) (words []string) {
	if l.More {
		return []string{locale.T(ctx, "closing.changedMuch")}
	}
	for _, change := range closings.ChangesAll {
		if n := l.Since[change]; n > 0 {
			words = append(words, ui.CountOf(ctx, "closing.changed."+string(change), n))
		}
	}
	if words == nil {
		words = []string{locale.T(ctx, "closing.changedNothing")}
	}
	return words
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
	if v.Store != 0 || len(v.Report.Stores) < 2 {
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
