package models

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// AuditStream is a piece of the trail in the order in which it was committed.
type AuditStream struct {
	Entries []AuditEntry
	After   string // where the next piece begins; for whoever sees all stores as it was given when there is nothing new
}

// MostStreamed is how many entries a piece holds at most.
const MostStreamed = 1000

// FollowAudit returns what entered the trail after a cursor, "" for its
// beginning, in commit order and without gaps, as far as the actor's scope goes.
//
// Neither time nor number is that order: a transaction that began first may
// commit last, and a reader who had passed it would never see it. So entries are
// read by transaction, and only below the oldest one still running.
//
// Reading is itself an entry, unless there was nothing but such entries to read:
// else every poll would make the next one find something.
//
// Errors: ErrForbidden, cursor.invalid.
func (s *Cancellations) FollowAudit(ctx context.Context, actor Actor, after string, most int) (*AuditStream, error) {
	if !actor.May(ReadAudit) {
		return nil, ErrForbidden
	}
	txid, id, err := parseStreamCursor(after)
	if err != nil {
		return nil, err
	}
	most = min(max(most, 1), MostStreamed)
	var horizon string // of what can be told: the oldest transaction still running
	if err := s.db.pool.QueryRow(ctx, `SELECT pg_snapshot_xmin(pg_current_snapshot())::text`).Scan(&horizon); err != nil {
		return nil, fmt.Errorf("follow trail: %w", err)
	}
	rows, err := s.db.pool.Query(ctx, `SELECT id, at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name,
			serial_number, sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason, address, user_agent, request_id, txid::text
		FROM audit_entries
		WHERE (txid, id) > ($1::text::xid8, $2) AND txid < $7::text::xid8
			AND ($3 OR store_id = ANY($4) OR actor_id = $5)
		ORDER BY txid, id LIMIT $6`, txid, id, actor.AllStores, actor.StoreIDs, actor.UserID, most, horizon)
	if err != nil {
		return nil, fmt.Errorf("follow trail: %w", err)
	}
	stream := &AuditStream{After: after}
	if stream.Entries, err = pgx.CollectRows(rows, scanStreamed); err != nil {
		return nil, fmt.Errorf("follow trail: %w", err)
	}
	switch n := len(stream.Entries); {
	case n < most && !actor.AllStores && older(txid, horizon):
		// Others' entries were passed over: the next piece need not look at them.
		stream.After = streamCursor(horizon, 0)
	case n > 0:
		stream.After = stream.Entries[n-1].StreamCursor()
	}
	if !stream.tellsNew() {
		return stream, nil
	}
	err = s.db.transaction(ctx, func(t tx) error {
		return t.record(actor, s.clock.Now(), ActionAuditRead, OutcomeSuccess, about{after: map[string]any{"stream": true, "entries": len(stream.Entries)}})
	})
	if err != nil {
		return nil, fmt.Errorf("record following of the trail: %w", err)
	}
	return stream, nil
}

// tellsNew reports whether there is more in it than that programs follow it.
func (s *AuditStream) tellsNew() bool {
	for _, e := range s.Entries {
		if e.Action != ActionAuditRead || e.ActorRole != Integration {
			return true
		}
	}
	return false
}

func scanStreamed(row pgx.CollectableRow) (e AuditEntry, err error) {
	err = row.Scan(&e.ID, &e.At, &e.ActorID, &e.ActorName, &e.ActorRole, &e.OnBehalfOf, &e.Action, &e.Outcome, &e.StoreID, &e.StoreName,
		&e.SerialNumber, &e.SaleID, &e.OrderID, &e.CancellationID, &e.AttemptNumber, &e.Amount, &e.Before, &e.After, &e.Reason,
		&e.Address, &e.UserAgent, &e.RequestID, &e.TxID)
	return e, err
}

// StreamCursor is where the trail continues after the entry, as FollowAudit
// takes it.
func (e *AuditEntry) StreamCursor() string { return streamCursor(e.TxID, e.ID) }

func streamCursor(txid string, id int64) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "t%s.%d", txid, id))
}

// older reports whether a transaction's number comes before another's.
func older(txid, than string) bool {
	a, errA := strconv.ParseUint(txid, 10, 63)
	b, errB := strconv.ParseUint(than, 10, 63)
	return errA == nil && errB == nil && a < b
}

func parseStreamCursor(cursor string) (txid string, id int64, err error) {
	if cursor == "" {
		return "0", 0, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	rest, marked := strings.CutPrefix(string(raw), "t")
	txid, number, ok := strings.Cut(rest, ".")
	_, errTx := strconv.ParseUint(txid, 10, 63)
	id, errID := strconv.ParseInt(number, 10, 64)
	if err != nil || !marked || !ok || errTx != nil || errID != nil || id < 0 {
		return "", 0, Invalid("after", "cursor.invalid")
	}
	return txid, id, nil
}
