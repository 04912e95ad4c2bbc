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
)

func (by ChartBy) of(s models.Sum) int64 {
	if by == ChartSales {
		return s.Count
	}
	return int64(s.Amount)
}

// Text writes what a bar says, in full.
func (by ChartBy) Text(ctx context.Context, s models.Sum) string {
	if by == ChartSales {
		return locale.T(ctx, "sales.count", "Count", s.Count, "N", Number(s.Count))
	}
	return Money(s.Amount)
}

// axis writes a step of the axis: whole pesos, from a million on in millions.
func (by ChartBy) axis(n int64) string {
	if by == ChartSales {
		return Number(n)
	}
	if n >= 100_000_000 {
		return "$" + strconv.FormatFloat(float64(n)/100_000_000, 'f', -1, 64) + " M"
	}
	return "$" + Number(n/100)
}

// ChartRow is what is counted: an hour, a day, a terminal, a store.
type ChartRow struct {
	Label  string // in full
	Small  string // beside it: another clock, a serial number
	Short  string // under a bar
	To     string // where its sales are; "" nowhere
	Minor  bool   // its name under the bar is left out where there is no room for all
	others bool   // the sum of those that have no bar of their own
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
	Line      float64 // where the cut-off is, in rows from the left; 0 for none
	LineWord  string
}

// shown are the parts that occur, for the legend.
func (c *Chart) shown() []chartPart {
	return slices.DeleteFunc(slices.Clone(chartParts), func(p chartPart) bool {
		return p != partCharged && p.of(&c.Total).Count == 0
	})
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
		if r := &c.Rows[i]; c.By.of(r.Sales) > 0 && (most == nil || c.By.of(r.Sales) > c.By.of(most.Sales)) {
			most = r
		}
	}
	return most
}

// orDash leaves out a nought: in a table of few numbers they are what is read.
func orDash(n int64, text string) string {
	if n == 0 {
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
