package database

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/goroutine"
)

// commits are the COMMITs of a process. One that waits for a standby must not be broken off:
// PostgreSQL would then call done, for everybody to read, what a failover loses. So whoever
// asked may leave meanwhile, and is answered after a while that nobody knows.
type commits struct {
	// places are those of acts' transactions: fewer than acts have connections, so that what
	// only reads, such as who somebody is, is answered while all of them wait.
	places chan struct{}
	late   atomic.Int64 // how many wait for longer than that
	// Nanoseconds since 1970: when the last one began of those, and when the last COMMIT ended well.
	lateSince, lastAt atomic.Int64
}

// maxCommit is how long a COMMIT may take before whoever waits for it is answered. A standby
// that is away is waited for no more after some seconds, where there is another one.
const maxCommit = 10 * time.Second

// maxPlace is how long a transaction waits for a place.
const maxPlace = 10 * time.Second

// place waits for a place, and returns how to leave it. Nothing begins while COMMITs wait:
// nothing more could be stored than by them.
//
// Errors: OutageStandby, OutageBusy, or that of ctx.
func (c *commits) place(ctx context.Context) (leave func(), err error) {
	if c.wait() {
		return nil, OutageStandby
	}
	if of, _ := ctx.Value(shareKey{}).(share); of != ofActs {
		return func() {}, nil
	}
	leave = func() { <-c.places }
	select {
	case c.places <- struct{}{}:
		return leave, nil
	default:
	}
	patience := time.NewTimer(maxPlace)
	defer patience.Stop()
	select {
	case c.places <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-patience.C:
	}
	if c.wait() {
		return nil, OutageStandby
	}
	return nil, OutageBusy
}

var errLate = errors.New("it has not ended yet")

// commit ends with errLate when the COMMIT goes on waiting for a standby. One that works for
// long, as that of a large import does, is waited for. It calls end when that is over.
func (c *commits) commit(g *gorm.DB, end func(), standbyAway func() bool) error {
	begun := time.Now()
	over := goroutine.Result(nil, "committing", func() error {
		defer end()
		return g.Commit().Error
	})
	patience := time.NewTimer(maxCommit)
	defer patience.Stop()
	for late := false; !late; {
		select {
		case err := <-over:
			if err == nil {
				c.lastAt.Store(time.Now().UnixNano())
			}
			return err
		case <-patience.C:
			late = standbyAway()
			patience.Reset(time.Second)
		}
	}
	c.late.Add(1)
	c.lateSince.Store(begun.UnixNano())
	goroutine.Go(nil, "waiting for a commit", func() {
		<-over
		c.late.Add(-1)
	})
	return errLate
}

// standbyAway reports whether a COMMIT of this role has waited for a standby for seconds, or
// that this cannot be asked.
func (db *DB) standbyAway() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	var away bool
	err := db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
		AND usename = current_user AND wait_event = 'SyncRep' AND state_change < clock_timestamp() - interval '5 seconds')`).Scan(&away)
	return away || err != nil
}

// wait reports whether COMMITs wait, and none has ended since.
func (c *commits) wait() bool { return c.late.Load() > 0 && c.lastAt.Load() < c.lateSince.Load() }

// ErrCommitInDoubt is wrapped when a COMMIT returned an error and it is unknown
// whether it happened all the same. The caller must not report the act as done, nor
// as not done.
var ErrCommitInDoubt = errors.New("commit in doubt")

// ErrNotCommitted is wrapped when a COMMIT returned an error and nothing of the
// transaction was stored: the act may be done again.
var ErrNotCommitted = errors.New("not committed")

// written is something that a transaction wrote, by which it is found again when its
// COMMIT returned an error: every act writes an entry, or stores a result.
//
// A server that crashes before its log is on the disk gives the same numbers out
// again, so the content is compared as well.
type written struct {
	query string // reports whether it is there; takes keys
	keys  []any
	txid  string // of the transaction; "" when it is not known
}

func EntryRow(e *models.AuditEntry) *written {
	return &written{
		query: `SELECT EXISTS (SELECT FROM audit_entries WHERE id = $1 AND at = $4 AND txid::text = $2::text AND canonical = $3)`,
		keys:  []any{e.ID, e.TxID, e.Canonical, e.At}, txid: e.TxID,
	}
}

func ResultWritten(r *models.Result) *written {
	return &written{
		query: `SELECT EXISTS (SELECT FROM results WHERE id = $1 AND received_at = $2 AND body_hash = $3)`,
		keys:  []any{r.ID, r.ReceivedAt, r.BodyHash},
	}
}

// rereadPauses are the waits between the questions after a COMMIT that gave an
// error: short at first, for a connection that was lost; in all about as long
// as a person at the counter waits, for a database that starts again.
var rereadPauses = []time.Duration{
	0, 20 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond,
	400 * time.Millisecond, 800 * time.Millisecond, 1600 * time.Millisecond, 2 * time.Second,
}

// rereadCommit reads by its key what a transaction wrote whose COMMIT returned an
// error, before the result is reported. About four in ten such commits had happened
// when we measured.
func (db *DB) rereadCommit(ctx context.Context, w *written, failure error) error {
	if w == nil {
		return fmt.Errorf("%w: %w", ErrCommitInDoubt, failure)
	}
	// The client may have disconnected by now; the result is read anyway.
	ctx = context.WithoutCancel(ctx)
	for _, pause := range rereadPauses {
		time.Sleep(pause)
		there, over, err := db.find(ctx, w)
		switch {
		case err != nil:
			continue
		case there:
			return nil
		case over:
			return fmt.Errorf("%w: %w", ErrNotCommitted, failure)
		}
	}
	return fmt.Errorf("%w: %w", ErrCommitInDoubt, failure)
}

// find reports whether what was written is there and, when it is not, whether its
// transaction is over: the server may still be at work on a COMMIT whose connection
// is lost.
func (db *DB) find(ctx context.Context, w *written) (there, over bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if w.txid != "" {
		// Read first: a transaction that ends between the two queries then counts as
		// still running, and is checked again.
		err = db.pool.QueryRow(ctx, `SELECT pg_visible_in_snapshot($1::text::xid8, pg_current_snapshot())`, w.txid).Scan(&over)
		if err != nil {
			return false, false, err
		}
	}
	err = db.pool.QueryRow(ctx, w.query, w.keys...).Scan(&there)
	return there, over, err
}
