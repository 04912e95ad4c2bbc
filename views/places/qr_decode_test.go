package places

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"veinte/models"
	"veinte/views/ui"
)

// quiet is the empty space around a code, in modules, that ISO/IEC 18004 asks for.
const quiet = 4

// This reads a code as a camera would, by the text of ISO/IEC 18004 and not by our
// encoder, from the modules as they are drawn. It corrects no errors: what we draw has
// none.

// blocks are the lengths of the data blocks of each version at the level M, which the
// codewords take turns to come from; index 0 is version 1.
var blocks = [][]int{
	{16},
	{28},
	{44},
	{32, 32},
	{43, 43},
	{27, 27, 27, 27},
	{31, 31, 31, 31},
	{38, 38, 39, 39},
	{36, 36, 36, 37, 37},
	{43, 43, 43, 43, 44},
}

// alignment are the middles of the alignment patterns of each version.
var alignment = [][]int{
	nil, {6, 18}, {6, 22}, {6, 26}, {6, 30}, {6, 34}, {6, 22, 38}, {6, 24, 42}, {6, 26, 46}, {6, 28, 50},
}

var masks = []func(x, y int) bool{
	func(x, y int) bool { return (x+y)%2 == 0 },
	func(_, y int) bool { return y%2 == 0 },
	func(x, _ int) bool { return x%3 == 0 },
	func(x, y int) bool { return (x+y)%3 == 0 },
	func(x, y int) bool { return (x/3+y/2)%2 == 0 },
	func(x, y int) bool { return x*y%2+x*y%3 == 0 },
	func(x, y int) bool { return (x*y%2+x*y%3)%2 == 0 },
	func(x, y int) bool { return ((x+y)%2+x*y%3)%2 == 0 },
}

// camera sees the modules of a code without the empty ones around it.
type camera struct {
	tb      testing.TB
	rows    []string
	size    int
	version int
}

func see(tb testing.TB, size int, path string) *camera {
	tb.Helper()
	c := &camera{tb: tb, size: size - 2*quiet, version: (size - 2*quiet - 17) / 4}
	for _, row := range grid(tb, size, path)[quiet : size-quiet] {
		c.rows = append(c.rows, row[quiet:size-quiet])
	}
	if c.version < 1 || c.version > len(blocks) || c.size != 17+4*c.version {
		tb.Fatalf("a code of %d modules is of no version that this reads", c.size)
	}
	return c
}

func (c *camera) dark(x, y int) bool { return c.rows[y][x] == '#' }

// mask reads the format information beside the first finder pattern.
func (c *camera) mask() func(x, y int) bool {
	c.tb.Helper()
	at := [15][2]int{
		{8, 0}, {8, 1}, {8, 2}, {8, 3}, {8, 4}, {8, 5}, {8, 7}, {8, 8}, {7, 8}, {5, 8}, {4, 8}, {3, 8}, {2, 8}, {1, 8}, {0, 8},
	}
	format := 0
	for bit, m := range at {
		if c.dark(m[0], m[1]) {
			format |= 1 << bit
		}
	}
	format ^= 0x5412
	if level := format >> 13; level != 0 {
		c.tb.Fatalf("the code is of the level %02b, want 00, which is M", level)
	}
	return masks[format>>10&7]
}

// function reports whether a module holds no data.
func (c *camera) function(x, y int) bool {
	end := c.size - 8
	if x == 6 || y == 6 || x <= 8 && y <= 8 || x >= end && y <= 8 || x <= 8 && y >= end {
		return true
	}
	if c.version >= 7 && (x >= end-3 && y <= 5 || y >= end-3 && x <= 5) {
		return true
	}
	for _, ax := range alignment[c.version-1] {
		for _, ay := range alignment[c.version-1] {
			corner := ax == 6 && (ay == 6 || ay == c.size-7) || ax == c.size-7 && ay == 6
			if !corner && max(x-ax, ax-x, y-ay, ay-y) <= 2 {
				return true
			}
		}
	}
	return false
}

// codewords reads the bytes in their order: two columns at a time from the right, up
// and down in turn.
func (c *camera) codewords() (all []byte) {
	mask, bits := c.mask(), 0
	var b byte
	for right := c.size - 1; right >= 1; right -= 2 {
		if right == 6 {
			right--
		}
		for step := range c.size {
			y := step
			if (right+1)&2 == 0 {
				y = c.size - 1 - step
			}
			for x := right; x > right-2; x-- {
				if c.function(x, y) {
					continue
				}
				b <<= 1
				if c.dark(x, y) != mask(x, y) {
					b |= 1
				}
				if bits++; bits%8 == 0 {
					all = append(all, b)
				}
			}
		}
	}
	return all
}

// text reads the one segment of bytes that an address is.
func (c *camera) text() string {
	c.tb.Helper()
	all, lengths := c.codewords(), blocks[c.version-1]
	parts := make([][]byte, len(lengths))
	next := 0
	for i := range lengths[len(lengths)-1] {
		for b, length := range lengths {
			if i < length {
				parts[b] = append(parts[b], all[next])
				next++
			}
		}
	}
	data := bytes.Join(parts, nil)
	half := func(n int) int { return int(data[n/2]>>(4*(1-n%2))) & 15 } // the n-th four bits
	if mode := half(0); mode != 4 {
		c.tb.Fatalf("the code holds a segment of the mode %04b, want 0100, which is bytes", mode)
	}
	from, length := 3, half(1)<<4|half(2)
	if c.version >= 10 {
		from, length = 5, length<<8|half(3)<<4|half(4)
	}
	text := make([]byte, length)
	for i := range text {
		text[i] = byte(half(from+2*i)<<4 | half(from+2*i+1))
	}
	return string(text)
}

// TestACameraReadsTheAddress: of any length that an address has.
func TestACameraReadsTheAddress(t *testing.T) {
	t.Parallel()
	for n := range 150 {
		want := "https://" + strings.Repeat("v", n) + ".mx/results/1234567890/8K6IeoQPMMAjApuChz5GoFYKj7tFZ8Rp"
		size, path := qrPath(want)
		if got := see(t, size, path).text(); got != want {
			t.Fatalf("a camera reads %q, want %q", got, want)
		}
	}
}

// TestTheCodeIsTheAddress: what the page draws is what it writes.
func TestTheCodeIsTheAddress(t *testing.T) {
	t.Parallel()
	const want = "https://veinte.example/results/1234567890/8K6IeoQPMMAjApuChz5GoFYKj7tFZ8Rp"
	calendar, err := models.NewCalendar("20:00", "America/Mexico_City")
	if err != nil {
		t.Fatal(err)
	}
	view := AddressView{
		Page: ui.Page{Actor: models.Actor{Role: models.Administrator}, Window: models.Window{Calendar: calendar}}, Address: want,
		Terminal: models.Terminal{ID: 1, SerialNumber: "1234567890"},
	}
	var page strings.Builder
	if err := TerminalAddress(&view).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`class="qr"[^>]*viewBox="0 0 (\d+) (\d+)"[\s\S]*<path class="qr-ink" d="([^"]+)"`)
	drawn := code.FindStringSubmatch(page.String())
	if drawn == nil || drawn[1] != drawn[2] {
		t.Fatalf("the page has no square code:\n%s", page.String())
	}
	size, _ := strconv.Atoi(drawn[1])
	if got := see(t, size, drawn[3]).text(); got != want {
		t.Errorf("a camera reads %q, want %q", got, want)
	}
	if text := fmt.Sprintf(`data-testid="own-address">%s<`, want); !strings.Contains(page.String(), text) {
		t.Errorf("the page does not say %s", text)
	}
}
