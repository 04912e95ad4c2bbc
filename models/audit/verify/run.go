package verify

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

	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
	"veinte/models/goroutine"
)

// maxFindings is the maximum number of findings in a verdict. A dropped month must
// not produce one for each of its entries.
const maxFindings = 1000

// leavesAhead is how many leaves are verified at once.
const leavesAhead = 20_000

// VerifyTrail verifies the trail in the database: every entry against its leaf, the
// leaves against the tree, the tree against every checkpoint, and all of it against
// the checkpoints that were stored outside. It changes nothing and blocks nobody. An
// error is one of the database; findings about the trail are in the verdict.
func (s *Service) VerifyTrail(ctx context.Context, check TrailCheck) (*Verdict, error) {
	t := &trailRun{db: s.db, check: check, seed: maphash.MakeSeed(), v: &Verdict{Signed: check.Keys != nil}}
	t.moves.waiting = map[int][]toldMove{}
	ctx, t.cancel = context.WithCancelCause(ctx)
	defer t.cancel(nil)
	// One snapshot for everything: what is sealed meanwhile is not read.
	var snapshot string
	err := t.inSnapshot(ctx, "", func(tx pgx.Tx) error {
		if err := sealing.LockMonths(ctx, tx); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `SELECT pg_export_snapshot()`).Scan(&snapshot); err != nil {
			return err
		}
		if err := t.readBounds(ctx, tx); err != nil {
			return err
		}
		if err := t.all(ctx, snapshot); err != nil {
			return err
		}
		return t.duplicates(ctx, tx)
	})
	if err != nil {
		return nil, fmt.Errorf("verify trail: %w", err)
	}
	t.checkArchived()
	t.v.conclude()
	return t.v, nil
}

// trailRun is one verification under way. What its goroutines share is behind mu.
type trailRun struct {
	db     *database.DB
	check  TrailCheck
	cancel context.CancelCauseFunc
	seed   maphash.Seed

	last     sealing.SealedEnd // the last checkpoint, by its row
	leaves   int64             // sealed rows
	origin   string            // of the last checkpoint
	edges    []int64           // of numbers of entries: about leavesAhead leaves are between two of them
	archived map[string]*archivedMonth
	jumps    []clockJump

	mu     sync.Mutex
	v      *Verdict
	nonces [][]uint64 // of each worker that read entries
	done   int64

	moves moveOrder
}

// found adds a finding. position is where it is in the trail's order.
func (t *trailRun) found(position int64, f Finding) {
	f.position = position
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.v.Findings) < 2*maxFindings {
		t.v.Findings = append(t.v.Findings, f)
		return
	}
	// The first ones in the trail's order are reported, whatever order they are
	// found in.
	t.v.sort()
	t.v.More += int64(len(t.v.Findings) - maxFindings)
	t.v.Findings = append(t.v.Findings[:maxFindings], f)
}

// inSnapshot runs f in a transaction that only reads, in a snapshot that another
// one has exported.
func (t *trailRun) inSnapshot(ctx context.Context, snapshot string, f func(pgx.Tx) error) error {
	tx, err := t.db.Pool().BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if snapshot != "" {
		if _, err := tx.Exec(ctx, `SET TRANSACTION SNAPSHOT '`+snapshot+`'`); err != nil {
			return err
		}
	}
	// Everything is read in the order of an index; nothing is collected and sorted
	// first, and no plan is compiled.
	_, err = tx.Exec(ctx, `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
		SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off; SET LOCAL jit = off;
		SET LOCAL max_parallel_workers_per_gather = 0`)
	if err != nil {
		return err
	}
	return f(tx)
}

// readBounds reads how large the trail is, and which months are archived.
func (t *trailRun) readBounds(ctx context.Context, tx pgx.Tx) error {
	c, last, err := sealing.CheckpointIn(ctx, tx)
	if err != nil {
		return err
	}
	t.last = last
	if c != nil {
		t.v.Size, t.v.SealedAt = c.Size, c.SealedAt
		if claim, err := trailfile.Unverified(c.Note); err == nil {
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
	if err := t.readJumps(ctx, tx); err != nil {
		return err
	}
	if err := t.readArchived(ctx, tx); err != nil {
		return err
	}
	return t.readWhole(ctx, tx)
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
	pieces := make(chan idRange)
	run(t.tree)
	run(t.signed)
	for range max(2, min(4, runtime.GOMAXPROCS(0))) {
		w := &entryRun{trailRun: t, absent: map[string]int64{}}
		run(func(ctx context.Context, tx pgx.Tx) error { return w.work(ctx, tx, pieces) })
	}
	t.feed(ctx, pieces)
	close(pieces)
	group.Wait()
	return context.Cause(ctx)
}

// idRange is a range of numbers of entries, both ends in it.
type idRange struct {
	from, to int64
	index    int // among the ranges
}

// feed sends pieces that together cover all numbers.
func (t *trailRun) feed(ctx context.Context, pieces chan<- idRange) {
	from := int64(math.MinInt64)
	for i, edge := range append(t.edges, math.MaxInt64) {
		select {
		case pieces <- idRange{from, edge, i}:
		case <-ctx.Done():
			return
		}
		from = edge + 1
	}
}

// progress reports that n more leaves were verified.
func (t *trailRun) progress(n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done += n
	if t.check.Progress != nil {
		t.check.Progress(t.done, max(t.leaves, t.done))
	}
}

// conclude sorts the findings and derives the verdict from them.
func (v *Verdict) conclude() {
	v.sort()
	if more := len(v.Findings) - maxFindings; more > 0 {
		v.Findings, v.More = v.Findings[:maxFindings], v.More+int64(more)
	}
	v.State = Intact
	for i := range v.Findings {
		if !v.Findings[i].Undecided() {
			v.State = Altered
			break
		}
		v.State = Undecided
	}
	for i := range v.Findings {
		if v.State == Undecided || !v.Findings[i].Undecided() {
			v.First = &v.Findings[i]
			break
		}
	}
}

func (v *Verdict) sort() {
	slices.SortStableFunc(v.Findings, func(a, b Finding) int { return cmp.Compare(a.position, b.position) })
}
