package database

import (
	"context"
	"fmt"

	"veinte/models"
)

// The register of advisory locks: every key that the program takes is in
// this file. The values never change, not even when what they name gets another
// name: a server of an earlier release beside this one must find the same key.
//
// Functions of the schema take three more:
//
//	order_lock(serial, order)     hashtextextended(serial || ' ' || order, 16), see LockOrders
//	audit_partitions              hashtextextended('veinte months of the trail', 0)
//	trail_begin_era               hashtextextended('veinte era of the trail', 0)
//
// The package migrations holds hashtextextended('veinte migrates', 0) while it migrates. The
// libraries that migrate (goose) and queue (River) take keys of their own.

// Lock is an advisory lock of PostgreSQL.
type Lock struct {
	key string // as SQL: one bigint, or two integers
	Of  []any  // the arguments of the key
}

// Locks with one key.
var (
	// LockSending is taken in shared mode by requests and attempts, and exclusively
	// by a pause or a change of the rules: once Pause or Change has returned, no
	// attempt begins under the previous state.
	LockSending = Lock{key: "7020000"}
	// LockSealing is taken by the process that seals the trail.
	LockSealing = Lock{key: "hashtextextended('veinte seals the trail', 0)"}
	// LockSealingKeys lets one process at a time record with which keys it seals.
	LockSealingKeys = Lock{key: "hashtextextended('veinte sealing keys', 0)"}
	// LockAttesters lets one process at a time store who is asked to sign checkpoints.
	LockAttesters = Lock{key: "hashtextextended('veinte attesters', 0)"}
	// LockRecognizing is taken by the process that records that the database is another.
	LockRecognizing = Lock{key: "hashtextextended('veinte recognizes its database', 0)"}
	// LockArchive is taken by the one program that archives months of the trail.
	LockArchive = Lock{key: "hashtextextended('veinte puts a month away', 0)"}
	// LockClosing is taken by the process that closes a day.
	LockClosing = Lock{key: "hashtextextended('veinte closing', 26)"}
	// LockAlerts is taken by the process that checks for alerts.
	LockAlerts = Lock{key: "hashtextextended('veinte alerts', 26)"}
	// LockSSO is taken by a sign-in by the provider, one after the other.
	LockSSO = Lock{key: "hashtextextended('veinte single sign-on', 0)"}
	// LockEndpoints counts endpoints one new one after the other.
	LockEndpoints = Lock{key: "hashtext('veinte endpoints')"}
)

// ImportLock is taken by the transaction that works on the import.
func ImportLock(id int64) Lock { return Lock{"2000, $1::integer", []any{int32(id)}} }

// ExportsLock counts the running exports of a person, one request after the other.
func ExportsLock(userID int64) Lock {
	return Lock{"hashtext('audit_exports'), $1::integer", []any{int32(userID)}}
}

// LoginLock serializes the tries to sign in to an account.
func LoginLock(email string) Lock {
	return Lock{"hashtextextended($1::text, 0)", []any{"login " + email}}
}

// CancelLock makes bulk requests for sales of one order wait for each other.
func CancelLock(serial models.SerialNumber, orderID string) Lock {
	return Lock{"hashtextextended($1::text, 0)", []any{"cancel " + string(serial) + " " + orderID}}
}

// WaitingCall is the call that waits for the lock, which is released when the
// transaction ends. The lock's $1 is the statement's.
func (l Lock) WaitingCall() string { return "pg_advisory_xact_lock(" + l.key + ")" }

// Trying is the call that takes the lock if it is free, and reports that.
func (l Lock) Trying() string { return "pg_try_advisory_xact_lock(" + l.key + ")" }

// Session is the call that takes the lock until the connection releases it.
func (l Lock) Session() string { return "pg_advisory_lock(" + l.key + ")" }

// UnlockSession releases every lock of the connection.
const UnlockSession = "SELECT pg_advisory_unlock_all()"

// Lock waits for the lock, which is released when the transaction ends.
func (t Tx) Lock(l Lock) error {
	_, err := t.SQL.ExecContext(t.Statement.Context, "SELECT "+l.WaitingCall(), l.Of...)
	return err
}

// LockShared takes the lock in shared mode.
func (t Tx) LockShared(l Lock) error {
	_, err := t.SQL.ExecContext(t.Statement.Context, "SELECT pg_advisory_xact_lock_shared("+l.key+")", l.Of...)
	return err
}

// TryLock takes the lock if it is free.
func (t Tx) TryLock(ctx context.Context, l Lock) (mine bool, err error) {
	err = t.SQL.QueryRowContext(ctx, "SELECT "+l.Trying(), l.Of...).Scan(&mine)
	return mine, err
}

// LockOrders locks the orders until the transaction ends, so that no other source of
// sales reports the same ones meanwhile. The locks are taken in one order, which
// prevents deadlocks. The schema's sales_of_order takes the same keys.
func (t Tx) LockOrders(ctx context.Context, serials, orders []string) error {
	_, err := t.SQL.ExecContext(ctx, `SELECT pg_advisory_xact_lock(l.key) FROM (
			SELECT DISTINCT order_lock(n.serial, n.order_id) AS key FROM unnest($1::text[], $2::text[]) AS n(serial, order_id) ORDER BY key
		) l`, serials, orders)
	if err != nil {
		return fmt.Errorf("hold %d orders: %w", len(orders), err)
	}
	return nil
}
