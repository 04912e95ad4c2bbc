package database

import (
	"context"
	"fmt"

	"veinte/models"
)

// The register of advisory locks: every key that the program takes stands in
// this file. The values never change, not even when what they name gets another
// name: a server of an earlier release beside this one must find the same key.
//
// Functions of the schema take three more:
//
//	order_lock(serial, order)     hashtextextended(serial || ' ' || order, 16), see LockOrders
//	audit_partitions              hashtextextended('veinte months of the trail', 0)
//	trail_begin_era               hashtextextended('veinte era of the trail', 0)
//
// The libraries that migrate (goose) and queue (River) take keys of their own.

// Lock is an advisory lock of PostgreSQL.
type Lock struct {
	key string // as SQL: one bigint, or two integers
	Of  []any  // what the key says by $1
}

// Locks with one key.
var (
	// LockSending is shared by requests and attempts, and taken alone by a pause or
	// a change of the rules: once Pause or Change has returned, no attempt
	// begins by what was so before.
	LockSending = Lock{key: "7020000"}
	// LockSealing belongs to whoever seals the trail.
	LockSealing = Lock{key: "hashtextextended('veinte seals the trail', 0)"}
	// LockSealingKeys lets one process at a time record with which keys it seals.
	LockSealingKeys = Lock{key: "hashtextextended('veinte sealing keys', 0)"}
	// LockArchive belongs to the one program that archives months of the trail.
	LockArchive = Lock{key: "hashtextextended('veinte puts a month away', 0)"}
	// LockClosing belongs to whoever closes a day.
	LockClosing = Lock{key: "hashtextextended('veinte closing', 26)"}
	// LockAlerts belongs to the process that looks for alerts.
	LockAlerts = Lock{key: "hashtextextended('veinte alerts', 26)"}
	// LockEndpoints counts endpoints one new one after the other.
	LockEndpoints = Lock{key: "hashtext('veinte endpoints')"}
)

// ImportLock belongs to the transaction that works on the import.
func ImportLock(id int64) Lock { return Lock{"2000, $1::integer", []any{int32(id)}} }

// ExportsLock counts the running exports of a person, one request after the other.
func ExportsLock(userID int64) Lock {
	return Lock{"hashtext('audit_exports'), $1::integer", []any{int32(userID)}}
}

// LoginLock judges the tries to sign in to an account one after the other.
func LoginLock(email string) Lock {
	return Lock{"hashtextextended($1::text, 0)", []any{"login " + email}}
}

// CancelLock has requests for several sales of one order wait for each other.
func CancelLock(serial models.SerialNumber, orderID string) Lock {
	return Lock{"hashtextextended($1::text, 0)", []any{"cancel " + string(serial) + " " + orderID}}
}

// WaitingCall is the call that takes the lock until the transaction ends. The
// lock's $1 is the statement's.
func (l Lock) WaitingCall() string { return "pg_advisory_xact_lock(" + l.key + ")" }

// Trying is the call that takes the lock if it is free, and reports that.
func (l Lock) Trying() string { return "pg_try_advisory_xact_lock(" + l.key + ")" }

// Session is the call that takes the lock until the connection lets go of it.
func (l Lock) Session() string { return "pg_advisory_lock(" + l.key + ")" }

// UnlockSession lets go of every lock that the connection holds.
const UnlockSession = "SELECT pg_advisory_unlock_all()"

// Lock waits for the lock and holds it until the transaction ends.
func (t Tx) Lock(l Lock) error {
	_, err := t.SQL.ExecContext(t.Statement.Context, "SELECT "+l.WaitingCall(), l.Of...)
	return err
}

// LockShared holds the lock beside others who share it.
func (t Tx) LockShared(l Lock) error {
	_, err := t.SQL.ExecContext(t.Statement.Context, "SELECT pg_advisory_xact_lock_shared("+l.key+")", l.Of...)
	return err
}

// TryLock takes the lock if it is free.
func (t Tx) TryLock(ctx context.Context, l Lock) (mine bool, err error) {
	err = t.SQL.QueryRowContext(ctx, "SELECT "+l.Trying(), l.Of...).Scan(&mine)
	return mine, err
}

// LockOrders keeps every other door from telling of the same orders until the
// transaction ends, in one order, so that nobody waits in a circle. The schema's
// sales_of_order takes the same keys.
func (t Tx) LockOrders(ctx context.Context, serials, orders []string) error {
	_, err := t.SQL.ExecContext(ctx, `SELECT pg_advisory_xact_lock(l.key) FROM (
			SELECT DISTINCT order_lock(n.serial, n.order_id) AS key FROM unnest($1::text[], $2::text[]) AS n(serial, order_id) ORDER BY key
		) l`, serials, orders)
	if err != nil {
		return fmt.Errorf("hold %d orders: %w", len(orders), err)
	}
	return nil
}
