package commands

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// progressBar draws the progress of long work when standard error is a terminal.
type progressBar struct {
	what  string
	shown bool // standard error is a terminal
	drawn time.Time
}

func newBar(what string) *progressBar {
	info, err := os.Stderr.Stat()
	return &progressBar{what: what, shown: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// draw draws a count, which is also the part of the total that is done.
func (b *progressBar) draw(done, total int64) { b.drawCount(done, total, done) }

// drawCount draws how much is done, and a count of something else.
func (b *progressBar) drawCount(done, total, count int64) {
	if !b.shown || time.Since(b.drawn) < 100*time.Millisecond {
		return
	}
	b.drawn = time.Now()
	const width = 30
	full := int(min(1, float64(done)/float64(max(1, total))) * width)
	fmt.Fprintf(os.Stderr, "\r[%s%s] %d %s ", strings.Repeat("=", full), strings.Repeat(" ", width-full), count, b.what)
}

func (b *progressBar) end() {
	if !b.drawn.IsZero() {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}

// counted is a writer that counts bytes for the progress bar.
type counted struct {
	out      io.Writer
	bar      *progressBar
	sent     atomic.Int64
	expected int64
}

// Write writes, and updates the progress bar.
func (c *counted) Write(p []byte) (int, error) {
	n, err := c.out.Write(p)
	c.bar.draw(c.sent.Add(int64(n)), c.expected)
	return n, err
}
