package models

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
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
// read by transaction, and only below the oldest one still running. In a cluster
// into which a dump was restored they are counted anew, in an era of their own.
//
// Reading is itself an entry, unless there was nothing but such entries to read:
// else every poll would make the next one find something.
//
// Errors: ErrForbidden, cursor.invalid.
func (s *Cancellations) FollowAudit(ctx context.Context, actor Actor, after string, most int) (*AuditStream, error) {
	if !actor.May(ReadAudit) {
		return nil, ErrForbidden
	}
	from, err := parseStreamCursor(after)
	if err != nil {
		return nil, err
	}
	most = min(max(most, 1), MostStreamed)
	until, err := s.db.horizon(ctx)
	if err != nil {
		return nil, fmt.Errorf("follow trail: %w", err)
	}
	stream := &AuditStream{After: after}
	for {
		if stream.Entries, err = s.db.followEra(ctx, actor, from, until, most); err != nil {
			return nil, fmt.Errorf("follow trail: %w", err)
		}
		if len(stream.Entries) > 0 || from.era >= until.era {
			break
		}
		from = place{era: from.era + 1, txid: "0"}
	}
	switch n := len(stream.Entries); {
	case n < most && !actor.AllStores && from.before(until):
		// Others' entries were passed over: the next piece need not look at them.
		stream.After = place{era: from.era, txid: until.of(from.era)}.cursor()
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

// followed names a piece of one era. Its inner limit is in its text: of a
// parameter the planner would think that it asks for a tenth of the trail, and
// sort it.
var followed = fmt.Sprintf(`SELECT * FROM (SELECT id, at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name,
		serial_number, sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason, address, user_agent, request_id, txid::text AS transaction, era
	FROM audit_entries
	WHERE era = $1 AND (txid, id) > ($2::text::xid8, $3) AND txid < $4::text::xid8 AND ($5 OR store_id = ANY($6) OR %s)
	ORDER BY txid, id LIMIT %d) piece LIMIT $9`, fmt.Sprintf(ownEntry, "$7", "$8"), MostStreamed)

// followEra reads what follows a place in its era.
func (db *DB) followEra(ctx context.Context, actor Actor, from place, until horizon, most int) ([]AuditEntry, error) {
	rows, err := db.pool.Query(ctx, followed, from.era, from.txid, from.id, until.of(from.era), actor.AllStores, actor.StoreIDs, actor.UserID, actor.program(), most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanStreamed)
}

// horizon is how far the order of commits is settled: below the oldest
// transaction that is still running. Of eras that are over, everything is.
type horizon struct {
	era  int
	txid string
}

func (db *DB) horizon(ctx context.Context) (h horizon, err error) {
	err = db.pool.QueryRow(ctx, `SELECT trail_era(), pg_snapshot_xmin(pg_current_snapshot())::text`).Scan(&h.era, &h.txid)
	return h, err
}

// of is the transaction below which an era is settled.
func (h horizon) of(era int) string {
	if era < h.era {
		return "9223372036854775807" // more than any cluster will count to
	}
	return h.txid
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
		&e.Address, &e.UserAgent, &e.RequestID, &e.TxID, &e.Era)
	return e, err
}

// StreamCursor is where the trail continues after the entry, as FollowAudit
// takes it.
func (e *AuditEntry) StreamCursor() string { return place{e.Era, e.TxID, e.ID}.cursor() }

// place is where an entry stands in the order in which the trail was committed.
type place struct {
	era  int
	txid string
	id   int64
}

// before reports whether the place comes before all that is not settled.
func (p place) before(h horizon) bool {
	a, errA := strconv.ParseUint(p.txid, 10, 63)
	b, errB := strconv.ParseUint(h.of(p.era), 10, 63)
	return errA == nil && errB == nil && a < b
}

// cursor names the place. In the first era it does so as it did before there
// were eras: followers keep what they were given for years.
func (p place) cursor() string {
	text := fmt.Sprintf("t%s.%d", p.txid, p.id)
	if p.era > 1 {
		text = fmt.Sprintf("e%d.%s", p.era, text)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

func parseStreamCursor(cursor string) (place, error) {
	p := place{era: 1, txid: "0"}
	if cursor == "" {
		return p, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	text := string(raw)
	var errEra error
	if rest, marked := strings.CutPrefix(text, "e"); marked {
		var era string
		era, text, _ = strings.Cut(rest, ".")
		p.era, errEra = strconv.Atoi(era)
	}
	rest, marked := strings.CutPrefix(text, "t")
	txid, number, ok := strings.Cut(rest, ".")
	_, errTx := strconv.ParseUint(txid, 10, 63)
	id, errID := strconv.ParseInt(number, 10, 64)
	if errors.Join(err, errEra, errTx, errID) != nil || !marked || !ok || id < 0 || p.era < 1 || p.era > math.MaxInt32 {
		return p, Invalid("after", "cursor.invalid")
	}
	p.txid, p.id = txid, id
	return p, nil
}
