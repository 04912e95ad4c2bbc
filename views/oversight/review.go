package oversight

import (
	"context"
	"net/url"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/oversight"
	"veinte/models/review"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// ReviewView is the inbox.
type ReviewView struct {
	ui.Page
	review.Filter
	List   review.Page
	Open   string    // the item whose note is open, as ItemName has it
	Note   string    // as typed, where it was refused
	Errors ui.Errors // of a mark that was refused
}

// kinds are the kinds of which something waits, and the one that is shown.
func (v *ReviewView) kinds() (some []review.Kind) {
	for _, kind := range review.Kinds {
		if v.List.Counts[kind] > 0 || kind == v.Kind {
			some = append(some, kind)
		}
	}
	return some
}

// tabName names a kind with how many things of it wait.
func (v *ReviewView) tabName(ctx context.Context, kind review.Kind) string {
	n, key := v.List.Count(), "review.all"
	if kind != "" {
		n, key = v.List.Counts[kind], "reviewKind."+string(kind)
	}
	return locale.T(ctx, key) + " (" + ui.Waiting(n) + ")"
}

// url is a page of a kind, with what is searched.
func (v *ReviewView) url(kind review.Kind, cursor string) string {
	q := url.Values{}
	ui.Set(q, "kind", string(kind))
	ui.Set(q, "q", v.Query)
	ui.Set(q, "cursor", cursor)
	return ui.Address("/review", q)
}

// shown names what is shown to a mark, which comes back to it.
func (v *ReviewView) shown() string {
	if v.Kind == "" {
		return "all"
	}
	return string(v.Kind)
}

// open is the page with the note of an item open, for browsers without scripts.
func (v *ReviewView) open(i *review.Item) string {
	q := url.Values{"mark": {ItemName(i)}}
	ui.Set(q, "kind", string(v.Kind))
	ui.Set(q, "q", v.Query)
	ui.Set(q, "cursor", v.Cursor)
	return ui.Address("/review", q) + "#" + ItemName(i)
}

// ItemName tells an item from all others of the inbox.
func ItemName(i *review.Item) string { return string(i.Kind) + "-" + ui.Itoa(i.ID) }

// itemTitle says what happened.
func itemTitle(ctx context.Context, i *review.Item) string {
	switch i.Kind {
	case review.ReviewDoubt:
		if why := words.DetailWord(ctx, i.Cancellation.Detail); why != "" {
			return why
		}
		return locale.T(ctx, "truth.unknown")
	case review.ReviewConflict:
		return locale.T(ctx, "conflict."+string(i.Cancellation.Conflict))
	case review.ReviewResult:
		return ui.Maybe(ctx, "resultNote.", i.Result.Note)
	case review.ReviewAlert:
		return words.AlertSays(ctx, i.Alert)
	case review.ReviewReport:
		n, day := i.Differing.Differences, ui.Day(ctx, i.Differing.BusinessDay)
		if n >= review.MaxDifferences {
			return locale.T(ctx, "review.differingMore", "N", ui.Number(int64(n-1)), "Day", day)
		}
		return ui.CountOf(ctx, "review.differing", n, "Day", day)
	case review.ReviewDifference:
		return words.DifferenceSays(ctx, &i.Difference.ReportItem)
	}
	return locale.T(ctx, "review.finding", "Kind", locale.T(ctx, "oversight.find."+string(i.Finding.Kind)), "Who", findingWho(ctx, i),
		"N", ui.Number(int64(i.Finding.Count)))
}

// findingWho is whom or what a finding is about. A store is named where it is.
func findingWho(ctx context.Context, i *review.Item) string {
	switch i.Finding.Kind {
	case oversight.FindCard:
		return locale.T(ctx, "oversight.card", "Card", i.Finding.Subject)
	case oversight.FindLarge:
		if i.Store != nil {
			return i.Store.Name
		}
	}
	return whoName(ctx, i.Finding.Subject, i.Finding.Name)
}

// itemWhy is the code of what happened, for scripts. A mark names it, so that it is of what
// was seen.
func itemWhy(i *review.Item) string {
	switch i.Kind {
	case review.ReviewDoubt:
		return string(i.Cancellation.Detail)
	case review.ReviewConflict:
		return string(i.Cancellation.Conflict)
	case review.ReviewResult:
		return i.Result.Note
	case review.ReviewAlert:
		return string(i.Alert.Kind)
	case review.ReviewReport:
		return "differences"
	case review.ReviewDifference:
		return string(i.Difference.Kind)
	}
	return string(i.Finding.Kind)
}

// itemPath is the page of what the item is about; "" when there is none that the reader
// may see.
func itemPath(p ui.Page, i *review.Item) string {
	switch {
	case i.Kind == review.ReviewAlert:
		if i.Alert.StoreID == nil && !p.Actor.AllStores {
			return ""
		}
		return i.Alert.Path()
	case i.Kind == review.ReviewReport:
		return "/reconciliations/" + ui.Itoa(i.ID) + "?open=1"
	case i.Kind == review.ReviewDifference:
		return "/reconciliations/" + ui.Itoa(i.Difference.ReconciliationID) + "?kind=" + string(i.Difference.Kind)
	case i.Kind == review.ReviewFinding:
		return findingOf(oversight.Filter{}, i.Finding.Kind, i.Finding.Subject)
	case i.Sale != nil:
		return "/sales/" + ui.Itoa(i.Sale.ID)
	}
	return "/results?id=" + ui.Itoa(i.ID)
}

// ItemAmount is the amount that is at stake; "" when none is known.
func ItemAmount(i *review.Item) string {
	switch {
	case i.Kind == review.ReviewFinding && i.Finding.Amount != 0:
		return ui.Money(i.Finding.Amount)
	case i.Kind == review.ReviewDifference && i.Difference.OurAmount != nil:
		return ui.Money(*i.Difference.OurAmount)
	case i.Kind == review.ReviewDifference && i.Difference.Amount != nil:
		return ui.Money(*i.Difference.Amount)
	case i.Kind == review.ReviewAlert && i.Alert.Kind != alerts.KindClosing && i.Alert.Read().Amount != 0:
		return ui.Money(i.Alert.Read().Amount)
	case i.Sale != nil:
		return ui.Money(i.Sale.Amount)
	case i.Result != nil && i.Result.Amount != nil:
		return ui.Money(*i.Result.Amount)
	}
	return ""
}

// otherAmount is what a result says of the sale's amount, if it says another; else nil.
func otherAmount(i *review.Item) *models.Money {
	if i.Result == nil || i.Sale == nil || i.Result.Amount == nil || *i.Result.Amount == i.Sale.Amount {
		return nil
	}
	return i.Result.Amount
}

// itemWhere is where it was, and what else identifies it.
func itemWhere(ctx context.Context, i *review.Item) (parts []string) {
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if i.Store != nil {
		add(i.Store.Name)
	}
	if i.Terminal.Label != "" || i.Terminal.SerialNumber != "" {
		add(ui.TerminalName(i.Terminal.Label, i.Terminal.SerialNumber))
	}
	switch {
	case i.Sale != nil:
		add(i.Sale.OrderID)
	case i.Result != nil:
		add(i.Result.OrderID)
	case i.Difference != nil:
		add(i.Difference.OrderID)
	}
	if c := i.Cancellation; c != nil && c.Origin == models.FromPerson {
		add(c.Requester)
	}
	if posted := otherAmount(i); posted != nil {
		add(locale.T(ctx, "review.posted", "Amount", ui.Money(*posted)))
	}
	if i.Difference != nil {
		add(locale.T(ctx, "review.report", "Name", i.Difference.ProfileName, "Day", ui.Day(ctx, i.Difference.BusinessDay)))
	}
	if i.Differing != nil {
		add(i.Differing.ProfileName)
	}
	if i.Alert != nil && i.Alert.Times > 1 {
		add(locale.T(ctx, "alert.more", "N", ui.Number(int64(i.Alert.Times-1))))
	}
	return parts
}

// itemAlso says what else told of the same; "" when nothing did.
func itemAlso(ctx context.Context, i *review.Item) string {
	also := ""
	for _, kind := range i.Also {
		if also != "" {
			also += ", "
		}
		also += alertTitle(ctx, kind)
	}
	if also == "" {
		return ""
	}
	return locale.T(ctx, "review.also", "What", also)
}

// itemNext is what to do about it.
func itemNext(ctx context.Context, p ui.Page, i *review.Item) string {
	switch {
	case i.Overdue():
		return locale.T(ctx, "review.nextPerson")
	case i.Kind == review.ReviewDoubt && !p.Now.Before(i.NextInquiry):
		return locale.T(ctx, "review.nextNow", "N", i.Tries+1)
	case i.Kind == review.ReviewDoubt:
		return locale.T(ctx, "review.nextItself", "Time", ui.ClockSeconds(i.NextInquiry, p.Zone()), "N", i.Tries+1)
	case i.Kind == review.ReviewConflict:
		return locale.T(ctx, "conflictNext."+string(i.Cancellation.Conflict))
	case i.Kind == review.ReviewAlert:
		return locale.T(ctx, "alertNext."+string(i.Alert.Kind))
	case i.Kind == review.ReviewReport:
		return locale.T(ctx, "review.nextDiffering")
	case i.Kind == review.ReviewDifference:
		return words.DifferenceNext(ctx, &i.Difference.ReportItem)
	case i.Kind == review.ReviewFinding:
		return locale.T(ctx, "review.nextFinding")
	case locale.Has("resultNext." + i.Result.Note):
		return locale.T(ctx, "resultNext."+i.Result.Note)
	}
	return locale.T(ctx, "resultNext.other")
}

// nextPath is where other days are seen beside the one that an alert is about; "" of
// anything else.
func nextPath(p ui.Page, i *review.Item) string {
	if i.Kind != review.ReviewAlert || i.Alert.Kind != alerts.KindRate || i.Alert.StoreID == nil || !p.Actor.May(models.Oversee) {
		return ""
	}
	return oversightURL("/oversight", oversight.Filter{StoreID: *i.Alert.StoreID})
}

// notYours says who handles what the reader did.
func notYours(ctx context.Context, i *review.Item) string {
	if i.Kind == review.ReviewFinding {
		return locale.T(ctx, "review.ownFinding")
	}
	if len(i.Others) == 0 {
		return locale.T(ctx, "review.ownNobody")
	}
	return locale.T(ctx, "review.ownOthers", "Names", strings.Join(i.Others, ", "))
}

// itemTone chooses the colour: violet for what is in doubt or contradicts, amber for what
// only stands out or matches nothing.
func itemTone(i *review.Item) string {
	if i.Kind == review.ReviewDoubt || i.Kind == review.ReviewConflict ||
		i.Kind == review.ReviewResult && i.Result.Status != models.ResultUnmatched {
		return string(models.ResultConflict)
	}
	return string(models.ResultUnmatched)
}

// markPath is where an item is marked as handled; "" for what is resolved or noted on its
// own page.
func markPath(i *review.Item) string {
	switch i.Kind {
	case review.ReviewConflict:
		return "/review/conflicts/" + ui.Itoa(i.ID)
	case review.ReviewResult:
		return "/review/results/" + ui.Itoa(i.ID)
	case review.ReviewAlert:
		return "/alerts/" + ui.Itoa(i.ID) + "/attention"
	case review.ReviewDifference:
		return "/differences/" + ui.Itoa(i.ID) + "/review"
	}
	return ""
}

// NeedsNote reports whether a kind is handled only with a note.
func NeedsNote(kind review.Kind) bool {
	return kind == review.ReviewResult || kind == review.ReviewConflict
}

// itemAct is the one act of an item that has a page for it.
func itemAct(i *review.Item) (to, key string) {
	switch {
	case i.Kind == review.ReviewReport:
		return "/reconciliations/" + ui.Itoa(i.ID) + "?open=1", "review.openReport"
	case i.Kind == review.ReviewFinding:
		return findingOf(oversight.Filter{}, i.Finding.Kind, i.Finding.Subject) + "#marks", "review.look"
	case i.Overdue():
		return "/sales/" + ui.Itoa(i.Cancellation.SaleID), "review.resolve"
	}
	return "/sales/" + ui.Itoa(i.Cancellation.SaleID), "review.verify"
}

// Age writes how long ago something was, in the largest unit that fits.
func Age(ctx context.Context, d time.Duration) string {
	key, n := "age.days", int(d/(24*time.Hour))
	switch {
	case d < time.Minute:
		return locale.T(ctx, "age.now")
	case d < time.Hour:
		key, n = "age.minutes", int(d/time.Minute)
	case d < 48*time.Hour:
		key, n = "age.hours", int(d/time.Hour)
	}
	return locale.T(ctx, key, "Count", n, "N", n)
}

// HandledView lists what was handled lately.
type HandledView struct {
	ui.Page
	Counts  review.Counts
	Handled []review.Handled
}

// handledTitle says what it was.
func handledTitle(ctx context.Context, h *review.Handled) string {
	switch h.Kind {
	case review.ReviewDoubt:
		return words.CancellationStateText(ctx, models.State(h.Of))
	case review.ReviewAlert:
		return ui.Maybe(ctx, "alertKind.", h.Of)
	case review.ReviewDifference:
		return ui.Maybe(ctx, "itemKind.", h.Of)
	case review.ReviewFinding:
		return ui.Maybe(ctx, "oversight.find.", h.Of)
	case review.ReviewConflict:
		return ui.Maybe(ctx, "conflict.", h.Of)
	case review.ReviewResult:
		return ui.Maybe(ctx, "resultNote.", h.Of)
	}
	return ""
}

// handledWhere is where it was.
func handledWhere(h *review.Handled) (parts []string) {
	for _, part := range []string{h.StoreName, h.OrderID} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}
