package sealing_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// TestKeysAreRotated: both keys sign for a while, the trail records the change once,
// and a sealed trail continues under its own name only.
func TestKeysAreRotated(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	oldKeys, old := modelstest.NewKeys(t)
	both, _ := modelstest.NewKeys(t, old)
	foreign, _, err := trailfile.GenerateKey("otra.example/bitacora")
	if err != nil {
		t.Fatal(err)
	}
	other, err := trailfile.ParseKeys(foreign)
	if err != nil {
		t.Fatal(err)
	}
	runWith := func(keys *trailfile.Keys) {
		t.Helper()
		s.Keys = keys
		p := s.Process(s.Dir)
		if err := p.Check(t.Context()); err != nil {
			t.Fatalf("Check = %v", err)
		}
		run(t, p, s)
	}
	runWith(oldKeys)
	runWith(oldKeys)
	modelstest.Wants(t, "keys recorded", s.recorded(models.ActionSealingKeys), 1)
	runWith(both)
	modelstest.Wants(t, "keys recorded", s.recorded(models.ActionSealingKeys), 2)
	s.Seals = s.Process(s.Dir)
	s.Write(1)
	s.All()
	note := modelstest.Scan[string](t, s.Owner, `SELECT note FROM checkpoints ORDER BY size DESC LIMIT 1`)
	for name, keys := range map[string]*trailfile.Keys{"old": oldKeys, "both": both} {
		if _, err := trailfile.Open(note, keys.Verifiers()); err != nil {
			t.Errorf("the %s keys do not open the last checkpoint: %v", name, err)
		}
	}
	s.Keys = other
	if err := s.Process(s.Dir).Check(t.Context()); err == nil || !strings.Contains(err.Error(), "must bear the old name") {
		t.Errorf("Check with keys of another name = %v", err)
	}
	keyless := sealing.New(sealing.Config{DB: modelstest.Open(t, s.URL), Clock: models.ShiftedClock(0)})
	if err := keyless.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "AUDIT_KEY_FILE") {
		t.Errorf("Check without keys = %v", err)
	}
	if n, err := keyless.Seal(t.Context()); n != 0 || err != nil {
		t.Errorf("Seal without keys = %d, %v", n, err)
	}
}

// TestATrailThatWasNeverSealed starts without keys, and shows no trouble.
func TestATrailThatWasNeverSealed(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	s.Write(2)
	p := sealing.New(sealing.Config{DB: modelstest.Open(t, s.URL), Clock: models.ShiftedClock(time.Hour)})
	if err := p.Check(t.Context()); err != nil {
		t.Errorf("Check = %v", err)
	}
	o := wiring.New(wiring.Config{DB: modelstest.Open(t, s.URL), Clock: models.ShiftedClock(time.Hour), Seals: p})
	if n := o.Operations.Notices(t.Context()); n.Sealing != nil {
		t.Errorf("people are notified of %v", n.Sealing)
	}
	if last, err := wiring.Over(modelstest.Open(t, s.URL)).Sealing.LatestCheckpoint(t.Context()); last != nil || err != nil {
		t.Errorf("LatestCheckpoint = %v, %v", last, err)
	}
	s.All()
	s.Write(1)
	// While a transaction of another test runs, that is what it waits for.
	modelstest.WaitFor(t, "people to be notified of an entry that has waited for an hour", func() bool {
		notice := s.noticed(p, time.Hour)
		return notice != nil && notice.Code == sealing.Lagging && notice.Sealed == 2
	})
}

// run has a process seal until what it finds is sealed, and one entry more.
func run(t *testing.T, p *sealing.Service, s trail) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	s.Write(1)
	modelstest.WaitFor(t, "what was recorded to be sealed", func() bool {
		entries := modelstest.Count(t, s.Owner, `SELECT count(*) FROM audit_entries`)
		return entries == modelstest.Count(t, s.Owner, `SELECT coalesce(max(size), 0) FROM checkpoints`)
	})
	stop()
	running.Wait()
}
