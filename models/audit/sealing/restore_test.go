package sealing_test

import (
	"os"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/sealing"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// TestADumpGoesOn: in another cluster, which counts its transactions from the
// beginning, sealing of a restored trail continues after the restored entries, and
// every earlier checkpoint still holds. An older dump, restored under a directory
// with a later checkpoint, is not sealed.
func TestADumpGoesOn(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	// A cluster that has lived for a while.
	modelstest.Exec(t, s.Owner, `DO $$ BEGIN FOR i IN 1..20000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`)
	s.Write(400)
	s.All()
	s.Write(7) // not sealed when it is dumped
	older := s.Dump()
	s.All()
	s.Write(120)
	s.All()
	s.Write(5)
	before := s.notes(s.Dir)
	there := s.restored(s.Dump())
	there.Write(300)
	there.All()
	there.check()
	modelstest.Wants(t, "eras", modelstest.Scan[string](t, there.Owner, `SELECT string_agg(DISTINCT era::text, ' ')
		FROM audit_entries`), "1 2")
	modelstest.Wants(t, "entries sealed", modelstest.Count(t, there.Owner, `SELECT max(size) FROM checkpoints`), 832)
	db := modelstest.Open(t, there.URL)
	last, err := wiring.Over(db).Sealing.LatestCheckpoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range before {
		proof, err := wiring.Over(db).Sealing.ProveConsistency(t.Context(), c.Size, last.Size)
		if err == nil {
			err = tlog.CheckTree(proof, last.Size, last.Root, c.Size, c.Root)
		}
		if err != nil {
			t.Errorf("the checkpoint of %d entries does not hold any more: %v", c.Size, err)
		}
	}
	again := there.restored(there.Dump()) // and once more
	again.Write(10)
	again.All()
	again.check()

	old := s.restored(older)
	old.Write(1000)
	old.refused(old.Seals, sealing.Shorter)
	if err := os.Rename(s.Dir, s.Dir+".moved"); err != nil {
		t.Fatal(err)
	}
	old.All() // an operator has decided
	old.check()
}
