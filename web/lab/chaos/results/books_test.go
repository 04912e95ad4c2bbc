package results

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/web/lab"
)

// books are a snapshot of the product's records: states, and the positions of its
// results and its trail.
type books struct {
	cancellations map[int64]string // every column of a cancellation that a move changes
	states        map[int64]string // of cancellations
	saleOf        map[int64]int64  // of cancellations
	sales         map[int64]string // states
	orders        map[int64]string // of sales
	results       int64
	trail         int64

	inquiries int64          // that were sent to terminals
	counts    map[string]int // results by kind and status since the books before
	moves     map[string]int // of each cancellation since the books before: "17 confirmed"
}

func (r *run) readBooks(ctx context.Context, results, trail int64) (*books, error) {
	b := &books{
		cancellations: map[int64]string{}, states: map[int64]string{}, saleOf: map[int64]int64{},
		sales: map[int64]string{}, orders: map[int64]string{},
		counts: map[string]int{}, moves: map[string]int{},
	}
	var id, sale int64
	var n int
	var state, text string
	for _, q := range []struct {
		sql  string
		args []any
		into []any
		keep func()
	}{
		{
			`SELECT id, sale_id, state, concat_ws(' ', state, detail, version, attempts, changed_at) FROM cancellations`, nil,
			[]any{&id, &sale, &state, &text},
			func() { b.cancellations[id], b.states[id], b.saleOf[id] = text, state, sale },
		},
		{`SELECT id, state, order_id FROM sales`, nil, []any{&id, &state, &text}, func() { b.sales[id], b.orders[id] = state, text }},
		{
			`SELECT kind || ' ' || status, count(*) FROM results WHERE id > $1 GROUP BY 1`,
			[]any{results},
			[]any{&text, &n},
			func() { b.counts[text] = n },
		},
		{
			`SELECT cancellation_id || ' ' || (after->>'state'), count(*) FROM audit_entries
			WHERE id > $1 AND action IN ('cancellation.requested', 'cancellation.moved') AND outcome <> 'denied' GROUP BY 1`,
			[]any{trail},
			[]any{&text, &n},
			func() { b.moves[text] = n },
		},
		{`SELECT coalesce(max(id), 0) FROM results`, nil, []any{&b.results}, func() {}},
		{`SELECT coalesce(max(id), 0) FROM inquiries`, nil, []any{&b.inquiries}, func() {}},
		{`SELECT coalesce(max(id), 0) FROM audit_entries`, nil, []any{&b.trail}, func() {}},
	} {
		rows, err := r.Pool.Query(ctx, q.sql, q.args...)
		if err != nil {
			return nil, fmt.Errorf("read books: %w", err)
		}
		if _, err := pgx.ForEachRow(rows, q.into, func() error { q.keep(); return nil }); err != nil {
			return nil, fmt.Errorf("read books: %w", err)
		}
	}
	return b, nil
}

// compare compares the books with the earlier ones: each target that was hit has its
// state by one move, new sales are in order, and nothing else has changed.
func (f *fuzzing) compare(ctx context.Context) error {
	if err := f.allRead(ctx); err != nil {
		f.violate("fuzzed: %v", err)
	}
	now, err := f.readBooks(ctx, f.before.results, f.before.trail)
	if err != nil {
		return err
	}
	expected, want := map[int64]string{}, map[string]int{} // by sale; by case and state
	for _, t := range f.oracle.targets {
		if t.hit.Load() {
			expected[t.sale.ID] = t.prey
		}
	}
	for id, was := range f.before.cancellations {
		state, is := expected[f.before.saleOf[id]], now.cancellations[id]
		switch {
		case state != "":
			want[fmt.Sprintf("%d %s", id, state)] = 1
			if now.states[id] != state {
				f.violate("fuzzed: case %d was to become %s, it is %s", id, state, is)
			}
		case is != was:
			f.violate("fuzzed: case %d was %s, it is %s", id, was, is)
		}
	}
	for id := range now.cancellations {
		if f.before.cancellations[id] == "" {
			f.violate("fuzzed: case %d of order %s has come: %s", id, now.orders[now.saleOf[id]], now.cancellations[id])
		}
	}
	for move, n := range now.moves {
		if want[move] != n {
			f.violate("fuzzed: the trail has %d times the move %s, want %d", n, move, want[move])
		}
	}
	fresh := f.compareSales(now, expected)
	f.report.Add("sales that fuzzed bodies made known", fresh, "")
	f.report.Add("cases that they were to bring to a state, and did", len(expected), "")
	f.report.Add("inquiries that they caused", now.inquiries-f.before.inquiries, "")
	f.stored(now)
	return nil
}

func (f *fuzzing) compareSales(now *books, expected map[int64]string) (fresh int) {
	for id, is := range now.sales {
		was, known := f.before.sales[id]
		switch {
		case !known:
			fresh++
			if is != "cancelable" || !strings.HasPrefix(now.orders[id], newSales) {
				f.violate("fuzzed: a sale %q has come, and is %s", now.orders[id], is)
			}
		case expected[id] != "" && is != expected[id], expected[id] == "" && is != was:
			f.violate("fuzzed: sale %s was %s, it is %s", now.orders[id], was, is)
		}
	}
	return fresh
}

// stored compares the results with the posts: each is stored once, and was read.
func (f *fuzzing) stored(now *books) {
	total := 0
	var lines []string
	for _, status := range []string{"applied", "duplicate", "ignored", "unmatched", "conflict"} {
		sum := 0
		for kindAndStatus, n := range now.counts {
			if strings.HasSuffix(kindAndStatus, " "+status) {
				sum += n
			}
		}
		total += sum
		lines = append(lines, fmt.Sprintf("%s %d", status, sum))
	}
	f.report.Add("what became of them", strings.Join(lines, ", "), "")
	if total != f.posts {
		f.violate("fuzzed: %d posts were answered, %d are kept and read", f.posts, total)
	}
}

// allRead waits until no result is pending: those whose reading failed at first
// are read by the sweep.
func (f *fuzzing) allRead(ctx context.Context) error {
	return lab.Eventually(ctx, 90*time.Second, "every fuzzed result is read", func(ctx context.Context) (all bool, err error) {
		err = f.Pool.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM results WHERE status = 'pending')`).Scan(&all)
		return all, err
	})
}
