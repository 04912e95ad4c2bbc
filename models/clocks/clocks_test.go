package clocks_test

import (
	"log/slog"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/clocks"
	"veinte/models/modelstest"
)

func TestMain(m *testing.M) { modelstest.Main(m) }

// Servers beside one another, each with a clock of its own, and the database between
// them.
func TestServersCompareTheirClocks(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	log := slog.New(slog.DiscardHandler)
	server := func(ahead time.Duration) *clocks.Service { return clocks.New(o.DB, models.ShiftedClock(ahead), log) }
	measure := func(s *clocks.Service, want clocks.Verdict, what string) {
		t.Helper()
		if err := s.Measure(t.Context()); err != nil {
			t.Fatalf("Measure() = %v", err)
		}
		if got := s.Standing(); got.Verdict != want {
			t.Errorf("%s: the verdict is %q (%s ahead), want %q", what, got.Verdict, got.Ahead, want)
		}
	}
	right, ahead := server(0), server(90*time.Second)
	if got := ahead.Now().Sub(right.Now()); got < 89*time.Second {
		t.Errorf("before it was compared the wrong clock shows %s more, want 90 s", got)
	}
	measure(right, clocks.Agree, "the right one, alone")
	measure(ahead, clocks.ServerDiffers, "90 s ahead, beside it")
	measure(right, clocks.Agree, "the right one, beside it")
	if got := ahead.Now().Sub(right.Now()).Abs(); got > time.Second {
		t.Errorf("the server whose clock is wrong goes by a time that is %s off", got)
	}
	if early := ahead.Early(); early < 179*time.Second || early > 181*time.Second || right.Early() != 0 {
		t.Errorf("it stops sending %s early, and the right one %s; want 3m0s and 0", early, right.Early())
	}

	// The database of two servers is put 90 s back: both see it, and go on by their own.
	modelstest.Exec(t, o.Owner, `DELETE FROM server_clocks`)
	one, two := server(90*time.Second), server(91*time.Second)
	measure(one, clocks.ServerDiffers, "one, before another is there")
	measure(two, clocks.DatabaseDiffers, "two, beside one")
	measure(one, clocks.DatabaseDiffers, "one, beside two")
	if one.Differs() || one.Early() != 0 || one.Now().Sub(right.Now()) < 89*time.Second {
		t.Errorf("where the database is the odd one, a server differs: %t, stops %s early, and is %s ahead of the database",
			one.Differs(), one.Early(), one.Now().Sub(right.Now()))
	}
	modelstest.Exec(t, o.Owner, `UPDATE server_clocks SET seen_at = seen_at - interval '1 minute'`)
	measure(one, clocks.DatabaseDiffers, "one, when two has stopped")

	// A demo's clock is another on purpose, and the database holds by how much.
	modelstest.Exec(t, o.Owner, `INSERT INTO installation (kind, marked_at, clock_offset) VALUES ('demo', now(), '90 seconds')`)
	measure(one, clocks.Agree, "as far as the offset says")
	measure(right, clocks.ServerDiffers, "without the offset")
}

// What the server's role may not do: give the database another offset.
func TestTheServerSetsNoOffset(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.SetClockOffset(t, o)
	if _, err := o.DB.Pool().Exec(t.Context(), `UPDATE installation SET clock_offset = '1 day'`); err == nil {
		t.Error("the server's role has changed the offset of the clock")
	}
}

// Nothing that is not there differs.
func TestNoClocksNeverDiffer(t *testing.T) {
	t.Parallel()
	var none *clocks.Service
	if none.Differs() || none.Early() != 0 || none.Standing() != (clocks.Standing{}) {
		t.Error("a server without a comparison differs")
	}
}
