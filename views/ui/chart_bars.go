package ui

import "strings"

// Pictures are as large as the page makes them: what is inside is in hundredths, and
// letters keep their size. LeastPart is how long a part is at least: one canceled sale
// is seen beside a hundred others.
const LeastPart = 1.7

// crowd is from how many rows on a picture needs the whole width, above its table.
const crowd = 25

// drawnPart is one kind of what is in a bar, in hundredths of the picture from where
// bars begin.
type drawnPart struct {
	part      chartPart
	From, End float64
	last      bool // the end of the bar, which is round
}

// round is how round the corners are that the part's frame shows.
func (p *drawnPart) round() string {
	if p.last {
		return "2"
	}
	return "0"
}

// beyond is how long the part is drawn: the last is longer than its frame, so that only
// its end is round.
func (p *drawnPart) beyond() string {
	if p.last {
		return "200%"
	}
	return "100%"
}

// before is from where a part that lies is drawn, to end at the end of its frame.
func (p *drawnPart) before() string {
	if p.last {
		return "-100%"
	}
	return "0"
}

// drawnBar is a bar with what stands under and over it.
type drawnBar struct {
	Row    *ChartRow
	Left   float64 // across, in hundredths
	Width  float64
	Parts  []drawnPart
	value  string
	most   bool // its number stands over it wherever there is room for one
	anchor string
}

// Length is that of the whole bar.
func (b *drawnBar) Length() float64 {
	if len(b.Parts) == 0 {
		return 0
	}
	return b.Parts[len(b.Parts)-1].End
}

// looks are the classes of its number.
func (b *drawnBar) looks() string {
	if b.most {
		return strings.TrimSpace("most " + b.anchor)
	}
	return b.anchor
}

// middle is that of its width.
func (b *drawnBar) middle() float64 { return b.Left + b.Width/2 }

// tick is a step of the axis.
type tick struct{ y, Word string }

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

// longest is the length of the longest bar.
func (c *Chart) longest() int64 {
	if r := c.Largest(); r != nil {
		return c.By.length(&r.Sums)
	}
	return 1
}

// top is what the highest line of the axis says.
func (c *Chart) top() int64 {
	most := c.longest()
	step := c.By.step(most)
	return (most + step - 1) / step * step
}

func (c *Chart) Ticks() []tick {
	top := c.top()
	var all []tick
	for n := int64(0); n <= top; n += c.By.step(top) {
		all = append(all, tick{Percent(100 - 100*float64(n)/float64(top)), c.By.axis(n)})
	}
	return all
}

// Bars draws the rows from left to right.
func (c *Chart) Bars() []drawnBar {
	slot, scale, most := 100/float64(len(c.Rows)), 100/float64(c.top()), c.Largest()
	all := make([]drawnBar, 0, len(c.Rows))
	for i := range c.Rows {
		r := &c.Rows[i]
		b := drawnBar{Row: r, Left: slot * (float64(i) + .16), Width: slot * .68, Parts: c.stack(r, scale), most: r == most}
		if n := c.By.length(&r.Sums); n > 0 {
			b.value, b.anchor = c.By.short(n, c.longest()), anchored(b.middle(), 4)
		}
		all = append(all, b)
	}
	return all
}

// stack are the parts of a bar. What there is is seen, however little: it takes its
// room from what is charged.
func (c *Chart) stack(r *ChartRow, scale float64) []drawnPart {
	if c.By == ChartShare {
		if n := c.By.length(&r.Sums); n > 0 {
			return []drawnPart{{partShare, 0, max(scale*float64(n), LeastPart), true}}
		}
		return nil
	}
	rest, least := scale*float64(c.By.length(&r.Sums)), 0.0
	long := map[chartPart]float64{}
	for _, p := range chartParts {
		if s := p.of(&r.Sums); s.Count > 0 {
			long[p] = max(scale*float64(c.By.of(s)), LeastPart)
			if p != partCharged {
				rest -= long[p]
			}
			least = LeastPart
		}
	}
	if long[partCharged] > 0 {
		long[partCharged] = max(rest, least)
	}
	var all []drawnPart
	end := 0.0
	for _, p := range chartParts {
		if long[p] > 0 {
			all = append(all, drawnPart{p, end, end + long[p], false})
			end += long[p]
		}
	}
	if len(all) > 0 {
		all[len(all)-1].last = true
	}
	return all
}

// Share is a row's bar beside its numbers: the longest fills its cell.
func (c *Chart) Share(r *ChartRow) []drawnPart { return c.stack(r, 100/float64(c.longest())) }

// lineAt is where the cut-off stands, across.
func (c *Chart) lineAt() float64 { return 100 * c.Line / float64(len(c.Rows)) }

// anchored is the class of words at a place across: near an edge they grow away
// from it.
func anchored(at, edge float64) string {
	switch {
	case at < edge:
		return "from-here"
	case at > 100-edge:
		return "to-here"
	}
	return ""
}

// crowded reports whether the picture has no room beside its table.
func (c *Chart) crowded() bool { return len(c.Rows) >= crowd }

// tables are the rows as tables beside each other: a long list is two halves, and
// nothing of it is out of sight.
func (c *Chart) tables() [][]ChartRow {
	if !c.crowded() {
		return [][]ChartRow{c.Rows}
	}
	half := (len(c.Rows) + 1) / 2
	return [][]ChartRow{c.Rows[:half], c.Rows[half:]}
}

// caption names a table that begins amid the rows.
func (c *Chart) caption(rows []ChartRow) string {
	if len(rows) == len(c.Rows) {
		return c.Title
	}
	return c.Title + ": " + rows[0].Label + "–" + rows[len(rows)-1].Label
}
