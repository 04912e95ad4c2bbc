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
	for _, c := range (sampleShop{}).charts(ctx) {
		if n := len(c.ticks()); n < 2 || n > 6 {
			t.Errorf("%s has %d steps of its axis, want 2 to 6", c.id, n)
		}
		for _, b := range c.bars(ctx) {
			for i, p := range b.parts {
				y, long := inPercent(t, p.y), inPercent(t, p.height)
				if y < barsTop-3*leastPart || y+long > barsBase+.01 || long < leastPart-.01 {
					t.Errorf("%s: a part of %s from %s, %s high", c.id, b.row.label, p.y, p.height)
				}
				if i > 0 && p.y == b.parts[i-1].y {
					t.Errorf("%s: two parts of %s lie upon each other", c.id, b.row.label)
				}
			}
		}
		if !c.shared {
			continue
		}
		shares := c.shares(ctx)
		if len(shares) > mostShares {
			t.Errorf("%s has %d shares, want at most %d", c.id, len(shares), mostShares)
		}
		var sum models.Figures
		for _, s := range shares {
			addFigures(&sum, &s.row.Figures)
			last := s.parts[len(s.parts)-1]
			if end := inPercent(t, last.x) + inPercent(t, last.width); end > 100.01 {
				t.Errorf("%s: the share of %s ends at %.2f %%", c.id, s.row.label, end)
			}
		}
		if sum != c.total {
			t.Errorf("%s: the shares add up to %+v, want %+v", c.id, sum, c.total)
		}
	}
}

func TestAxesAreRound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		by   ChartBy
		most int64
		want string
	}{
		{ChartAmount, 982800, "$0 $2,000 $4,000 $6,000 $8,000 $10,000"},
		{ChartAmount, 1, "$0 $1"},
		{ChartAmount, 125000000, "$0 $500,000 $1 M $1.5 M"},
		{ChartSales, 1, "0 1"},
		{ChartSales, 26, "0 10 20 30"},
	} {
		f := models.Figures{Sales: models.Sum{Count: tt.most, Amount: models.Money(tt.most)}}
		var words []string
		for _, at := range (&chart{by: tt.by, rows: []chartRow{{Figures: f}}}).ticks() {
			words = append(words, at.word)
		}
		if got := strings.Join(words, " "); got != tt.want {
			t.Errorf("axis of %d by %s = %s, want %s", tt.most, tt.by, got, tt.want)
		}
	}
}

// The picture says the essential in words, and only what is confirmed is canceled.
func TestAPictureIsSaidInWords(t *testing.T) {
	t.Parallel()
	const want = "165 ventas por $63,539.00: 5 canceladas ($1,897.00), 3 por verificar ($1,225.00), 3 en curso ($1,239.00), 1 rechazada ($392.00)." +
		" La hora más alta empieza a las 14:00: $9,828.00."
	v := (sampleShop{}).storeDay("19:52:03", 1, dayOf(sampleHours(), 3))
	if got := v.hours(mexican(t)).desc; got != want {
		t.Errorf("the day in words:\n%s\nwant:\n%s", got, want)
	}
	page := draw(t, "es-MX", Day(v))
	for _, text := range []string{`role="img"`, `<desc id="hours-desc">` + want, `url(#hours-canceled)`, `url(#hours-doubt)`, static.URL("charts.css")} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %s", text)
		}
	}
	if strings.Contains(page, "style=") {
		t.Error("the page has an inline style, which the content security policy refuses")
	}
	if strings.Contains(draw(t, "es-MX", Sales(sampleSales("19:52:03"))), "charts.") {
		t.Error("the list of sales loads the pictures")
	}
}

// The hours of a store with another clock are Mexico City's, and its own beside them.
func TestHoursOfAnotherClock(t *testing.T) {
	t.Parallel()
	c := (sampleShop{}).storeDay("19:52:03", 2, dayOf(sampleHours(), 2)).hours(mexican(t))
	for _, r := range c.rows {
		if r.label == "14:00" {
			if r.small != "15:00 Cancún" {
				t.Errorf("beside 14:00 stands %q, want 15:00 Cancún", r.small)
			}
			return
		}
	}
	t.Error("no row of 14:00")
}

// What a case went through is as wide as it took, and adds up to all of it.
func TestSpansOfACase(t *testing.T) {
	t.Parallel()
	v := sampleStory(models.Supervisor, "19:52:03", models.SaleConfirmed)
	var whole time.Duration
	for _, s := range v.spans() {
		whole += s.long
	}
	entries := v.Story.Entries
	if want := entries[len(entries)-1].At.Sub(v.Story.Latest().RequestedAt); whole != want {
		t.Errorf("the spans add up to %s, want %s", whole, want)
	}
	other := entries[len(entries)-1] // of a case before it, which was moved as late
	id := v.Story.Latest().ID + 1
	other.CancellationID, other.After = &id, []byte(`{"state": "unknown"}`)
	v.Story.Entries = slices.Insert(slices.Clone(entries), len(entries)-1, other)
	if n := len(v.spans()); n != len(sampleStory(models.Supervisor, "19:52:03", models.SaleConfirmed).spans()) {
		t.Errorf("%d spans with another case's move among the entries, want those of the case alone", n)
	}
	v.Story.Entries = entries
	end := 0.0
	for _, s := range v.drawnSpans(mexican(t)) {
		if x := inPercent(t, s.x); x < end-.02 || x > end+.02 {
			t.Errorf("%s begins at %.2f, want %.2f", s.state, x, end)
		}
		end = inPercent(t, s.x) + inPercent(t, s.width)
	}
	if end < 99.9 || end > 100.1 {
		t.Errorf("the spans end at %.2f %%, want 100", end)
	}
	open := sampleStory(models.Supervisor, "19:52:03", models.SaleAccepted).drawnSpans(mexican(t))
	if last := open[len(open)-1]; !strings.HasPrefix(last.words, "En la terminal, van ") {
		t.Errorf("the last span says %q", last.words)
	}
	if got := sampleStory(models.Supervisor, "19:52:03", models.SaleCancelable).drawnSpans(mexican(t)); got != nil {
		t.Errorf("spans of a sale that nobody asked to cancel: %v", got)
	}
}
