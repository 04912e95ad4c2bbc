package oversight

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/oversight"
	"veinte/views/locale"
	"veinte/views/ui"
)

// OversightView is the report of who and what cancels how much.
type OversightView struct {
	ui.Page
	Filter    oversight.Filter  // filled; what could not be read stays as it was typed
	Report    *oversight.Report // nil when the filter was refused
	Stores    []models.Store
	Terminals map[int64]models.Terminal
	Reasons   []models.Reason
	Errors    ui.Errors // of the filter
}

// PatternsView lists what stands out, or the instances of one pattern.
type PatternsView struct {
	ui.Page
	Filter    oversight.Filter
	Found     *oversight.Findings // nil when the filter was refused
	Stores    []models.Store
	Terminals map[int64]models.Terminal
	Reasons   []models.Reason
	Errors    ui.Errors
}

// FindingView is one finding with its cancellations.
type FindingView struct {
	PatternsView
	Finding oversight.Finding
	Note    string // as it was typed
}

// oversightURL is a page with the filter that it asks for.
func oversightURL(path string, f oversight.Filter) string {
	q := url.Values{}
	ui.Set(q, "from", string(f.From))
	ui.Set(q, "to", string(f.To))
	ui.SetID(q, "store", f.StoreID)
	ui.Set(q, "by", string(f.By))
	ui.Set(q, "kind", string(f.Kind))
	ui.Set(q, "subject", f.Subject)
	for name, chosen := range map[string]int{"minutes": f.Minutes, "times": f.Times, "days": f.Days} {
		if chosen != 0 && chosen != defaultChoice[name] {
			q.Set(name, strconv.Itoa(chosen))
		}
	}
	return ui.Address(path, q)
}

var defaultChoice = map[string]int{
	"minutes": oversight.MinuteChoices[0], "times": oversight.TimeChoices[0], "days": oversight.DayChoices[0],
}

// reportOf is the report's address, by something.
func reportOf(f oversight.Filter, by oversight.By) string {
	return oversightURL("/oversight", oversight.Filter{From: f.From, To: f.To, StoreID: f.StoreID, By: by})
}

// patternsOf is the address of a pattern's instances; "" of all.
func patternsOf(path string, f oversight.Filter, kind oversight.FindingKind) string {
	f.By, f.Kind, f.Subject = "", kind, ""
	return oversightURL(path, f)
}

// findingOf is the address of one finding.
func findingOf(f oversight.Filter, kind oversight.FindingKind, subject string) string {
	f.By, f.Kind, f.Subject = "", kind, subject
	return oversightURL("/oversight/finding", f)
}

// FindingURL is the page of the finding that the filter names.
func FindingURL(f oversight.Filter) string { return findingOf(f, f.Kind, f.Subject) }

// times writes a ratio; what has nothing to be compared with has no number.
func times(f float64) string {
	if math.IsInf(f, 1) {
		return "∞"
	}
	return ui.Decimal(f)
}

// totalWords says how much was canceled in the period, of how much.
func totalWords(ctx context.Context, r *oversight.Row) string {
	return ui.CountOf(
		ctx, "oversight.total", r.Canceled, "Amount", ui.Money(r.Amount),
		"Sales", ui.Number(r.Against.Sales), "Rate", ui.PerThousand(r.Canceled, r.Against),
	)
}

// ownWords says how a row stands beside its own average.
func ownWords(ctx context.Context, r *oversight.Row) string {
	switch j := r.Own; {
	case j.Few:
		return locale.T(ctx, "oversight.fewOwn", "Weeks", r.Usual.Weeks)
	case j.Out() && math.IsInf(j.Times, 1):
		return locale.T(ctx, "oversight.neverBefore", "Weeks", r.Usual.Weeks)
	case j.Out():
		return locale.T(ctx, "oversight.timesOwn", "Times", times(j.Times), "Weeks", r.Usual.Weeks, "Least", ui.Decimal(j.AtLeast))
	case math.IsInf(j.Times, 1):
		return locale.T(ctx, "oversight.neverButFew", "Weeks", r.Usual.Weeks)
	default:
		return locale.T(ctx, "oversight.asEver", "Times", times(j.Times), "Weeks", r.Usual.Weeks)
	}
}

