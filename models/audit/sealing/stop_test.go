package sealing_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// TestEveryProcessKnowsOfAStop: what one process saw prevents all from sealing,
// including those that start later with an empty directory or none, until the
// directory that contradicts was moved away.
func TestEveryProcessKnowsOfAStop(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	other, none := s.Process(filepath.Join(t.TempDir(), "empty")), s.Process("")
	s.Write(300)
	s.All()
	s.Write(10)
	s.All()
	s.cut(300)
	slow, err := s.Owner.Begin() // all that follows waits for it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = slow.Rollback() }()
	if _, err := slow.Exec(`SELECT pg_current_xact_id()`); err != nil {
		t.Fatal(err)
	}
	s.Write(50)
	s.refused(s.Seals, sealing.Shorter)
	late := s.Process(filepath.Join(t.TempDir(), "later"))
	keyless := sealing.New(sealing.Config{DB: modelstest.Open(t, s.URL), Clock: models.ShiftedClock(0)})
	var all sync.WaitGroup
	for _, p := range []*sealing.Service{other, none, late, other, none} {
		all.Go(func() {
			if n, err := p.Seal(context.Background()); n != 0 || err == nil {
				t.Errorf("a process that has seen nothing sealed %d entries, %v", n, err)
			}
		})
	}
	all.Wait()
	for name, p := range map[string]*sealing.Service{"other": other, "none": none, "late": late, "keyless": keyless} {
		if notice := s.noticed(p, 0); notice == nil || notice.Code != sealing.Shorter || notice.Seen != 310 || notice.Sealed != 300 {
			t.Errorf("people of %s are notified of %v", name, notice)
		}
		if st, err := p.Status(t.Context()); err != nil || st.Stop == nil || st.Stop.Code != sealing.Shorter {
			t.Errorf("the metrics of %s say %+v, %v", name, st.Stop, err)
		}
	}
	modelstest.Wants(t, "entries that say so", s.recorded(models.ActionSealingStopped), 1)
	if err := os.Rename(s.Dir, s.Dir+".moved"); err != nil {
		t.Fatal(err)
	}
	s.refused(none, sealing.Shorter) // without a directory the process does not know that it was moved
	again := s.Process(s.Dir)        // the server was started anew
	s.Seals = again
	s.refused(again, sealing.Shorter) // sealing cannot be tried while entries wait for a transaction; the stop remains until then
	if err := slow.Rollback(); err != nil {
		t.Fatal(err)
	}
	s.resumes()
	s.All()
	modelstest.Wants(t, "entries that say that it goes on", s.recorded(models.ActionSealingResumed), 1)
	for _, p := range []*sealing.Service{other, none, late} {
		s.Write(1)
		modelstest.WaitFor(t, "the others to seal again", func() bool { return s.sealedBy(p) > 0 })
		if notice := s.noticed(p, 0); notice != nil || p.Trouble() != nil {
			t.Errorf("people are still notified of %v, trouble %v", notice, p.Trouble())
		}
	}
	modelstest.Wants(t, "stops in the trail", s.recorded(models.ActionSealingStopped), 1)
	if _, err := s.Owner.Exec(`DELETE FROM sealing_stops`); err == nil {
		t.Error("a stop was forgotten")
	}
}

