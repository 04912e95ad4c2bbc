package views

import (
	"context"
	"strconv"

	"veinte/models"
)

// Bars are as wide as the page: across, everything is in hundredths of the width,
// so that letters keep their size; upwards it is in pixels.
const (
	barsTop    = 30.0
	barsHeight = 240.0
	barsBase   = barsTop + barsHeight
	// leastPart is how high a part is at least: one canceled sale is seen
	// beside a hundred others.
	leastPart = 4.0
)

// drawnPart is a rectangle of a bar.
type drawnPart struct {
	part                chartPart
	x, y, width, height string
}

// drawnBar is a bar with what stands under and over it.
type drawnBar struct {
	row    *chartRow
	middle string // across
	top    string // where a number stands over it
	anchor string // the class by which it stays inside of the picture
	value  string // that number; "" for none
	parts  []drawnPart
	tip    string
}

// tick is a step of the axis.
type tick struct{ y, word, text string }

func coordinate(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }

func percent(f float64) string { return coordinate(f) + "%" }

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
func (c *chart) top() int64 {
	most := int64(1)
	for i := range c.rows {
		most = max(most, c.by.of(c.rows[i].Sales))
	}
	step := c.by.step(most)
	return (most + step - 1) / step * step
}

func (c *chart) ticks() []tick {
	top := c.top()
	var all []tick
	for n := int64(0); n <= top; n += c.by.step(top) {
		y := barsBase - barsHeight*float64(n)/float64(top)
		all = append(all, tick{coordinate(y), c.by.axis(n), coordinate(y + 4)})
	}
	return all
}

// bars draws the rows from left to right.
func (c *chart) bars(ctx context.Context) []drawnBar {
	slot, top, most := 100/float64(len(c.rows)), float64(c.top()), c.largest()
	wide := slot * .68
	all := make([]drawnBar, 0, len(c.rows))
	for i := range c.rows {
		r := &c.rows[i]
		b := drawnBar{row: r, middle: percent(slot * (float64(i) + .5))}
		y := barsBase
		for _, part := range c.stack(&r.Figures, barsHeight/top, leastPart) {
			y -= part.long
			b.parts = append(b.parts, drawnPart{part.chartPart, percent(slot*float64(i) + (slot-wide)/2), coordinate(y), percent(wide), coordinate(part.long)})
		}
		if r.Sales.Count > 0 {
			b.tip = r.label + ": " + sumWords(ctx, &r.Figures)
		}
		if r == most {
			b.value, b.top, b.anchor = c.by.text(ctx, r.Sales), coordinate(y-7), anchored(slot*(float64(i)+.5))
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
func (c *chart) stack(f *models.Figures, scale, least float64) []stacked {
	var all []stacked
	charged, taken := -1, 0.0
	for _, p := range chartParts {
		s := p.of(f)
		if s.Count == 0 {
			continue
		}
		long := max(scale*float64(c.by.of(s)), least)
		if p == partCharged {
			charged = len(all)
		}
		taken += long
		all = append(all, stacked{p, long})
	}
	if over := taken - scale*float64(c.by.of(f.Sales)); charged >= 0 && over > 0 {
		all[charged].long = max(all[charged].long-over, min(least, all[charged].long))
	}
	return all
}

// lineAt is where the cut-off stands, across.
func (c *chart) lineAt() string { return percent(100 * c.line / float64(len(c.rows))) }

func (c *chart) lineAnchor() string { return anchored(100 * c.line / float64(len(c.rows))) }

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
func (c *chart) crowded() bool { return len(c.rows) > 14 }