// peerWords says how a row stands beside the others; "" where nothing is compared.
func peerWords(ctx context.Context, by oversight.By, r *oversight.Row) string {
	j := r.Peers
	kind := map[oversight.By]string{
		oversight.ByPerson: "People", oversight.ByApprover: "People", oversight.ByTerminal: "Terminals", oversight.ByStore: "Stores",
	}[by]
	switch {
	case kind == "" || r.Key == "":
		return ""
	case j.Few:
		return locale.T(ctx, "oversight.few"+kind, "Others", j.Others)
	case math.IsInf(j.Times, 1) && j.Out():
		return locale.T(ctx, "oversight.only"+kind, "Others", j.Others)
	case j.Out():
		return locale.T(ctx, "oversight.times"+kind, "Times", times(j.Times), "Others", j.Others, "Least", ui.Decimal(j.AtLeast))
	}
	return locale.T(ctx, "oversight.like"+kind, "Times", times(j.Times), "Others", j.Others)
}

// usualWords is a row's average, with how many weeks it knows.
func usualWords(ctx context.Context, r *oversight.Row) string {
	if r.Usual.Weeks == 0 {
		return locale.T(ctx, "oversight.noWeeks")
	}
	return locale.T(ctx, "oversight.usual", "N", ui.Decimal(float64(r.Usual.Canceled)/float64(r.Usual.Weeks)), "Weeks", r.Usual.Weeks)
}

// bar is one of the chart.
type bar struct {
	x, y, height, middle string
	value                string
	now                  bool
}

// chartHeight is that of the highest bar, in the chart's own units.
const chartHeight = 90.0

// bars are the weeks before and the period: how many of a thousand sales were
// canceled in each.
func (v *OversightView) bars() []bar {
	highest := 0.0
	rate := func(w oversight.Week) float64 {
		if w.Against.Sales == 0 {
			return 0
		}
		return 1000 * float64(w.Canceled) / float64(w.Against.Sales)
	}
	for _, w := range v.Report.Weeks {
		highest = max(highest, rate(w))
	}
	var all []bar
	for i, w := range v.Report.Weeks {
		h := 0.0
		if highest > 0 {
			h = chartHeight * rate(w) / highest
		}
		n := func(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }
		x := float64(i)*44 + 6
		all = append(all, bar{
			x: n(x), y: n(18 + chartHeight - h), height: n(h), middle: n(x + 16), value: ui.PerThousand(w.Canceled, w.Against),
			now: i == len(v.Report.Weeks)-1,
		})
	}
	return all
}

func chartBox(bars []bar) string { return fmt.Sprintf("0 0 %d 126", len(bars)*44) }

// shortSpan is a week as a table has room for it: 10–16 oct, 28 sep–4 oct.
func shortSpan(ctx context.Context, from, to models.Day) string {
	a, b := from.Time(time.UTC), to.Time(time.UTC)
	month := func(t time.Time) string { return " " + ui.Months[locale.Of(ctx)][t.Month()-1] }
	first := strconv.Itoa(a.Day())
	if a.Month() != b.Month() || a.Year() != b.Year() {
		first += month(a)
	}
	return first + "–" + strconv.Itoa(b.Day()) + month(b)
}

func intOptions(ctx context.Context, key string, choices []int) []ui.Option {
	sorted := slices.Sorted(slices.Values(choices))
	return ui.NumberOptions(sorted, func(n int) string { return locale.T(ctx, key, "Count", n, "N", n) })
}

func periodURL(path string, f oversight.Filter, at ui.Period) string {
	f.From, f.To = at.From, at.To
	return oversightURL(path, f)
}

// reportFile is the report as a file.
func reportFile(f oversight.Filter) string {
	f.Kind, f.Subject, f.Minutes, f.Times, f.Days = "", "", 0, 0, 0
	return oversightURL("/oversight.csv", f)
}

// apart counts what was asked for and is not canceled, by what became of it.
func apart(ctx context.Context, r *oversight.Row) string {
	var parts []string
	for _, p := range []struct {
		key string
		n   int64
	}{
		{"oversight.inDoubt", r.InDoubt},
		{"oversight.rejected", r.Rejected},
		{"oversight.notCanceled", r.NotCanceled},
		{"oversight.underWay", r.UnderWay},
		{"oversight.dropped", r.Dropped},
	} {
		if p.n > 0 {
			parts = append(parts, locale.T(ctx, p.key, "Count", p.n, "N", ui.Number(p.n)))
		}
	}
	return strings.Join(parts, " · ")
}

// howKey chooses what is said of how sales are measured.
func howKey(by oversight.By) string {
	switch by {
	case oversight.ByPerson, oversight.ByApprover:
		return "people"
	case oversight.ByReason:
		return "reasons"
	}
	return "places"
}
