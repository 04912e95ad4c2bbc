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
func (v *OversightView) totalWords(ctx context.Context) string {
	r := &v.Report.Total
	return locale.T(
		ctx, "oversight.total", "Part", ui.PartOf(r.Canceled, r.Against.Sales), "N", ui.Number(r.Canceled), "Sales", ui.Number(r.Against.Sales),
		"Amount", ui.Money(r.Amount),
	)
}

// asked says of which days and store the page is.
func asked(ctx context.Context, stores []models.Store, f oversight.Filter) string {
	span := ui.SpanWords(ctx, f.From, f.To)
	if f.StoreID == 0 {
		return span
	}
	return ui.StoreName(stores, f.StoreID) + " · " + span
}

// known reports whether there are enough weeks before the period to compare with.
func (v *OversightView) known() bool { return v.Report.Total.Usual.Weeks >= oversight.MinWeeks }

// compared is a comparison in words: what it says, and how sure that is.
type compared struct{ says, how string }

func (c compared) whole() string {
	if c.how == "" {
		return c.says + "."
	}
	return c.says + " (" + c.how + ")."
}

// ownWords says how a row stands beside its own average.
func ownWords(ctx context.Context, r *oversight.Row) compared {
	weeks := locale.T(ctx, "oversight.ofWeeks", "Weeks", r.Usual.Weeks)
	switch j := r.Own; {
	case r.Usual.Weeks < oversight.MinWeeks:
		return compared{says: locale.T(ctx, "oversight.noWeeks")}
	case j.Few:
		return compared{says: locale.T(ctx, "oversight.fewOwn")}
	case j.Out() && math.IsInf(j.Times, 1):
		return compared{locale.T(ctx, "oversight.neverBefore"), weeks}
	case j.Out():
		return compared{
			locale.T(ctx, "oversight.timesOwn", "Times", times(j.Times)),
			locale.T(ctx, "oversight.least", "Least", ui.Decimal(j.AtLeast)) + ", " + weeks,
		}
	case math.IsInf(j.Times, 1):
		return compared{says: locale.T(ctx, "oversight.neverButFew")}
	default:
		return compared{says: locale.T(ctx, "oversight.asEver", "Times", times(j.Times))}
	}
}

// peersOf is with whom rows are compared, as the end of a key; "" with nobody.
func peersOf(by oversight.By) string {
	return map[oversight.By]string{
		oversight.ByPerson: "People", oversight.ByApprover: "People", oversight.ByTerminal: "Terminals", oversight.ByStore: "Stores",
	}[by]
}

// peerWords says how a row stands beside the others.
func peerWords(ctx context.Context, by oversight.By, r *oversight.Row) compared {
	j, kind := r.Peers, peersOf(by)
	others := locale.T(ctx, "oversight.beside"+kind, "Count", j.Others, "N", j.Others)
	switch {
	case r.Key == "":
		return compared{says: "–"}
	case j.Few:
		return compared{locale.T(ctx, "oversight.fewOwn"), others}
	case math.IsInf(j.Times, 1) && j.Out():
		return compared{locale.T(ctx, "oversight.only"+kind), others}
	case j.Out():
		return compared{
			locale.T(ctx, "oversight.times"+kind, "Times", times(j.Times)),
			locale.T(ctx, "oversight.least", "Least", ui.Decimal(j.AtLeast)) + ", " + others,
		}
	}
	return compared{locale.T(ctx, "oversight.like"+kind, "Times", times(j.Times)), others}
}

// whyWords says what a person canceled for, the most first.
func (v *OversightView) whyWords(ctx context.Context, c *oversight.Count) string {
	var parts []string
	rest := c.Canceled
	for _, r := range c.Reasons[:min(len(c.Reasons), 2)] {
		parts = append(parts, v.reason(ctx, r.Key)+" ("+ui.Number(r.Canceled)+")")
		rest -= r.Canceled
	}
	if rest > 0 { // they add up
		parts = append(parts, locale.T(ctx, "oversight.moreReasons", "N", ui.Number(rest)))
	}
	return strings.Join(parts, " · ")
}

// weeks are the part of the sales that was canceled in the period, at the end, and in
// each of the weeks before it.
func (v *OversightView) weeks(ctx context.Context) *ui.Chart {
	c := &ui.Chart{
		Id: "weeks", Title: locale.T(ctx, "oversight.weeks"), Head: locale.T(ctx, "oversight.period"), Desc: locale.T(ctx, "oversight.chart"),
		By: ui.ChartShare, NoTotal: true,
	}
	for i := range v.Report.Weeks {
		w := &v.Report.Weeks[i]
		first := w.From.Time(time.UTC)
		c.Rows = append(c.Rows, ui.ChartRow{
			Label: shortSpan(ctx, w.From, w.To), Short: strconv.Itoa(first.Day()) + " " + ui.Months[locale.Of(ctx)][first.Month()-1],
			To:    periodURL("/oversight", v.Report.Filter, ui.Period{From: w.From, To: w.To}),
			Minor: i%2 != 0, Now: i == len(v.Report.Weeks)-1, Unknown: w.Against.Sales == 0,
			Sums: models.Sums{
				Sales: models.Sum{Count: w.Against.Sales, Amount: w.Against.Amount}, Canceled: models.Sum{Count: w.Canceled, Amount: w.Amount},
			},
		})
	}
	return c
}

// linePoints are the known weeks of a row from left to right, in a picture of 96 by 24.
func linePoints(line []float64) string {
	highest := 0.0
	for _, f := range line {
		highest = max(highest, f)
	}
	if highest == 0 {
		return ""
	}
	var points []string
	for i, f := range line {
		if f >= 0 {
			points = append(points, fmt.Sprintf("%.1f,%.1f", 2+92*float64(i)/float64(len(line)-1), 22-20*f/highest))
		}
	}
	return strings.Join(points, " ")
}

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
