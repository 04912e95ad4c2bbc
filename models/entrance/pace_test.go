package entrance

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestStrangersHaveHalfACore: while strangers wait, a turn is followed by a pause of the
// same length; a stranger alone, and devices, find the turn free at once.
func TestStrangersHaveHalfACore(t *testing.T) {
	t.Parallel()
	known := &device{id: "till"}
	for _, tt := range []struct {
		fact   string
		first  *device
		alone  bool
		second time.Duration // after the first began
	}{
		{"strangers in a line", nil, false, 200 * time.Millisecond},
		{"one stranger after the other", nil, true, 100 * time.Millisecond},
		{"a device", known, false, 100 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			d, began := newDoor(), time.Now()
			turn := func(who *device, network string) time.Duration {
				place, err := d.enter(who, network)
				if err != nil {
					t.Fatalf("%s: enter() = %v", tt.fact, err)
				}
				defer place.Leave()
				var at time.Duration
				err = place.compute(t.Context(), nil, func() error {
					at = time.Since(began)
					time.Sleep(100 * time.Millisecond) // of the test's own clock
					return nil
				})
				if err != nil {
					t.Errorf("%s: compute() = %v", tt.fact, err)
				}
				return at
			}
			got := make(chan time.Duration, 1)
			next := tt.first
			if next != nil {
				next = &device{id: "another till"}
			}
			if tt.alone {
				turn(tt.first, "192.0.2.1")
				got <- turn(next, "192.0.2.2")
			} else {
				go func() {
					time.Sleep(time.Millisecond)
					got <- turn(next, "192.0.2.2")
				}()
				turn(tt.first, "192.0.2.1")
			}
			if at := <-got; at != tt.second {
				t.Errorf("%s: the second began after %s, want %s", tt.fact, at, tt.second)
			}
		})
	}
}
