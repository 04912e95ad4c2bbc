package models

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"veinte/models/goroutine"
	"veinte/models/trail"
)

// mostFindings is how many findings a verdict names. Whoever dropped a month
// need not read of every entry of it.
const mostFindings = 1000

// leavesAhead is how many leaves are verified in one go.
const leavesAhead = 20_000

// VerifyTrail verifies the trail as the database has it: every entry against
// its leaf, the leaves against the tree, the tree against every checkpoint, and
// all of it against the checkpoints that were kept outside. It changes nothing and
// stops nobody. An error is of the database; what is wrong with the trail is in
// the verdict.
func (db *DB) VerifyTrail(ctx context.Context, check TrailCheck) (*TrailVerdict, error) {
	t := &trailRun{db: db, check: check, seed: maphash.MakeSeed(), v: &TrailVerdict{Signed: check.Keys != nil}}
	ctx, t.cancel = context.WithCancelCause(ctx)
	defer t.cancel(nil)
	// One snapshot for everything: what is sealed meanwhile is not looked at.
	var snapshot string
	err := t.inSnapshot(ctx, "", func(tx pgx.Tx) error {
		if err := holdMonths(ctx, tx); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `SELECT pg_export_snapshot()`).Scan(&snapshot); err != nil {
			return err
		}
		if err := t.look(ctx, tx); err != nil {
			return err
		}
		if err := t.all(ctx, snapshot); err != nil {
			return err
		}
		return t.twins(ctx, tx)
	})
	if err != nil {
		return nil, fmt.Errorf("verify trail: %w", err)
	}
	t.awayEnd()
	t.v.conclude()
	return t.v, nil
}

// trailRun is one verification under way. What its goroutines share is behind mu.
type trailRun struct {
	db     *DB
	check  TrailCheck
	cancel context.CancelCauseFunc
	seed   maphash.Seed

	last     sealedUpTo // the last checkpoint, as its row says
	leaves   int64      // sealed rows
	origin   string     // of the last checkpoint
	edges    []int64    // of numbers of entries: between two lie about leavesAhead leaves
	archived map[string]*archivedMonth

	mu     sync.Mutex
	v      *TrailVerdict
	nonces [][]uint64 // of each who looked at entries
	done   int64
}

// found keeps a finding. place is where it stands in the trail's order.
func (t *trailRun) found(place int64, f TrailFinding) {
	f.place = place
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.v.Findings) < 2*mostFindings {
		t.v.Findings = append(t.v.Findings, f)
		return
	}
	// The first ones are kept, whatever order they are found in.
	t.v.sort()
	t.v.More += int64(len(t.v.Findings) - mostFindings)
	t.v.Findings = append(t.v.Findings[:mostFindings], f)
}

// inSnapshot runs f in a transaction that only reads, in a snapshot that another
// one has exported.
func (t *trailRun) inSnapshot(ctx context.Context, snapshot string, f func(pgx.Tx) error) error {
	tx, err := t.db.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if snapshot != "" {
		if _, err := tx.Exec(ctx, `SET TRANSACTION SNAPSHOT '`+snapshot+`'`); err != nil {
			return err
		}
	}
	// Everything comes in the order of an index; nothing is gathered and sorted
	// first, and nothing is compiled for it.
	_, err = tx.Exec(ctx, `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
		SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off; SET LOCAL jit = off;
		SET LOCAL max_parallel_workers_per_gather = 0`)
	if err != nil {
		return err
	}
	return f(tx)
}

// look learns how large the trail is, and what of it was put away.
func (t *trailRun) look(ctx context.Context, tx pgx.Tx) error {
	c, last, err := checkpointIn(ctx, tx)
	if err != nil {
		return err
	}
	t.last = last
	if c != nil {
		t.v.Size, t.v.SealedAt = c.Size, c.SealedAt
		if claim, err := trail.Unverified(c.Note); err == nil {
			t.origin = claim.Origin
		}
	}
	if err := tx.QueryRow(ctx, `SELECT coalesce(max(n), -1) + 1 FROM sealed_entries`).Scan(&t.leaves); err != nil {
		return err
	}
	var at []int64
	for n := int64(leavesAhead); n < t.leaves && len(at) < 1<<20; n += leavesAhead {
		at = append(at, n)
	}
	rows, err := tx.Query(ctx, `SELECT entry_id FROM sealed_entries WHERE n = ANY($1)`, at)
	if err != nil {
		return err
	}
	if t.edges, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
		return err
	}
	slices.Sort(t.edges)
	t.edges = slices.Compact(t.edges)
	return t.lookAway(ctx, tx)
}

// all verifies on every core: pieces of the entries, and beside them the tree
// and what was signed over it.
func (t *trailRun) all(ctx context.Context, snapshot string) error {
	var group sync.WaitGroup
	run := func(f func(context.Context, pgx.Tx) error) {
		group.Go(func() {
			defer goroutine.Recover(nil, "verifying the trail", t.cancel)
			if err := t.inSnapshot(ctx, snapshot, func(tx pgx.Tx) error { return f(ctx, tx) }); err != nil {
				t.cancel(err)
			}
		})
	}
	pieces := make(chan piece)
	run(t.tree)
	run(t.signed)
	for range max(2, min(4, runtime.GOMAXPROCS(0))) {
		w := &entryRun{trailRun: t, away: map[string]int64{}}
		run(func(ctx context.Context, tx pgx.Tx) error { return w.work(ctx, tx, pieces) })
	}
	t.hand(ctx, pieces)
	close(pieces)
	group.Wait()
	return context.Cause(ctx)
}

// piece is a range of numbers of entries, both ends in it.
type piece struct{ from, to int64 }

// hand hands out pieces that together are all numbers there are.
func (t *trailRun) hand(ctx context.Context, pieces chan<- piece) {
	from := int64(math.MinInt64)
	for _, edge := range append(t.edges, math.MaxInt64) {
		select {
		case pieces <- piece{from, edge}:
		case <-ctx.Done():
			return
		}
		from = edge + 1
	}
}

// progress tells that so many more leaves were looked at.
func (t *trailRun) progress(n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done += n
	if t.check.Progress != nil {
		t.check.Progress(t.done, max(t.leaves, t.done))
	}
}

// conclude puts the findings in the trail's order and says what they come to.
func (v *TrailVerdict) conclude() {
	v.sort()
	if more := len(v.Findings) - mostFindings; more > 0 {
		v.Findings, v.More = v.Findings[:mostFindings], v.More+int64(more)
	}
	v.State = TrailIntact
	for i := range v.Findings {
		if !v.Findings[i].Undecided() {
			v.State = TrailAltered
			break
		}
		v.State = TrailUndecided
	}
	for i := range v.Findings {
		if v.State == TrailUndecided || !v.Findings[i].Undecided() {
			v.First = &v.Findings[i]
			break
		}
	}
}

func (v *TrailVerdict) sort() {
	slices.SortStableFunc(v.Findings, func(a, b TrailFinding) int { return cmp.Compare(a.place, b.place) })
}