// TestSealingIsResumedByHand where there is no directory to move away, with a reason
// and only by an operator of the server; a remaining contradiction stops it again.
func TestSealingIsResumedByHand(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	p, db := s.Process(""), modelstest.Open(t, s.URL)
	ana := models.System("command line", "ana")
	if err := wiring.Over(db).Sealing.ResumeSealing(t.Context(), ana, "nada"); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("ResumeSealing of what is not stopped = %v", err)
	}
	s.Write(5)
	s.Seals = p
	s.All()
	s.Write(5)
	s.All()
	s.cut(5)
	s.refused(p, sealing.Shorter)
	s.refused(s.Process(""), sealing.Shorter) // which was started since
	for _, actor := range []models.Actor{modelstest.Person(models.Administrator), modelstest.Person(models.Supervisor), {}} {
		if err := wiring.Over(db).Sealing.ResumeSealing(t.Context(), actor, "quiero"); !errors.Is(err, models.ErrForbidden) {
			t.Errorf("ResumeSealing by %s = %v", actor.Role, err)
		}
	}
	for _, reason := range []string{"", " ", strings.Repeat("x", 301)} {
		if err := wiring.Over(db).Sealing.ResumeSealing(t.Context(), models.System("command line", "ana"), reason); err == nil {
			t.Errorf("ResumeSealing for %q was not refused", reason)
		}
	}
	if err := wiring.Over(db).Sealing.ResumeSealing(t.Context(), models.System("command line", "ana"),
		"se restauró un respaldo"); err != nil {
		t.Fatal(err)
	}
	s.All()
	if n := modelstest.Count(t, s.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'sealing.resumed' AND on_behalf_of = 'ana' AND reason = 'se restauró un respaldo'`); n != 1 {
		t.Errorf("%d entries say who resumed and why, want 1", n)
	}
	s.asSuperuser(`UPDATE sealed_entries SET hash = sha256('other') WHERE n = 4`)
	s.Write(1)
	s.refused(s.Process(""), sealing.Different)
	modelstest.Wants(t, "stops in the trail", s.recorded(models.ActionSealingStopped), 2)
}

// TestALongOperationIsNoTampering: entries that wait for a long writing transaction
// are reported as that, with since when, and raise no other alarm.
func TestALongOperationIsNoTampering(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	s.Write(2)
	s.All()
	began := time.Now()
	slow, err := modelstest.Open(t, s.URL).Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = slow.Rollback(context.Background()) }()
	if _, err := slow.Exec(t.Context(), `SELECT pg_current_xact_id()`); err != nil {
		t.Fatal(err)
	}
	s.Write(3)
	if n := s.sealedBy(s.Seals); n != 0 {
		t.Fatalf("%d entries were sealed before a transaction that may come before them", n)
	}
	if notice := s.noticed(s.Seals, time.Minute); notice != nil {
		t.Errorf("after a minute people are notified of %v", notice)
	}
	ahead := 10 * time.Minute
	later := sealing.New(sealing.Config{DB: modelstest.Open(t, s.URL), Clock: models.ShiftedClock(ahead), Signers: s.Keys.Signers()})
	notice := s.noticed(later, ahead)
	if notice == nil || notice.Code != sealing.Paused || notice.Since.Before(began.Add(ahead-time.Minute)) ||
		notice.Since.After(time.Now().Add(ahead)) {
		t.Errorf("people are notified of %+v, want an operation under way since about %s", notice, began.Add(ahead))
	}
	if st, err := later.Status(t.Context()); err != nil || st.PausedFor <= 0 {
		t.Errorf("Standing = %+v, %v, want what holds it", st, err)
	}
	a := alerts.New(alerts.Config{DB: modelstest.Open(t, s.URL), Clock: models.ShiftedClock(ahead)})
	if err := a.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := modelstest.Scan[string](t, s.Owner, `SELECT coalesce(string_agg(facts->>'action', ' '), '')
		FROM alerts`); got != "sealing.held" {
		t.Errorf("alerts of %q, want one of a long operation", got)
	}
	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.All()
	if st, err := later.Status(t.Context()); err != nil || st.PausedFor != 0 {
		t.Errorf("when it is over: %+v, %v", st, err)
	}
}

// TestSealingReadsInOrder: neither the sealer nor a client of the stream sorts the
// trail: each piece is read from the index of commit order, month by month.
func TestSealingReadsInOrder(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	modelstest.Exec(t, s.Owner, `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical, era)
		SELECT date_trunc('month', now()) + n % 3 * interval '1 month' + n * interval '1 second',
			'x', 'system', 'test.done', 'success', 'x', 1 + n % 2 FROM generate_series(1, 30000) n`)
	modelstest.Exec(t, s.Owner, `VACUUM ANALYZE audit_entries`)
	for name, q := range map[string]struct {
		sql  string
		args []any
	}{
		"sealer":   {sealing.UnsealedSQL, []any{1, "0", 0, "9223372036854775807"}},
		"follower": {audit.FollowedSQL, []any{1, "0", 0, "9223372036854775807", true, []int64{}, 0, false, 100}},
	} {
		for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
			pool := modelstest.Open(t, s.URL).Pool()
			conn, err := pool.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Release()
			if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+mode); err != nil {
				t.Fatal(err)
			}
			rows, err := conn.Query(t.Context(), `EXPLAIN `+q.sql, q.args...)
			if err != nil {
				t.Fatal(err)
			}
			var plan strings.Builder
			for rows.Next() {
				var line string
				if err := rows.Scan(&line); err != nil {
					t.Fatal(err)
				}
				fmt.Fprintln(&plan, line)
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
			if text := plan.String(); strings.Contains(text, "Sort Key") && !strings.Contains(text, "Merge Append") ||
				strings.Contains(text, "Sort  (") || strings.Contains(text, "Seq Scan on audit_entries_2") ||
				!strings.Contains(text, "commit_order") && !strings.Contains(text, "era_txid_id_idx") {
				t.Errorf("the %s's plan (%s) is not by the index of commit order:\n%s", name, mode, text)
			}
		}
	}
}
