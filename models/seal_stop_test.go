package models_test

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
	"veinte/models/cancellations"
	"veinte/models/modelstest"
)

// told is what those who oversee are told by a process.
func (s *sealing) toldBy(p *sealing.Service, ahead time.Duration) *sealing.Trouble {
	s.tb.Helper()
	db := modelstest.Open(s.tb, s.url)
	o := cancellations.New(cancellations.Config{DB: db, Clock: models.ShiftedClock(ahead), Seals: p})
	// Notices take no longer than two seconds; a first connection may, on a busy machine.
	_, err := p.Status(s.tb.Context())
	if err = errors.Join(err, db.Ready(s.tb.Context())); err != nil {
		s.tb.Fatalf("the database: %v", err)
	}
	return o.Operations.Notices(s.tb.Context()).Sealing
}

func (s *sealing) sealedOf(p *sealing.Service) int {
	s.tb.Helper()
	n, err := p.Seal(s.tb.Context())
	if err != nil {
		s.tb.Fatalf("Seal: %v", err)
	}
	return n
}

// TestEveryProcessKnowsOfAStop: what one process saw keeps all from sealing, those
// that start later with an empty directory or none included, until the very
// directory that contradicts was moved away.
func TestEveryProcessKnowsOfAStop(t *testing.T) {
	t.Parallel()
	s := newSealing(t)
	other, none := s.process(filepath.Join(t.TempDir(), "empty")), s.process("")
	s.write(300)
	s.all()
	s.write(10)
	s.all()
	s.cut(300)
	slow, err := s.owner.Begin() // all that follows waits for it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = slow.Rollback() }()
	if _, err := slow.Exec(`SELECT pg_current_xact_id()`); err != nil {
		t.Fatal(err)
	}
	s.write(50)
	s.refused(s.seals, sealing.Shorter)
	late := s.process(filepath.Join(t.TempDir(), "later"))
	keyless := sealing.New(sealing.Config{DB: modelstest.Open(t, s.url), Clock: models.ShiftedClock(0)})
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
		if told := s.toldBy(p, 0); told == nil || told.Code != sealing.Shorter || told.Seen != 310 || told.Sealed != 300 {
			t.Errorf("people of %s are told %v", name, told)
		}
		if st, err := p.Status(t.Context()); err != nil || st.Stop == nil || st.Stop.Code != sealing.Shorter {
			t.Errorf("the metrics of %s say %+v, %v", name, st.Stop, err)
		}
	}
	wants(t, "entries that say so", s.told(models.ActionSealingStopped), 1)
	if err := os.Rename(s.dir, s.dir+".kept"); err != nil {
		t.Fatal(err)
	}
	s.refused(none, sealing.Shorter) // whoever has no directory does not know that it was moved
	again := s.process(s.dir)        // the server was started anew
	s.seals = again
	s.refused(again, sealing.Shorter) // what waits for a transaction cannot be tried; the stop stands until then
	if err := slow.Rollback(); err != nil {
		t.Fatal(err)
	}
	s.resumes()
	s.all()
	wants(t, "entries that say that it goes on", s.told(models.ActionSealingResumed), 1)
	for _, p := range []*sealing.Service{other, none, late} {
		s.write(1)
		waitFor(t, "the others to seal again", func() bool { return s.sealedOf(p) > 0 })
		if told := s.toldBy(p, 0); told != nil || p.Trouble() != nil {
			t.Errorf("people are still told %v, trouble %v", told, p.Trouble())
		}
	}
	wants(t, "stops in the trail", s.told(models.ActionSealingStopped), 1)
	if _, err := s.owner.Exec(`DELETE FROM sealing_stops`); err == nil {
		t.Error("a stop was forgotten")
	}
}

