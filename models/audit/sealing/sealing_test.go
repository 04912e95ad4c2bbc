package sealing_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// TestSealedInCommitOrder: with concurrent writers and sealers, each entry is sealed
// once, in commit order, and every checkpoint that was seen is a beginning of the
// final tree.
func TestSealedInCommitOrder(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	dirs := []string{s.Dir, filepath.Join(t.TempDir(), "second"), ""}
	ctx, stop := context.WithCancel(t.Context())
	var sealers, writers sync.WaitGroup
	for _, dir := range dirs {
		p := s.Process(dir)
		sealers.Go(func() {
			for ctx.Err() == nil {
				if _, err := p.Seal(ctx); err != nil && ctx.Err() == nil {
					t.Errorf("Seal: %v", err)
				}
			}
		})
	}
	for w := range 6 {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(20, uint64(w)))
			for range 40 {
				tx, err := s.Owner.Begin()
				if err != nil {
					t.Error(err)
					return
				}
				for range 1 + r.IntN(15) {
					if _, err := tx.Exec(strings.Replace(entryAt, "''", "convert_to(gen_random_uuid()::text, 'UTF8')", 1), time.Now()); err != nil {
						t.Error(err)
					}
				}
				if r.IntN(5) == 0 {
					_ = tx.Rollback() // a number without an entry
				} else if err := tx.Commit(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	stop()
	sealers.Wait()
	s.All()
	s.check()
	for _, dir := range dirs[:2] {
		for _, c := range s.notes(dir) {
			if n := modelstest.Count(t, s.Owner, `SELECT count(*) FROM checkpoints WHERE size = $1 AND root = $2`, c.Size, c.Root[:]); n != 1 {
				t.Errorf("%s holds a checkpoint of %d entries that the trail does not", dir, c.Size)
			}
		}
	}
}

// TestProofs: of entries and of consistency, over several levels of the tree.
func TestProofs(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	s.Write(3)
	s.All()
	s.Write(66_000) // beyond the second stored level
	s.All()
	s.Write(700)
	s.All()
	db := modelstest.Open(t, s.URL)
	last, err := wiring.Over(db).Sealing.LatestCheckpoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if last.Size != 66_703 {
		t.Fatalf("sealed %d entries, want 66703", last.Size)
	}
	var ids []int64
	rows, err := s.Owner.Query(`SELECT entry_id FROM sealed_entries WHERE n IN (0, 1, 2, 3, 255, 256, 65535, 65536, 66047, 66048, 66702)`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var id int64
		_ = rows.Scan(&id)
		ids = append(ids, id)
	}
	modelstest.Wants(t, "entries to prove", len(ids), 11)
	for _, id := range ids {
		p, err := wiring.Over(db).Sealing.Prove(t.Context(), id)
		if err != nil {
			t.Fatalf("ProveEntry(%d) = %v", id, err)
		}
		if err := tlog.CheckRecord(p.Proof, p.Checkpoint.Size, p.Checkpoint.Root, p.N, p.Leaf.Hash()); err != nil {
			t.Errorf("the proof of leaf %d: %v", p.N, err)
		}
		var n int64
		if err := s.Owner.QueryRow(`SELECT n FROM sealed_entries WHERE entry_id = $1`, id).Scan(&n); err != nil || n != p.N {
			t.Errorf("entry %d is leaf %d (%v), and proven as %d", id, n, err, p.N)
		}
	}
	older := s.notes(s.Dir)
	for _, c := range older {
		proof, err := wiring.Over(db).Sealing.ProveConsistency(t.Context(), c.Size, last.Size)
		if err != nil {
			t.Fatalf("ProveConsistency(%d, %d) = %v", c.Size, last.Size, err)
		}
		if err := tlog.CheckTree(proof, last.Size, last.Root, c.Size, c.Root); err != nil {
			t.Errorf("from %d to %d: %v", c.Size, last.Size, err)
		}
	}
	if _, err := wiring.Over(db).Sealing.Prove(t.Context(), 1<<40); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("the proof of no entry = %v, want ErrNotFound", err)
	}
	s.Write(1)
	id := int64(modelstest.Count(t, s.Owner, `SELECT max(id) FROM audit_entries`))
	if _, err := wiring.Over(db).Sealing.Prove(t.Context(), id); !errors.Is(err, sealing.ErrNotSealed) {
		t.Errorf("the proof of what is not sealed yet = %v, want ErrNotSealed", err)
	}
	for _, sizes := range [][2]int64{{0, 5}, {7, 5}, {5, 1 << 40}, {-1, 5}} {
		if _, err := wiring.Over(db).Sealing.ProveConsistency(t.Context(), sizes[0], sizes[1]); err == nil {
			t.Errorf("ProveConsistency(%d, %d) = nil", sizes[0], sizes[1])
		}
	}
}
