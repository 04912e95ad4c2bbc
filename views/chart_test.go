package views

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/closings"
	"veinte/models/oversight"
	"veinte/static"
	"veinte/views/locale"
	oversightview "veinte/views/oversight"
	salesview "veinte/views/sales"
	"veinte/views/samples"
	"veinte/views/ui"
)

func mexican(t *testing.T) context.Context { return locale.With(t.Context(), "es-MX") }

func inPercent(t *testing.T, s string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Bars never leave their picture, parts follow each other and are all seen, only a bar's
// end is round, and the axis has few, round steps.
func TestPicturesStayInTheirFrame(t *testing.T) {
	t.Parallel()
	ctx := mexican(t)
	for _, c := range shop.Charts(ctx) {
		if n := len(c.Ticks()); n < 2 || n > 6 {
			t.Errorf("%s has %d steps of its axis, want 2 to 6", c.Id, n)
		}
		for i, b := range c.Bars() {
			parts := b.Parts
			if c.Shares {
				parts = c.Share(&c.Rows[i])
			}
			end := 0.0
			for _, p := range parts {
				if p.From != end || p.End-p.From < ui.LeastPart-.01 || p.End > 100+3*ui.LeastPart {
					t.Errorf("%s: a part of %s from %.2f to %.2f, after one that ends at %.2f", c.Id, b.Row.Label, p.From, p.End, end)
				}
				end = p.End
			}
			if b.Row.Sales.Count > 0 && end == 0 {
				t.Errorf("%s: %s has no bar", c.Id, b.Row.Label)
			}
		}
	}
}

func TestAxesAreRound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		by   ui.ChartBy
		most int64
		want string
	}{
		{ui.ChartAmount, 982800, "$0 $2,000 $4,000 $6,000 $8,000 $10,000"},
		{ui.ChartAmount, 1, "$0 $1"},
		{ui.ChartAmount, 125000000, "$0 $500,000 $1 M $1.5 M"},
		{ui.ChartSales, 1, "0 1"},
		{ui.ChartSales, 26, "0 10 20 30"},
	} {
		f := models.Sums{Sales: models.Sum{Count: tt.most, Amount: models.Money(tt.most)}}
		var words []string
		for _, at := range (&ui.Chart{By: tt.by, Rows: []ui.ChartRow{{Sums: f}}}).Ticks() {
			words = append(words, at.Word)
		}
		if got := strings.Join(words, " "); got != tt.want {
			t.Errorf("axis of %d by %s = %s, want %s", tt.most, tt.by, got, tt.want)
		}
	}
}

// The picture says the essential in words, and only what is confirmed is canceled.
func TestAPictureIsSaidInWords(t *testing.T) {
	t.Parallel()
	const want = "165 ventas por $63,539.00: 5 canceladas ($1,897.00), 3 por verificar ($1,225.00), 3 en curso ($1,239.00), " +
		"1 rechazada ($392.00)." +
		" La hora más alta empieza a las 14:00: $9,828.00."
	v := shop.StoreDay("19:52:03", 1, samples.DayOf(samples.SampleHours(), 3))
	if got := v.Hours(mexican(t)).Desc; got != want {
		t.Errorf("the day in words:\n%s\nwant:\n%s", got, want)
	}
	page := draw(t, "es-MX", salesview.Day(v))
	for _, text := range []string{
		`role="img"`, `<desc id="hours-desc">` + want, `url(#hours-canceled)`, `url(#hours-doubt)`, static.URL("charts.css"),
	} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %s", text)
		}
	}
	if strings.Contains(page, "style=") {
		t.Error("the page has an inline style, which the content security policy refuses")
	}
	if strings.Contains(draw(t, "es-MX", salesview.Sales(shop.Sales("19:52:03"))), "charts.") {
		t.Error("the list of sales loads the pictures")
	}
}

