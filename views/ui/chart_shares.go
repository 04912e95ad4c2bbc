package ui

import (
	"context"
	"slices"

	"veinte/views/locale"
)

// MaxShares is how many shares have a bar: of more, the least are one.
const MaxShares = 10

const (
	shareStep  = 46.0
	shareBar   = 10.0
	shareBelow = 22.0 // of the letters' line
	// longestShare is how much of a name there is room for beside its number.
	longestShare = 22
)

// drawnShare is one of the whole.
type drawnShare struct {
	Row       *ChartRow
	name      string
	text, y   string
	value     string
	Parts     []drawnPart
	barHeight string
}

// sharesOf are the rows with the least of them as one where there are too many.
func (c *Chart) sharesOf(ctx context.Context) []ChartRow {
	if len(c.Rows) <= MaxShares {
		return c.Rows
	}
	rest := ChartRow{others: true}
	for i := range c.Rows[MaxShares-1:] {
		rest.Add(&c.Rows[MaxShares-1+i].Sums)
	}
	n := int64(len(c.Rows) - MaxShares + 1)
	rest.Label = locale.T(ctx, "chart.others", "Count", n, "N", Number(n))
	return append(slices.Clone(c.Rows[:MaxShares-1]), rest)
}

// Shares draws the rows below each other; the whole is the width.
func (c *Chart) Shares(ctx context.Context) []drawnShare {
	rows := c.sharesOf(ctx)
	whole := max(c.By.of(c.Total.Sales), 1)
	all := make([]drawnShare, 0, len(rows))
	for i := range rows {
		r := &rows[i]
		y := shareStep * float64(i)
		d := drawnShare{
			Row: r, name: c.shareName(r), text: DecimalTwo(y + 15), y: DecimalTwo(y + shareBelow), barHeight: DecimalTwo(shareBar),
			value: PartOf(c.By.of(r.Sales), whole) + " · " + c.By.Text(ctx, r.Sales),
		}
		x := 0.0
		for _, part := range c.stack(&r.Sums, 100/float64(whole), .8) {
			part.long = min(part.long, 100-x)
			d.Parts = append(d.Parts, drawnPart{part.chartPart, Percent(x), d.y, Percent(part.long), d.barHeight})
			x += part.long
		}
		all = append(all, d)
	}
	return all
}

func (c *Chart) sharesHeight(ctx context.Context) string {
	return DecimalTwo(shareStep*float64(len(c.sharesOf(ctx))) - 10)
}

// shareName is the row's name, with its store where several rows are called so.
func (c *Chart) shareName(r *ChartRow) string {
	namesake := func(other ChartRow) bool { return other.Label == r.Label && other.Small != r.Small }
	if r.Small == "" || !slices.ContainsFunc(c.Rows, namesake) {
		return clip(r.Label, longestShare)
	}
	more := " · " + r.Small
	return clip(r.Label, max(longestShare-len([]rune(more)), 4)) + more
}

// clip shortens a name that would run into its number; the table has it whole.
func clip(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
