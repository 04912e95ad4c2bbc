package ui

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"veinte/models"
	"veinte/views/locale"
)

// chartPart is what a part of a bar stands for. Each has its own pattern, so that
// nobody needs the colours.
type chartPart string

const (
	partCharged  chartPart = "charged"
	partPending  chartPart = "pending"
	partDoubt    chartPart = "doubt"
	partCanceled chartPart = "canceled"
	// partShare is the only part of a bar that says a share, of all that is in it.
	partShare chartPart = "share"
)

// chartParts are in the order in which they are stacked, the lowest first. What was
// rejected is charged: it has no part of its own, but a number in the table.
var chartParts = []chartPart{partCharged, partPending, partDoubt, partCanceled}

func (p chartPart) of(f *models.Sums) models.Sum {
	switch p {
	case partPending:
		return f.Pending
	case partDoubt:
		return f.Doubt
	case partCanceled:
		return f.Canceled
	}
	return f.Charged()
}

// ChartBy is what the length of a bar says.
type ChartBy string

// By what bars are drawn.
const (
	ChartAmount ChartBy = "amount"
	ChartSales  ChartBy = "sales" // their number
	ChartShare  ChartBy = "share" // how many of the sales were canceled, of ten thousand
)

// of is how long what is summed is.
func (by ChartBy) of(s models.Sum) int64 {
	if by == ChartAmount {
		return int64(s.Amount)
	}
	return s.Count
}

// length is how long the bar of a row is.
func (by ChartBy) length(f *models.Sums) int64 {
	if by != ChartShare {
		return by.of(f.Sales)
	}
	if f.Sales.Count == 0 {
		return 0
	}
	return 10_000 * f.Canceled.Count / f.Sales.Count
}

// Text writes what a bar says, in full.
func (by ChartBy) Text(ctx context.Context, f *models.Sums) string {
	switch by {
	case ChartSales:
		return locale.T(ctx, "sales.count", "Count", f.Sales.Count, "N", Number(f.Sales.Count))
	case ChartShare:
		return PartOf(f.Canceled.Count, f.Sales.Count)
	}
	return Money(f.Sales.Amount)
}

// short writes a length as there is room for it over a bar, beside others of which
// the longest is most: whole pesos, then thousands, then millions.
func (by ChartBy) short(n, most int64) string {
	switch {
	case by == ChartSales:
		return Number(n)
	case by == ChartShare:
		return Decimal(float64(n)/100) + " %"
	case most < 1_000_000:
		return "$" + Number((n+50)/100)
	case most < 100_000_000:
		return "$" + shortened(n, 100_000) + " k"
	}
	return "$" + shortened(n, 100_000_000) + " M"
}

// shortened writes n in units, with a decimal where it has a single figure.
func shortened(n, unit int64) string {
	f := float64(n) / float64(unit)
	if f < 10 {
		return Decimal(f)
	}
	return Number((n + unit/2) / unit)
}

// axis writes a step of the axis: whole pesos, from a million on in millions.
func (by ChartBy) axis(n int64) string {
	exact := func(unit float64) string { return strconv.FormatFloat(float64(n)/unit, 'f', -1, 64) }
	switch {
	case by == ChartSales:
		return Number(n)
	case by == ChartShare:
		return exact(100) + " %"
	case n >= 100_000_000:
		return "$" + exact(100_000_000) + " M"
	}
	return "$" + Number(n/100)
}

// ChartRow is what is counted: an hour, a day, a terminal, a store.
type ChartRow struct {
	Label string // in full
	Small string // beside it: another clock, a serial number
	Short string // under a bar
	To    string // where its sales are; "" nowhere
	Minor bool   // its name under the bar is left out where there is no room for all
	Now   bool   // it has begun and is not over
	// Unknown is a row of which nothing can be counted: it has not begun, or was before
	// anything was recorded.
	Unknown bool
	models.Sums
}

// Chart is a picture and the table of the same numbers.
type Chart struct {
	Id, Title string // title is also the table's caption
	Head      string // of the table's first column
	Desc      string // the essential in words: whoever cannot see the picture has it
	By        ChartBy
	Rows      []ChartRow
	Total     models.Sums
	Shares    bool    // each row of the table has its bar; there is no picture
	NoTotal   bool    // the rows do not add up to anything
	Line      float64 // where the cut-off is, in rows from the left; 0 for none
	LineWord  string
}