// A till is called with its store before it where those of several stores stand
// together, and there alone.
func TestTillsOfSeveralStoresAreTheirs(t *testing.T) {
	t.Parallel()
	names := func(c *ui.Chart) (all []string) {
		for i := range c.Rows {
			all = append(all, c.Rows[i].Label)
		}
		return all
	}
	ctx, figures := mexican(t), samples.DayOf(samples.SampleHours(), 3)
	if got, want := names(shop.Day("19:52:03", figures).ByTerminal(ctx)), []string{
		"CDMX-01 · Caja 1", "CUN-01 · Caja 2", "CDMX-01 · Terraza",
	}; !slices.Equal(got, want) {
		t.Errorf("the tills of all stores are called %q, want %q", got, want)
	}
	many := samples.DayOf(samples.SampleHours(), 90)
	c := shop.Day("19:52:03", many).ByTerminal(ctx)
	var sum models.Sums
	for i := range c.Rows {
		sum.Add(&c.Rows[i].Sums)
	}
	if last := c.Rows[len(c.Rows)-1]; len(c.Rows) != 20 || last.Label != "Las otras 71" || last.To != "" || sum.Sales != c.Total.Sales {
		t.Errorf("of 90 tills %d rows are shown, the last called %q, with %+v of %+v", len(c.Rows), last.Label, sum.Sales, c.Total.Sales)
	}
	got, want := names(shop.StoreDay("19:52:03", 1, figures).ByTerminal(ctx)), []string{"Caja 1", "Caja 2", "Terraza"}
	if !slices.Equal(got, want) {
		t.Errorf("the tills of one store are called %q, want %q", got, want)
	}
	report := shop.Oversight(oversight.ByTerminal)
	if got := report.RowName(ctx, &report.Report.Rows[0]); got != "CDMX-01 · Caja 1" {
		t.Errorf("Control calls a till of all stores %q, want CDMX-01 · Caja 1", got)
	}
	report.Filter.StoreID = 1
	if got := report.RowName(ctx, &report.Report.Rows[0]); got != "Caja 1" {
		t.Errorf("Control calls a till of the chosen store %q, want Caja 1", got)
	}
	tills := func(id int64, code string) closings.StoreSums {
		here := []closings.ClosingTerminal{{StoreID: id, SerialNumber: "1234567890"}}
		return closings.StoreSums{ID: id, Code: code, Name: code, Terminals: here}
	}
	closing := &oversightview.ClosingView{
		Page: report.Page, Report: closings.Report{Stores: []closings.StoreSums{tills(1, "CDMX-01"), tills(2, "CUN-01")}},
	}
	if page := draw(t, "es-MX", oversightview.Closing(closing)); !strings.Contains(page, "CDMX-01 · S/N 1234567890") {
		t.Error("the closing does not say whose its tills are")
	}
	if closing.Store = 2; strings.Contains(draw(t, "es-MX", oversightview.Closing(closing)), "CUN-01 · S/N") {
		t.Error("the closing of one store says it at each till")
	}
}

var (
	chartLink = regexp.MustCompile(`<a href="([^"]+)" tabindex="-1"`)
	rowLink   = regexp.MustCompile(`<th role="rowheader" scope="row"><a href="([^"]+)"`)
)

// A bar leads where the row of the table does; keys and readers of the screen meet that
// link once.
func TestBarsAreTheLinksOfTheirRows(t *testing.T) {
	t.Parallel()
	ctx := mexican(t)
	for _, c := range shop.Charts(ctx) {
		page := draw(t, "es-MX", ui.BarsChart(c))
		hidden := `<div class="chart-links" aria-hidden="true">`
		if c.Shares {
			page = draw(t, "es-MX", ui.SharesChart(c))
			hidden = `aria-hidden="true"`
		}
		links := func(re *regexp.Regexp) (all []string) {
			for _, m := range re.FindAllStringSubmatch(page, -1) {
				all = append(all, m[1])
			}
			return all
		}
		bars, rows := links(chartLink), links(rowLink)
		if len(bars) == 0 || !slices.Equal(bars, rows) {
			t.Errorf("%s: bars lead to\n%q\nand rows to\n%q", c.Id, bars, rows)
		}
		if !strings.Contains(page, hidden) {
			t.Errorf("%s: the links of bars are read out as well", c.Id)
		}
	}
}

