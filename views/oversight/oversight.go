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
	"veinte/views/locale"
	"veinte/views/ui"
)

// OversightView is the report of who and what cancels how much.
type OversightView struct {
	ui.Page
	Filter    models.OversightFilter  // filled; what could not be read stays as it was typed
	Report    *models.OversightReport // nil when the filter was refused
	Stores    []models.Store
	Terminals map[int64]models.Terminal
	Reasons   []models.Reason
	Errors    ui.Errors // of the filter
}

// PatternsView lists what stands out, or the instances of one pattern.
type PatternsView struct {
	ui.Page
	Filter    models.OversightFilter
	Found     *models.Findings // nil when the filter was refused
	Stores    []models.Store
	Terminals map[int64]models.Terminal
	Reasons   []models.Reason
	Errors    ui.Errors
}

// FindingView is one instance with the cases behind it.
type FindingView struct {
	PatternsView
	Finding models.Finding
	Note    string // as it was typed
}

// oversightURL is a page with the filter that it asks for.
func oversightURL(path string, f models.OversightFilter) string {
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
	"minutes": models.OversightMinutes[0], "times": models.OversightTimes[0], "days": models.OversightDays[0],
}

// reportOf is the report's address, by something.
func reportOf(f models.OversightFilter, by models.OversightBy) string {
	return oversightURL("/oversight", models.OversightFilter{From: f.From, To: f.To, StoreID: f.StoreID, By: by})
}

// patternsOf is the address of a pattern's instances; "" of all.
func patternsOf(path string, f models.OversightFilter, kind models.FindingKind) string {
	f.By, f.Kind, f.Subject = "", kind, ""
	return oversightURL(path, f)
}

// findingOf is the address of one finding.
func findingOf(f models.OversightFilter, kind models.FindingKind, subject string) string {
	f.By, f.Kind, f.Subject = "", kind, subject
	return oversightURL("/oversight/finding", f)
}

// FindingURL is the page of the finding that the filter names.
func FindingURL(f models.OversightFilter) string { return findingOf(f, f.Kind, f.Subject) }

// times writes a ratio; what has nothing to be compared with has no number.
func times(f float64) string {
	if math.IsInf(f, 1) {
		return "∞"
	}
	return ui.Decimal(f)
}

// ownWords says how a row stands beside its own average.
func ownWords(ctx context.Context, r *models.OversightRow) string {
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
func peerWords(ctx context.Context, by models.OversightBy, r *models.OversightRow) string {
	j := r.Peers
	kind := map[models.OversightBy]string{
		models.ByPerson: "People", models.ByApprover: "People", models.ByTerminal: "Terminals", models.ByStore: "Stores",
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
func usualWords(ctx context.Context, r *models.OversightRow) string {
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
	rate := func(w models.OversightWeek) float64 {
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
			x: n(x), y: n(18 + chartHeight - h), height: n(h), middle: n(x + 16), value: ui.PerThousand(w.Canceled, w.Against), now: i == len(v.Report.Weeks)-1,
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
	options := make([]ui.Option, 0, len(choices))
	for _, n := range slices.Sorted(slices.Values(choices)) {
		options = append(options, ui.Option{Value: strconv.Itoa(n), Text: locale.T(ctx, key, "Count", n, "N", n)})
	}
	return options
}

func periodURL(path string, f models.OversightFilter, at ui.Period) string {
	f.From, f.To = at.From, at.To
	return oversightURL(path, f)
}

// reportFile is the report as a file.
func reportFile(f models.OversightFilter) string {
	f.Kind, f.Subject, f.Minutes, f.Times, f.Days = "", "", 0, 0, 0
	return oversightURL("/oversight.csv", f)
}

// apart counts what was asked for and is not canceled, by what became of it.
func apart(ctx context.Context, r *models.OversightRow) string {
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
func howKey(by models.OversightBy) string {
	switch by {
	case models.ByPerson, models.ByApprover:
		return "people"
	case models.ByReason:
		return "reasons"
	}
	return "places"
}
