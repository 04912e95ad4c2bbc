package cutoff

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"
)

var seed = flag.Uint64("seed", rand.Uint64(), "of the schedules; the log of every run names it")

// TestNoFirstByteAfterTheCutoff is the experiment in short.
func TestNoFirstByteAfterTheCutoff(t *testing.T) {
	t.Parallel()
	r, err := Run(t.Context(), Options{Seed: *seed, Schedules: 160, Sharp: 40, EveryDay: 90, Stampede: 60})
	t.Log(r)
	if err != nil {
		t.Fatal(err)
	}
	if r.Violations > 0 {
		t.Errorf("%d violations, want none", r.Violations)
	}
	// An experiment that comes near nothing proves nothing.
	e, s := r.Schedules, r.Stampede
	for figure, got := range map[string]int{
		"refused at the door": e.Cases.RefusedLate, "refused at the take": e.Cases.ExpiredAtTake, "refused by the timer": e.Cases.ExpiredByTimer,
		"refused after the attempt": e.Cases.ExpiredUnsent, "refused at the gate on the wire": e.Wire.Silent,
		"inquiries": e.Wire.Inquiries, "handshakes that failed": e.Wire.NotShaken, "tokens over the network": e.Wire.Tokens,
		"sent before a difference was known": e.Wire.FirstBytes - e.Wire.Measured, "sent with one": e.Wire.Measured - 49,
		"expired in the stampede": s.Cases.ExpiredAtTake + s.Cases.ExpiredByTimer + s.Cases.ExpiredUnsent, "sent in it": s.Cases.Delivered - s.Terminals,
	} {
		if got <= 0 {
			t.Errorf("%s: too few to prove anything", figure)
		}
	}
	for whose, us := range map[string]int{"our clock": e.Wire.ClosestOurs, "the known difference": e.Wire.ClosestBoth} {
		if closest := time.Duration(us) * time.Microsecond; closest > 50*time.Millisecond {
			t.Errorf("by %s no first byte came closer to the bound than %s", whose, closest)
		}
	}
}
