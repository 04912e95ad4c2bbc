package ui

import (
	"context"

	"veinte/models"
)

// Bars are as wide as the page: across, everything is in hundredths of the width,
// so that letters keep their size; upwards it is in pixels.
const (
	BarsTop    = 30.0
	barsHeight = 240.0
	BarsBase   = BarsTop + barsHeight
	// LeastPart is how high a part is at least: one canceled sale is seen
	// beside a hundred others.
	LeastPart = 4.0
)

// drawnPart is a rectangle of a bar.
type drawnPart struct {
	part                chartPart
	X, Y, Width, Height string
}

// drawnBar is a bar with what stands under and over it.
type drawnBar struct {
	Row    *ChartRow
	middle string // across
	top    string // where a number stands over it
	anchor string // the class by which it stays inside of the picture
	value  string // that number; "" for none
	Parts  []drawnPart
	tip    string
}

// tick is a step of the axis.
type tick struct{ y, Word, text string }

func Percent(f float64) string { return DecimalTwo(f) + "%" }

// step is the distance between the lines of an axis that goes up to most: 1, 2 or 5
// times a power of ten, whole pesos where it is money, so that there are at most
// five above nought.
func (by ChartBy) step(most int64) int64 {
	unit := int64(1)
	if by == ChartAmount {
		unit = 100
	}
	for {
		for _, times := range []int64{1, 2, 5} {
			if s := unit * times; s*5 >= most {
				return s
			}
		}
		unit *= 10
	}
}

// top is what the highest line of the axis says.
func (c *Chart) top() int64 {
	most := int64(1)
	for i := range c.Rows {
		most = max(most, c.By.of(c.Rows[i].Sales))
	}
	step := c.By.step(most)
	return (most + step - 1) / step * step
}

func (c *Chart) Ticks() []tick {
	top := c.top()
	var all []tick
	for n := int64(0); n <= top; n += c.By.step(top) {
		y := BarsBase - barsHeight*float64(n)/float64(top)
		all = append(all, tick{DecimalTwo(y), c.By.axis(n), DecimalTwo(y + 4)})
	}
	return all
}

// Bars draws the rows from left to right.
func (c *Chart) Bars(ctx context.Context) []drawnBar {
	slot, top, most := 100/float64(len(c.Rows)), float64(c.top()), c.Largest()
	wide := slot * .68
	all := make([]drawnBar, 0, len(c.Rows))
	for i := range c.Rows {
		r := &c.Rows[i]
		b := drawnBar{Row: r, middle: Percent(slot * (float64(i) + .5))}
		y := BarsBase
		for _, part := range c.stack(&r.Sums, barsHeight/top, LeastPart) {
			y -= part.long
			b.Parts = append(b.Parts, drawnPart{
				part.chartPart, Percent(slot*float64(i) + (slot-wide)/2), DecimalTwo(y), Percent(wide), DecimalTwo(part.long),
			})
		}
		if r.Sales.Count > 0 {
			b.tip = r.Label + ": " + SumWords(ctx, &r.Sums)
		}
		if r == most {
			b.value, b.top, b.anchor = c.By.Text(ctx, r.Sales), DecimalTwo(y-7), anchored(slot*(float64(i)+.5))
		}
		all = append(all, b)
	}
	return all
}

type stacked struct {
	chartPart
	long float64
}

// stack are the lengths of the parts of a bar. What there is is seen, however
// little: it takes its room from what is charged.
func (c *Chart) stack(f *models.Sums, scale, least float64) []stacked {
	var all []stacked
	charged, taken := -1, 0.0
	for _, p := range chartParts {
		s := p.of(f)
		if s.Count == 0 {
			continue
		}
		long := max(scale*float64(c.By.of(s)), least)
		if p == partCharged {
			charged = len(all)
		}
		taken += long
		all = append(all, stacked{p, long})
	}
	if over := taken - scale*float64(c.By.of(f.Sales)); charged >= 0 && over > 0 {
		all[charged].long = max(all[charged].long-over, min(least, all[charged].long))
	}
	return all
}

// lineAt is where the cut-off stands, across.
func (c *Chart) lineAt() string { return Percent(100 * c.Line / float64(len(c.Rows))) }

func (c *Chart) lineAnchor() string { return anchored(100 * c.Line / float64(len(c.Rows))) }

// anchored is the class of words at a place across: near an edge they grow away
// from it.
func anchored(at float64) string {
	switch {
	case at < 15:
		return "from-here"
	case at > 85:
		return "to-here"
	}
	return ""
}

// crowded reports whether a phone has no room for a name under each bar.
func (c *Chart) crowded() bool { return len(c.Rows) > 14 }
