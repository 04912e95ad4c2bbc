package database

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Outage is a failure for which the user is not responsible and which passes by
// itself. Code is a key that the views translate.
type Outage struct{ Code string }

func (o *Outage) Error() string { return "unavailable: " + o.Code }

// The outages. While one lasts no cancellation is sent: what cannot be recorded is
// not done.
var (
	OutageDatabase   = &Outage{"outage.database"}   // it cannot be reached, or accepts no writes
	OutageBusy       = &Outage{"outage.busy"}       // all connections to it are in use, or others hold what is needed
	OutageTrail      = &Outage{"outage.trail"}      // the right to add to the trail is missing
	OutageDisk       = &Outage{"outage.disk"}       // the database has no disk space left
	OutageClock      = &Outage{"outage.clock"}      // it and the server differ by more than ten minutes
	OutageStandby    = &Outage{"outage.standby"}    // its commits do not end: they wait for a standby that is away
	OutageCredential = &Outage{"outage.credential"} // the key to the service cannot be read
)

// OutageOf returns the outage that an error comes from; nil when it comes from none.
func OutageOf(err error) *Outage {
	var known *Outage
	if errors.As(err, &known) {
		return known
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return outageOfState(pg.Code, pg.Message)
	}
	var connect *pgconn.ConnectError
	var network *net.OpError
	switch {
	case errors.As(err, &connect), errors.As(err, &network),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, driver.ErrBadConn):
		return OutageDatabase
	case errors.Is(err, context.Canceled): // whoever asked has left
		return nil
	case pgconn.SafeToRetry(err): // nothing reached the database, as on a connection that is closed
		return OutageDatabase
	}
	return nil
}

// outageOfState reads the SQLSTATE of an error of PostgreSQL.
func outageOfState(code, message string) *Outage {
	switch {
	case code == "53100":
		return OutageDisk
	case code == "VT001": // migration 91
		return OutageClock
	case code == "55P03", code == "40P01", code == "40001": // a lock that did not come, a deadlock, two at once
		return OutageBusy
	case code == "42501" && strings.Contains(message, "audit_entries"):
		return OutageTrail
	case code == "25006", // read only: a standby
		strings.HasPrefix(code, "08"), strings.HasPrefix(code, "53"),
		strings.HasPrefix(code, "57P"), strings.HasPrefix(code, "58"):
		return OutageDatabase
	}
	return nil
}

// noticed remembers the outage that a transaction ran into, until one that writes
// succeeds: the next probe must not report the database as ready while writes fail.
func (db *DB) noticed(kept *rowWrites, err error) {
	if err == nil {
		if kept.Last != nil {
			db.trouble.Store(nil)
		}
		return
	}
	if o := OutageOf(err); o != nil && o != OutageBusy && o != OutageClock { // those are not the database's alone
		db.trouble.Store(o)
	}
}

// Ready reports why the server must not be sent requests: an Outage. An act
// that cannot be recorded does not happen.
func (db *DB) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ForAct(ctx), 2*time.Second)
	defer cancel()
	type rights struct{ May, Writable bool }
	is, err := Row[rights](ctx, db.pool, `SELECT has_column_privilege('audit_entries', 'canonical', 'INSERT') AS may,
		NOT pg_is_in_recovery() AS writable`)
	stat := db.pool.Acts().Stat()
	busy := stat.IdleConns() == 0 && stat.AcquiredConns() == stat.MaxConns()
	switch {
	case err != nil && busy && db.commits.wait(): // it is they that have the connections
		return OutageStandby
	case err != nil && busy:
		return fmt.Errorf("ask database: %w: %w", OutageBusy, err)
	case err != nil:
		return fmt.Errorf("ask database: %w: %w", OutageDatabase, err)
	case !is.Writable:
		return OutageDatabase
	case !is.May:
		return OutageTrail
	case db.commits.wait():
		return OutageStandby
	}
	return db.recovered(ctx)
}

// errPageWritten ends the transaction of a page that was written and is not stored.
var errPageWritten = errors.New("written")

// recovered tests whether the outage that the last write ran into is over, by
// writing a page that is not stored. Nothing is tested while nothing has failed.
func (db *DB) recovered(ctx context.Context) error {
	trouble := db.trouble.Load()
	if trouble == nil {
		return nil
	}
	err := db.inTransaction(ctx, &rowWrites{}, func(t Tx) error {
		if err := t.Exec(`INSERT INTO room_left SELECT string_agg(md5(n::text), '') FROM generate_series(1, 400) n`).Error; err != nil {
			return err
		}
		return errPageWritten
	})
	if !errors.Is(err, errPageWritten) {
		return fmt.Errorf("write a page: %w: %w", trouble, err)
	}
	db.trouble.CompareAndSwap(trouble, nil)
	return nil
}
