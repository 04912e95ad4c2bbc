package cutoff

import (
	"fmt"
	"strings"
	"time"
)

// Report is what the experiment found.
type Report struct {
	Seed       uint64   `json:"seed"`
	First      int      `json:"first"` // number of the first schedule
	Days       Days     `json:"days"`
	Schedules  Evenings `json:"schedules"`
	Stampede   Stampede `json:"stampede"`
	Violations int      `json:"violations"` // of what must never be (0)
	Examples   []string `json:"examples"`   // the first of them, in words
	Seconds    float64  `json:"seconds"`    // of real time
}

// Evenings are the figures of schedules.
type Evenings struct {
	Played int   `json:"played"`
	Cases  Cases `json:"cases"`
	Wire   Wire  `json:"wire"`
}

func newReport(o Options) Report {
	nothing := Evenings{Wire: Wire{ClosestOurs: unreached, ClosestBoth: unreached}}
	return Report{Seed: o.Seed, First: o.First, Schedules: nothing, Stampede: Stampede{Evenings: nothing}}
}

// add takes a world's figures and what its judge found into the report.
func (r *run) add(w *world, to *Evenings) {
	for _, broken := range w.judge.broken {
		w.fault("%s", broken)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	to.Played++
	to.Cases.add(w.figures)
	to.Wire.add(w.judge.figures)
}

func (c *Cases) add(o Cases) {
	c.Clicks += o.Clicks
	c.Opened += o.Opened
	c.RefusedLate += o.RefusedLate
	c.RefusedElse += o.RefusedElse
	c.Delivered += o.Delivered
	c.Doubles += o.Doubles
	c.ExpiredAtTake += o.ExpiredAtTake
	c.ExpiredByTimer += o.ExpiredByTimer
	c.ExpiredUnsent += o.ExpiredUnsent
	c.Withdrawn += o.Withdrawn
	c.GivenUp += o.GivenUp
	c.Untold += o.Untold
}

func (w *Wire) add(o Wire) {
	w.FirstBytes += o.FirstBytes
	w.Measured += o.Measured
	w.Inquiries += o.Inquiries
	w.Tokens += o.Tokens
	w.Silent += o.Silent
	w.NotShaken += o.NotShaken
	w.ClosestOurs = min(w.ClosestOurs, o.ClosestOurs)
	w.ClosestBoth = min(w.ClosestBoth, o.ClosestBoth)
	w.UntoldFirst += o.UntoldFirst
	w.UntoldGrown += o.UntoldGrown
}

// String writes the report for people.
func (r Report) String() string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("Cut-off: seed %d, %.1f s", r.Seed, r.Seconds)
	if d := r.Days; d.Days > 0 {
		p("  days        %d days in %d zones: %d decisions of the window, %d of them too late", d.Days, d.Zones, d.Decisions, d.Closed)
	}
	if s := r.Schedules; s.Played > 0 {
		p("  schedules   %d, from number %d", s.Played, r.First)
		s.write(p)
	}
	if s := r.Stampede; s.Played > 0 {
		p("  stampede    at %d terminals in the last minute; none was free for longer than %s while a case waited for it",
			s.Terminals, time.Duration(s.LongestIdle)*time.Millisecond)
		s.write(p)
	}
	p("  violations  %d", r.Violations)
	for _, example := range r.Examples {
		p("    %s", example)
	}
	return b.String()
}

func (e Evenings) write(p func(string, ...any)) {
	c, w := e.Cases, e.Wire
	p("    clicks    %d: %d cases, %d refused as too late, %d as asked for already", c.Clicks, c.Opened, c.RefusedLate, c.RefusedElse)
	p("    sent      %d cases, %d twice; %d first bytes, %d with a measured difference of clocks; besides, %d inquiries and %d requests for a token",
		c.Delivered, c.Doubles, w.FirstBytes, w.Measured, w.Inquiries, w.Tokens)
	if w.FirstBytes > 0 {
		p("    latest    %s before the bound by our clock, %s with the difference that was known", micro(w.ClosestOurs), micro(w.ClosestBoth))
	}
	p("    expired   %d at the take, %d by the timer, %d after their attempt was written (%d connections closed without a byte)",
		c.ExpiredAtTake, c.ExpiredByTimer, c.ExpiredUnsent, w.Silent)
	p("    besides   %d given up after three proofs that nothing left, %d in doubt of which nothing arrived; %d not told why", c.Withdrawn, c.GivenUp, c.Untold)
	p("    unmeasured: %d first bytes that the service's own clock called late, %d before anything was measured, %d after its difference grew by more than the margin",
		w.UntoldFirst+w.UntoldGrown, w.UntoldFirst, w.UntoldGrown)
}

func micro(us int) string { return (time.Duration(us) * time.Microsecond).String() }