// Nought is what was counted; a dash is what nobody can know yet, in the day as in the
// month.
func TestNoughtWasCountedAndADashIsNotKnown(t *testing.T) {
	t.Parallel()
	ctx := mexican(t)
	day, month := shop.StoreDay("19:52:03", 1, samples.DayOf(samples.SampleHours(), 3)).Hours(ctx), shop.Period(oversight.UnitMonth).Days(ctx)
	for _, tt := range []struct {
		of, row string
		c       *ui.Chart
		want    string
	}{
		{"an hour that is over and had no sale", "08:00", day, "0 $0.00 0 0"},
		{"an hour that has not begun", "20:00", day, "– – – –"},
		{"an hour with sales", "12:00", day, "12 $4,368.00 0 0"},
		{"a day that is over and had no sale", "dom 15 nov", month, "0 $0.00 0 0"},
		{"a day that has not begun", "sáb 21 nov", month, "– – – –"},
	} {
		if got := numbersOf(t, draw(t, "es-MX", ui.BarsChart(tt.c)), tt.row); got != tt.want {
			t.Errorf("%s (%s) reads %q, want %q", tt.of, tt.row, got, tt.want)
		}
	}
}

// numbersOf are the numbers of the row of a chart's table that is called so.
func numbersOf(t *testing.T, page, row string) string {
	t.Helper()
	for _, tr := range strings.Split(page, `<tr role="row"`) {
		tr, _, _ = strings.Cut(tr, "</tr>")
		words := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString("<"+tr, " ")), " ")
		if strings.HasPrefix(words, row+" ") {
			return strings.TrimPrefix(words, row+" ")
		}
	}
	t.Fatalf("no row of %s", row)
	return ""
}

// The hour and the day that go on are told from those that are over, and of what is over
// altogether nothing goes on.
func TestWhatGoesOnStandsOut(t *testing.T) {
	t.Parallel()
	ctx := mexican(t)
	now := func(c *ui.Chart) (all []string) {
		for i := range c.Rows {
			if c.Rows[i].Now {
				all = append(all, c.Rows[i].Short)
			}
		}
		return all
	}
	day := shop.StoreDay("19:52:03", 1, samples.DayOf(samples.SampleHours(), 3))
	if got := now(day.Hours(ctx)); !slices.Equal(got, []string{"19"}) {
		t.Errorf("at 19:52 the hours that go on are %q", got)
	}
	if page := draw(t, "es-MX", ui.BarsChart(day.Hours(ctx))); !strings.Contains(page, `<svg class="now"`) ||
		strings.Count(page, `aria-current="time"`) != 1 {
		t.Error("the hour that goes on looks like the others")
	}
	day.Filter.Day = day.Filter.Day.Plus(-1)
	if got := now(day.Hours(ctx)); got != nil {
		t.Errorf("of yesterday the hours %q go on", got)
	}
	if got := now(shop.Period(oversight.UnitMonth).Days(ctx)); !slices.Equal(got, []string{"20"}) {
		t.Errorf("of the month the days %q go on", got)
	}
}

