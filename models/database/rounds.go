package database

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// A page asks many things, each where it needs the answer. Its reads that Together and Start
// run beside each other ask at once: while one of them can go on nothing is sent, and when
// all wait, all that they wait for is one batch, and one round trip to the database. What
// depends on an answer is asked in the next one.

// rounds are the round trips of one page.
type rounds struct {
	db  *DB
	ctx context.Context // of the page, for what all of its reads ask

	mu    sync.Mutex
	going int // how many of its goroutines can go on
	asked []*asked
	over  bool
	ahead *Task // asks whether the page may be what it is; nil: that is known
}

// asked is what one read waits for.
type asked struct {
	queries []*pgx.QueuedQuery // those that have no answer yet
	done    chan struct{}
	err     error
	refused bool // by the database, which then answers nothing more of its batch
}

type roundsKey struct{}

// roundsOf are the round trips of a context's page; nil when each read is sent by itself.
func roundsOf(ctx context.Context) *rounds {
	if r, _ := ctx.Value(roundsKey{}).(*rounds); r != nil && !r.ended() {
		return r
	}
	return nil
}

// Alone is a context whose reads are sent by themselves: for a read that holds a lock, for
// which another one of the page may wait.
func Alone(ctx context.Context) context.Context {
	if roundsOf(ctx) == nil {
		return ctx
	}
	return context.WithValue(ctx, roundsKey{}, (*rounds)(nil))
}

// ErrStale is that a page was made by what holds no more.
var ErrStale = errors.New("made by what holds no more")

// Page makes a page whose reads may share round trips. It is made by what was known a
// moment ago, while confirm asks in the same round trips whether that still holds; nil:
// there is nothing to ask. A page that changes something waits for confirm first, and gets
// ErrStale when that had an error. What the page has made counts only if stale is nil.
func (db *DB) Page(ctx context.Context, confirm, page func(context.Context) error) (err, stale error) {
	r := &rounds{db: db, ctx: ctx, going: 1}
	defer r.end()
	ctx = context.WithValue(ctx, roundsKey{}, r)
	if confirm == nil {
		return page(ctx), nil
	}
	r.ahead = Start(ctx, confirm)
	defer r.ahead.Wait() // a panic leaves no read behind
	err = page(ctx)
	return err, r.ahead.Wait()
}

// Confirmed waits until a page knows that what it is made by still holds. Whoever changes
// something asks before.
//
// Errors: ErrStale.
func Confirmed(ctx context.Context) error {
	if r := roundsOf(ctx); r != nil && r.ahead != nil && r.ahead.Wait() != nil {
		return ErrStale
	}
	return nil
}

// Together runs reads of a page beside each other, the first one on the goroutine of the
// caller, and returns the first error in their order. Where no page is made they run one
// after the other.
func Together(ctx context.Context, reads ...func(context.Context) error) (err error) {
	tasks := make([]*Task, 0, len(reads))
	for _, read := range reads[1:] {
		tasks = append(tasks, Start(ctx, read))
	}
	defer func() { // also after a panic, which leaves no read behind
		for _, t := range tasks {
			if failed := t.Wait(); err == nil {
				err = failed
			}
		}
	}()
	return reads[0](ctx)
}

// Task is a read that runs beside others.
type Task struct {
	rounds   *rounds
	read     func() error // to be done by who waits first; nil when it runs beside
	done     chan struct{}
	ended    bool
	waiting  int // how many goroutines of the page wait for it
	err      error
	panicked any
}

// Start runs a read of a page beside what the caller does next. Where no page is made it
// runs when somebody waits for it.
func Start(ctx context.Context, read func(context.Context) error) *Task {
	r := roundsOf(ctx)
	if r == nil {
		return &Task{read: func() error { return read(ctx) }}
	}
	t := &Task{rounds: r, done: make(chan struct{})}
	r.mu.Lock()
	r.going++
	r.mu.Unlock()
	go func() {
		defer func() {
			if p := recover(); p != nil {
				t.panicked, t.err = fmt.Sprintf("%v\n%s", p, debug.Stack()), errors.New("a read of the page panicked")
			}
			t.end()
		}()
		t.err = read(ctx)
	}()
	return t
}

// end has those go on who wait for it.
func (t *Task) end() {
	r := t.rounds
	r.mu.Lock()
	t.ended = true
	r.going += t.waiting
	close(t.done)
	r.mu.Unlock()
	r.rest()
}

// Wait waits for a read and returns its error. It is called by goroutines of the page. A
// panic of the read is that of who waits.
func (t *Task) Wait() error {
	r := t.rounds
	if r == nil {
		if read := t.read; read != nil {
			t.read, t.err = nil, read()
		}
		return t.err
	}
	r.mu.Lock()
	ended := t.ended
	if !ended {
		t.waiting++
	}
	r.mu.Unlock()
	if !ended {
		r.rest()
		<-t.done
	}
	if t.panicked != nil {
		panic(t.panicked)
	}
	return t.err
}

