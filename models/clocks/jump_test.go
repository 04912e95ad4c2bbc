package clocks_test

import (
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/clocks"
	"veinte/models/modelstest"
)

// jumps are the jumps of the clock that the trail tells of, each by how much.
func jumps(t *testing.T, o *modelstest.Office) (by []time.Duration) {
	t.Helper()
	rows, err := o.Owner.Query(`SELECT before, after FROM audit_entries WHERE action = $1 ORDER BY id`, string(models.ActionClockJumped))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var before, after []byte
		var from, to struct{ Clock time.Time }
		if err := rows.Scan(&before, &after); err != nil {
			t.Fatal(err)
		}
		if json.Unmarshal(before, &from) != nil || json.Unmarshal(after, &to) != nil {
			t.Fatalf("the entry has %s and %s", before, after)
		}
		by = append(by, to.Clock.Sub(from.Clock).Round(time.Minute))
	}
	return by
}

// TestAJumpOfTheClockIsInTheTrail: of a server that runs, and of one that begins after
// the clock was put right; each once.
func TestAJumpOfTheClockIsInTheTrail(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.Exec(t, o.Owner, `DELETE FROM installation`)
	log := slog.New(slog.DiscardHandler)
	clock := modelstest.NewClock(time.Now().Add(3 * time.Hour)) // the server's and the database's, until it is put right
	modelstest.Exec(t, o.Owner, `INSERT INTO installation (kind, marked_at, clock_offset) VALUES ('demo', now(), '3 hours')`)
	measure := func(s *clocks.Service) {
		t.Helper()
		if err := s.Measure(t.Context()); err != nil {
			t.Fatalf("Measure() = %v", err)
		}
	}
	s := clocks.New(o.DB, clock, log)
	measure(s)
	measure(s)
	if got := jumps(t, o); len(got) != 0 {
		t.Fatalf("a clock that goes on jumped by %v", got)
	}
	o.Request(o.Sale(100))
	clock.Set(time.Now().Add(30 * time.Second))
	modelstest.Exec(t, o.Owner, `UPDATE installation SET clock_offset = '0'`)
	measure(s)
	measure(s)
	if got := jumps(t, o); len(got) != 1 || got[0] != -3*time.Hour {
		t.Errorf("the trail tells of jumps by %v, want one of -3h", got)
	}
	measure(clocks.New(o.DB, clock, log)) // and one that is started anew finds nothing to tell
	if got := jumps(t, o); len(got) != 1 {
		t.Errorf("after a server was started the trail tells of jumps by %v", got)
	}
}

// TestAClockThatWasPutRightWhileNoServerRan is told of by the next that begins.
func TestAClockThatWasPutRightWhileNoServerRan(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.Exec(t, o.Owner, `DELETE FROM installation`)
	modelstest.Exec(t, o.Owner, `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical)
		VALUES (now() + interval '3 hours', 'x', 'system', 'test.done', 'success', '')`)
	for range 2 {
		s := clocks.New(o.DB, models.ShiftedClock(0), slog.New(slog.DiscardHandler))
		if err := s.Measure(t.Context()); err != nil {
			t.Fatalf("Measure() = %v", err)
		}
		if got := jumps(t, o); len(got) != 1 || got[0] != -3*time.Hour {
			t.Errorf("the trail tells of jumps by %v, want one of -3h", got)
		}
	}
}