// A legend tells kinds apart: it stands once on a page, with those that there are, and
// nowhere if there is one.
func TestALegendStandsOnceForWhatOccurs(t *testing.T) {
	t.Parallel()
	page := draw(t, "es-MX", salesview.Day(shop.Day("19:52:03", samples.DayOf(samples.SampleHours(), 3))))
	if n := strings.Count(page, `data-testid="legend"`); n != 1 {
		t.Errorf("a page of three charts has %d legends, want 1", n)
	}
	var quiet, canceled [24]models.Sums
	quiet[12].Sales = models.Sum{Count: 4, Amount: 100000}
	canceled[12] = quiet[12]
	canceled[12].Canceled = models.Sum{Count: 4, Amount: 100000}
	for what, hours := range map[string][24]models.Sums{"charged": quiet, "canceled": canceled} {
		page := draw(t, "es-MX", ui.BarsChart(shop.StoreDay("19:52:03", 1, samples.DayOf(hours, 1)).Hours(mexican(t))))
		if strings.Contains(page, `data-testid="legend"`) {
			t.Errorf("a day on which all is %s has a legend", what)
		}
	}
}

// All days of the month are on the page, in two tables beside each other.
func TestTheWholeMonthIsShown(t *testing.T) {
	t.Parallel()
	page := draw(t, "es-MX", ui.BarsChart(shop.Period(oversight.UnitMonth).Days(mexican(t))))
	if days, tables := strings.Count(page, `data-testid="chart-row"`), strings.Count(page, "<table"); days != 31 || tables != 2 {
		t.Errorf("the month has %d rows in %d tables, want 30 days and their total in 2", days, tables)
	}
	for _, text := range []string{"Por día: dom 1 nov–dom 15 nov", "Por día: lun 16 nov–lun 30 nov"} {
		if !strings.Contains(page, text) {
			t.Errorf("no table is called %q", text)
		}
	}
}

// The hours of a store with another clock are Mexico City's, and its own beside them.
func TestHoursOfAnotherClock(t *testing.T) {
	t.Parallel()
	c := shop.StoreDay("19:52:03", 2, samples.DayOf(samples.SampleHours(), 2)).Hours(mexican(t))
	for _, r := range c.Rows {
		if r.Label == "14:00" {
			if r.Small != "15:00 Cancún" {
				t.Errorf("beside 14:00 stands %q, want 15:00 Cancún", r.Small)
			}
			return
		}
	}
	t.Error("no row of 14:00")
}

// What a case went through is as wide as it took, and adds up to all of it.
func TestSpansOfACase(t *testing.T) {
	t.Parallel()
	v := shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleConfirmed)
	var whole time.Duration
	for _, s := range v.Spans() {
		whole += s.Long
	}
	entries := v.Detail.Entries
	if want := ui.Between(v.Detail.Latest().RequestedAt, entries[len(entries)-1].At); whole != want {
		t.Errorf("the spans add up to %s, want %s", whole, want)
	}
	other := entries[len(entries)-1] // of a case before it, which was moved as late
	id := v.Detail.Latest().ID + 1
	other.CancellationID, other.After = &id, []byte(`{"state": "unknown"}`)
	v.Detail.Entries = slices.Insert(slices.Clone(entries), len(entries)-1, other)
	if n := len(v.Spans()); n != len(shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleConfirmed).Spans()) {
		t.Errorf("%d spans with another case's move among the entries, want those of the case alone", n)
	}
	v.Detail.Entries = entries
	end := 0.0
	for _, s := range v.DrawnSpans(mexican(t)) {
		if x := inPercent(t, s.X); x < end-.02 || x > end+.02 {
			t.Errorf("%s begins at %.2f, want %.2f", s.State, x, end)
		}
		end = inPercent(t, s.X) + inPercent(t, s.Width)
	}
	if end < 99.9 || end > 100.1 {
		t.Errorf("the spans end at %.2f %%, want 100", end)
	}
	open := shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleAccepted).DrawnSpans(mexican(t))
	if last := open[len(open)-1]; !strings.HasPrefix(last.Words, "En la terminal, van ") {
		t.Errorf("the last span says %q", last.Words)
	}
	if got := shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleCancelable).DrawnSpans(mexican(t)); got != nil {
		t.Errorf("spans of a sale that nobody asked to cancel: %v", got)
	}
}
