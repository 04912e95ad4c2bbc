package views

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/static"
	"veinte/views/locale"
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

// Bars never leave their picture, parts never are a bar of their own, and the axis has
// few, round steps.
func TestPicturesStayInTheirFrame(t *testing.T) {
	t.Parallel()
	ctx := mexican(t)
	for _, c := range shop.Charts(ctx) {
		if n := len(c.Ticks()); n < 2 || n > 6 {
			t.Errorf("%s has %d steps of its axis, want 2 to 6", c.Id, n)
		}
		for _, b := range c.Bars(ctx) {
			for i, p := range b.Parts {
				y, long := inPercent(t, p.Y), inPercent(t, p.Height)
				if y < ui.BarsTop-3*ui.LeastPart || y+long > ui.BarsBase+.01 || long < ui.LeastPart-.01 {
					t.Errorf("%s: a part of %s from %s, %s high", c.Id, b.Row.Label, p.Y, p.Height)
				}
				if i > 0 && p.Y == b.Parts[i-1].Y {
					t.Errorf("%s: two parts of %s lie upon each other", c.Id, b.Row.Label)
				}
			}
		}
		if !c.Shared {
			continue
		}
		shares := c.Shares(ctx)
		if len(shares) > ui.MaxShares {
			t.Errorf("%s has %d shares, want at most %d", c.Id, len(shares), ui.MaxShares)
		}
		var sum models.Sums
		for _, s := range shares {
			sum.Add(&s.Row.Sums)
			last := s.Parts[len(s.Parts)-1]
			if end := inPercent(t, last.X) + inPercent(t, last.Width); end > 100.01 {
				t.Errorf("%s: the share of %s ends at %.2f %%", c.Id, s.Row.Label, end)
			}
		}
		if sum != c.Total {
			t.Errorf("%s: the shares add up to %+v, want %+v", c.Id, sum, c.Total)
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

// Three stores may call a till Caja 1: the picture says whose it is.
func TestSharesTellNamesakesApart(t *testing.T) {
	t.Parallel()
	one := models.Sums{Sales: models.Sum{Count: 1, Amount: 100}}
	c := &ui.Chart{Id: "terminals", Title: "Por terminal", Head: "Terminal", By: ui.ChartAmount, Rows: []ui.ChartRow{
		{Label: "Caja 1", Small: "001", Sums: one},
		{Label: "Caja 1", Small: "014", Sums: one},
		{Label: "Mostrador", Small: "014", Sums: one},
		{Label: "Caja de la entrada principal", Small: "001", Sums: one},
		{Label: "Caja de la entrada principal", Small: "014", Sums: one},
	}}
	for i := range c.Rows {
		c.Total.Add(&c.Rows[i].Sums)
	}
	picture := draw(t, "es-MX", ui.SharesChart(c))
	for _, name := range []string{">Caja 1 · 001<", ">Caja 1 · 014<", ">Mostrador<", "… · 001<", "… · 014<"} {
		if strings.Count(picture, name) != 1 && name != ">Mostrador<" {
			t.Errorf("the picture names %q %d times, want once", name, strings.Count(picture, name))
		}
	}
	if strings.Contains(picture, "Mostrador · ") {
		t.Error("a name that nobody shares has a store")
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
