package cutoff

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models"
	"veinte/web/lab/chaos"
)

// run is the experiment under way.
type run struct {
	figures
	t      *testing.T
	ctx    context.Context
	seed   uint64
	office *office
	clicks atomic.Int64
}

// figures are the totals of all evenings. An evening that stays far from the cut-off
// proves nothing.
type figures struct {
	mu     sync.Mutex
	played int
	cases  Counts
	wire   Wire
}

func (f *figures) tally(count func(*figures)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	count(f)
}

// TestNoFirstByteAfterTheCutoff plays seeded evenings between 19:58:00 and
// 20:00:30, on several stages at once; each has its own time. Those with a
// negative number leap exactly onto the last instant, or just before it.
func TestNoFirstByteAfterTheCutoff(t *testing.T) {
	t.Parallel()
	r := &run{t: t, ctx: t.Context(), seed: chaos.Seed(t, chaos.Choose(1, rand.Uint64())), office: openOffice(t)}
	r.wire.ClosestOurs, r.wire.ClosestBoth = unreached, unreached
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for n := range numbers {
				if err := r.schedule(n); err != nil {
					t.Errorf("schedule %d: %v", n, err)
				}
			}
		})
	}
	for n := -chaos.Choose(40, 1000); n < chaos.Choose(160, 10_000); n++ {
		numbers <- n
	}
	close(numbers)
	workers.Wait()

	c, w := r.cases, r.wire
	t.Logf("%d evenings: %+v %+v", r.played, c, w)
	for figure, got := range map[string]int{
		"refused at the door": c.RefusedLate, "refused at the take": c.ExpiredAtTake, "refused by the timer": c.ExpiredByTimer,
		"refused after the attempt": c.ExpiredUnsent, "refused at the gate on the wire": w.Silent,
		"inquiries": w.Inquiries, "handshakes that failed": w.NotShaken, "tokens over the network": w.Tokens,
		"sent before a difference was known": w.FirstBytes - w.Measured, "sent with one": w.Measured - 49,
	} {
		if got <= 0 {
			t.Errorf("%s: too few to prove anything", figure)
		}
	}
	for whose, us := range map[string]int{"our clock": w.ClosestOurs, "the known difference": w.ClosestBoth} {
		if closest := time.Duration(us) * time.Microsecond; closest > 50*time.Millisecond {
			t.Errorf("by %s no first byte came closer to the bound than %s", whose, closest)
		}
	}
}

// TestTheCalendarAgreesWithTheTable compares the window of every cut-off zone with
// the hand-written table, on every day of five years.
func TestTheCalendarAgreesWithTheTable(t *testing.T) {
	t.Parallel()
	for _, z := range zones {
		calendar, err := models.NewCalendar("20:00", z.name)
		if err != nil {
			t.Fatal(err)
		}
		w := models.Window{Calendar: calendar, Margin: 5 * time.Second, Ahead: func() time.Duration { return 2500 * time.Millisecond }}
		for d := firstDay; d <= lastDay; d++ {
			begins, cutoff, ends := z.midnight(d), z.cutoff(d), z.midnight(d+1)
			closes := cutoff.Add(-7500 * time.Millisecond)
			for _, tt := range []struct {
				sold, now time.Time
				open      bool
			}{
				{begins, closes.Add(-1), true},
				{closes.Add(-time.Hour), closes.Add(-1), true},
				{begins, closes, false},
				{begins, ends, false},
				{begins, ends.Add(12 * time.Hour), false},
				{begins, begins.Add(-1), false},
				{begins.Add(-1), begins, false},
				{cutoff, cutoff, false},
			} {
				sale := &models.Sale{SoldAt: tt.sold, CutoffAt: calendar.Cutoff(tt.sold), State: models.SaleCancelable}
				if got := w.Open(sale, tt.now); got != tt.open {
					t.Fatalf("%s: a sale of %s is open=%t at %s, want %t", z.name, tt.sold, got, stamp(tt.now), tt.open)
				}
			}
		}
	}
}

// stamp writes an instant to the nanosecond.
func stamp(t time.Time) string { return fmt.Sprint(t.UTC().Format("2006-01-02T15:04:05.000000000Z")) }