// mostShares is how many rows shares of a whole have: the largest, and what is left as one.
const mostShares = 20

// Fold has shares of a whole end with what its smallest rows are together: a chain has
// thousands of terminals, and who looks for one of them chooses its store.
func (c *Chart) Fold(ctx context.Context) *Chart {
	if len(c.Rows) <= mostShares {
		return c
	}
	rest := ChartRow{Label: locale.T(ctx, "chart.rest", "N", Number(int64(len(c.Rows)-mostShares+1)))}
	for i := mostShares - 1; i < len(c.Rows); i++ {
		rest.Add(&c.Rows[i].Sums)
	}
	c.Rows = append(c.Rows[:mostShares-1:mostShares-1], rest)
	return c
}

// legend are the parts that occur; none where bars are of one kind, which explains
// itself.
func (c *Chart) legend() []chartPart {
	occur := slices.DeleteFunc(slices.Clone(chartParts), func(p chartPart) bool { return p.of(&c.Total).Count == 0 })
	if len(occur) < 2 || c.By == ChartShare {
		return nil
	}
	return occur
}

// SumWords is figures as a sentence.
func SumWords(ctx context.Context, f *models.Sums) string {
	words := locale.T(ctx, "chart.sum", "Count", f.Sales.Count, "N", Number(f.Sales.Count), "Amount", Money(f.Sales.Amount))
	var parts []string
	for _, part := range outcomesOf(f) {
		parts = append(parts, locale.T(ctx, "chart.sum."+part.key, "Count", part.Count, "N", Number(part.Count), "Amount", Money(part.Amount)))
	}
	if parts == nil {
		parts = []string{locale.T(ctx, "chart.sum.none")}
	}
	return words + ": " + strings.Join(parts, ", ") + "."
}

// outcome is the sum of the sales of one, by the end of its key.
type outcome struct {
	key string
	models.Sum
}

// outcomesOf are those of sales that are not simply charged, if there are any.
func outcomesOf(f *models.Sums) []outcome {
	all := []outcome{{"canceled", f.Canceled}, {"doubt", f.Doubt}, {"pending", f.Pending}, {"rejected", f.Rejected}}
	return slices.DeleteFunc(all, func(o outcome) bool { return o.Count == 0 })
}

// otherResult is a number of a row that has no column.
type otherResult struct{ words, amount string }

func otherResults(ctx context.Context, f *models.Sums) []otherResult {
	var all []otherResult
	for _, part := range outcomesOf(f) {
		if part.key != "canceled" {
			words := locale.T(ctx, "chart.other."+part.key, "Count", part.Count, "N", Number(part.Count))
			all = append(all, otherResult{words, Money(part.Amount)})
		}
	}
	return all
}

// hasOthers reports whether any row has such a number.
func (c *Chart) hasOthers() bool {
	return c.Total.Doubt.Count+c.Total.Pending.Count+c.Total.Rejected.Count > 0
}

// Largest is the row of the longest bar; nil when there is none.
func (c *Chart) Largest() *ChartRow {
	var most *ChartRow
	for i := range c.Rows {
		if r := &c.Rows[i]; c.By.length(&r.Sums) > 0 && (most == nil || c.By.length(&r.Sums) > c.By.length(&most.Sums)) {
			most = r
		}
	}
	return most
}

// tip is what a row's bar says to a pointer.
func (c *Chart) tip(ctx context.Context, r *ChartRow) string {
	switch {
	case r.Sales.Count == 0:
		return ""
	case c.By == ChartShare:
		return r.Label + ": " + c.By.Text(ctx, &r.Sums)
	}
	return r.Label + ": " + SumWords(ctx, &r.Sums)
}

// counted writes a number of the table: nought where it was counted, a dash where it
// cannot be known.
func (r *ChartRow) counted(text string) string {
	if r.Unknown {
		return "–"
	}
	return text
}

// fill is the pattern of a part, in the picture of the id. What has no pattern is
// filled by the styles.
func (p chartPart) fill(id string) string {
	if p == partCanceled || p == partDoubt {
		return "url(#" + id + "-" + string(p) + ")"
	}
	return "currentColor"
}