// rest is said by a goroutine that cannot go on. The last one sends what all wait for.
func (r *rounds) rest() {
	r.mu.Lock()
	r.going--
	if r.going > 0 {
		r.mu.Unlock()
		return
	}
	r.send()
}

// end has what comes later be sent at once, such as what a file reads after its page.
func (r *rounds) end() {
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
}

// patience is how long a question waits for others. It ends a wait for a goroutine that
// waits for something else, such as a lock of one that asks; nothing of ours does.
const patience = 200 * time.Millisecond

// ask sends queries with what the others ask, and returns when they were answered.
func (r *rounds) ask(queries []*pgx.QueuedQuery) error {
	q := &asked{queries: queries, done: make(chan struct{})}
	r.mu.Lock()
	r.asked = append(r.asked, q)
	r.mu.Unlock()
	r.rest()
	waited := time.NewTimer(patience)
	defer waited.Stop()
	select {
	case <-q.done:
	case <-waited.C:
		r.mu.Lock()
		r.send()
		<-q.done
	}
	return q.err
}

// send answers what was asked. It is called with the lock, and gives it back.
func (r *rounds) send() {
	all := r.asked
	r.asked = nil
	r.mu.Unlock()
	r.answer(all)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.going += len(all)
	for _, q := range all {
		close(q.done)
	}
}

// answer sends questions as one batch. A query that the database refuses ends the batch,
// and one whose arguments nothing can take keeps it from being sent: that is the failure
// of whoever asked it, and the others go again.
func (r *rounds) answer(all []*asked) {
	if len(all) == 0 {
		return
	}
	batch := &pgx.Batch{}
	for _, q := range all {
		q.refused = false
		for _, query := range q.queries {
			batch.QueuedQueries = append(batch.QueuedQueries, q.taking(query))
		}
	}
	err := r.db.pool.SendBatch(r.ctx, batch).Close()
	if err == nil {
		return
	}
	refused := slices.ContainsFunc(all, func(q *asked) bool { return q.refused })
	var again []*asked
	for _, q := range all {
		if q.err == nil && len(q.queries) > 0 {
			again = append(again, q)
		}
	}
	switch {
	case refused:
		r.answer(again)
	case len(again) > 1 && OutageOf(err) == nil && r.ctx.Err() == nil:
		for i := range again {
			r.answer(again[i : i+1])
		}
	default:
		for _, q := range again {
			q.err = err
		}
	}
}

// taking has a query's answer be read for this question alone: what it cannot take is its
// own failure. A batch keeps what it prepared with its queries, so each gets its own.
func (q *asked) taking(query *pgx.QueuedQuery) *pgx.QueuedQuery {
	return &pgx.QueuedQuery{SQL: query.SQL, Arguments: query.Arguments, Fn: func(results pgx.BatchResults) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("read an answer: %v\n%s", p, debug.Stack())
			}
			q.queries = q.queries[1:]
			if err == nil {
				return
			}
			if q.err == nil {
				q.err = err
			}
			var refused *pgconn.PgError
			if q.refused = errors.As(err, &refused); !q.refused {
				err = nil // the connection has more answers
			}
		}()
		if query.Fn == nil {
			_, err = results.Exec()
			return err
		}
		return query.Fn(results)
	}}
}

// SendBatch sends a batch whose queries have their functions, and closes it.
func (db *DB) SendBatch(ctx context.Context, batch *pgx.Batch) error {
	if r := roundsOf(ctx); r != nil {
		return r.ask(batch.QueuedQueries)
	}
	answers := db.pool.SendBatch(ctx, batch)
	defer func() { _ = answers.Close() }() // a function that panics keeps no connection
	return answers.Close()
}

// Query is pgx's. Within Together all rows are in memory when it returns: it is for what
// a page shows.
func (db *DB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	r := roundsOf(ctx)
	if r == nil || hasOption(args) {
		return db.pool.Query(ctx, sql, args...)
	}
	types, _ := typeMaps.Get().(*pgtype.Map)
	kept := &keptRows{types: types}
	batch := &pgx.Batch{}
	batch.Queue(sql, args...).Query(kept.keep)
	kept.err = r.ask(batch.QueuedQueries)
	return kept, kept.err
}

// hasOption reports a query that says how it is to be run, which none of a batch can.
func hasOption(args []any) bool {
	if len(args) == 0 {
		return false
	}
	switch args[0].(type) {
	case pgx.QueryExecMode, pgx.QueryResultFormats:
		return true
	}
	return false
}

// QueryRow is pgx's.
func (db *DB) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, _ := db.Query(ctx, sql, args...) // the row has its error
	return oneRow{rows}
}

func (r *rounds) ended() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.over
}