// TestSealingIsResumedByHand where there is no directory to move away, with a
// reason and by whoever runs the server alone; what still contradicts stops it anew.
func TestSealingIsResumedByHand(t *testing.T) {
	t.Parallel()
	s := newSealing(t)
	p, db := s.process(""), modelstest.Open(t, s.url)
	if err := sealing.New(db).ResumeSealing(t.Context(), models.System("command line", "ana"), "nada"); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("ResumeSealing of what is not stopped = %v", err)
	}
	s.write(5)
	s.seals = p
	s.all()
	s.write(5)
	s.all()
	s.cut(5)
	s.refused(p, sealing.Shorter)
	s.refused(s.process(""), sealing.Shorter) // which was started since
	for _, actor := range []models.Actor{modelstest.Person(models.Administrator), modelstest.Person(models.Supervisor), {}} {
		if err := sealing.New(db).ResumeSealing(t.Context(), actor, "quiero"); !errors.Is(err, models.ErrForbidden) {
			t.Errorf("ResumeSealing by %s = %v", actor.Role, err)
		}
	}
	for _, reason := range []string{"", " ", strings.Repeat("x", 301)} {
		if err := sealing.New(db).ResumeSealing(t.Context(), models.System("command line", "ana"), reason); err == nil {
			t.Errorf("ResumeSealing for %q was not refused", reason)
		}
	}
	if err := sealing.New(db).ResumeSealing(t.Context(), models.System("command line", "ana"), "se restauró un respaldo"); err != nil {
		t.Fatal(err)
	}
	s.all()
	if n := count(t, s.owner, `SELECT count(*) FROM audit_entries WHERE action = 'sealing.resumed' AND on_behalf_of = 'ana' AND reason = 'se restauró un respaldo'`); n != 1 {
		t.Errorf("%d entries tell who resumed and why, want 1", n)
	}
	s.asSuperuser(`UPDATE sealed_entries SET hash = sha256('other') WHERE n = 4`)
	s.write(1)
	s.refused(s.process(""), sealing.Different)
	wants(t, "stops in the trail", s.told(models.ActionSealingStopped), 2)
}

// TestALongOperationIsNoTampering: entries that wait for a transaction that has
// been writing for long are told as that, with since when, and raise no alarm of
// another kind.
func TestALongOperationIsNoTampering(t *testing.T) {
	t.Parallel()
	s := newSealing(t)
	s.write(2)
	s.all()
	began := time.Now()
	slow, err := modelstest.Open(t, s.url).Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = slow.Rollback(context.Background()) }()
	if _, err := slow.Exec(t.Context(), `SELECT pg_current_xact_id()`); err != nil {
		t.Fatal(err)
	}
	s.write(3)
	if n := s.sealedOf(s.seals); n != 0 {
		t.Fatalf("%d entries were sealed before a transaction that may come before them", n)
	}
	if told := s.toldBy(s.seals, time.Minute); told != nil {
		t.Errorf("after a minute people are told %v", told)
	}
	ahead := 10 * time.Minute
	later := sealing.New(sealing.Config{DB: modelstest.Open(t, s.url), Clock: models.ShiftedClock(ahead), Signers: s.keys.Signers()})
	told := s.toldBy(later, ahead)
	if told == nil || told.Code != sealing.Paused || told.Since.Before(began.Add(ahead-time.Minute)) || told.Since.After(time.Now().Add(ahead)) {
		t.Errorf("people are told %+v, want an operation under way since about %s", told, began.Add(ahead))
	}
	if st, err := later.Status(t.Context()); err != nil || st.PausedFor <= 0 {
		t.Errorf("Standing = %+v, %v, want what holds it", st, err)
	}
	a := alerts.New(alerts.Config{DB: modelstest.Open(t, s.url), Clock: models.ShiftedClock(ahead)})
	if err := a.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := scan[string](t, s.owner, `SELECT coalesce(string_agg(facts->>'action', ' '), '') FROM alerts`); got != "sealing.held" {
		t.Errorf("alerts of %q, want one of a long operation", got)
	}
	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.all()
	if st, err := later.Status(t.Context()); err != nil || st.PausedFor != 0 {
		t.Errorf("when it is over: %+v, %v", st, err)
	}
}

// TestSealingReadsInOrder: neither the sealer nor whoever follows the trail sorts
// it: each piece comes out of the index of commit order, month by month.
func TestSealingReadsInOrder(t *testing.T) {
	t.Parallel()
	s := newSealing(t)
	exec(t, s.owner, `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical, era)
		SELECT date_trunc('month', now()) + n % 3 * interval '1 month' + n * interval '1 second', 'x', 'system', 'test.done', 'success', 'x', 1 + n % 2 FROM generate_series(1, 30000) n`)
	exec(t, s.owner, `VACUUM ANALYZE audit_entries`)
	for name, q := range map[string]struct {
		sql  string
		args []any
	}{
		"sealer":   {sealing.UnsealedSQL, []any{1, "0", 0, "9223372036854775807"}},
		"follower": {audit.FollowedSQL, []any{1, "0", 0, "9223372036854775807", true, []int64{}, 0, false, 100}},
	} {
		for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
			pool := modelstest.Open(t, s.url).Pool()
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
			if text := plan.String(); strings.Contains(text, "Sort Key") && !strings.Contains(text, "Merge Append") || strings.Contains(text, "Sort  (") || strings.Contains(text, "Seq Scan on audit_entries_2") || !strings.Contains(text, "commit_order") && !strings.Contains(text, "era_txid_id_idx") {
				t.Errorf("the %s's plan (%s) is not by the index of commit order:\n%s", name, mode, text)
			}
		}
	}
}
