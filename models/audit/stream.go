package audit

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"veinte/models"
	"veinte/models/database"
)

// Stream is a piece of the trail in the order in which it was committed.
type Stream struct {
	Entries []models.AuditEntry
	After   string // where the next piece begins; unchanged when there is nothing new, for a user who sees all stores
}

// MaxStreamed is the maximum number of entries in a piece.
const MaxStreamed = 1000

// FollowAudit returns what entered the trail after a cursor, "" for its beginning,
// in commit order and without gaps, within the actor's scope.
//
// Neither time nor number is that order: a transaction that began first may commit
// last, and a client who had passed it would never see it. So entries are read by
// transaction, and only below the oldest one still running. In a cluster into which
// a dump was restored, transactions are numbered anew, in an era of their own.
//
// Reading is itself recorded, unless there was nothing but such entries to read:
// else every poll would create an entry for the next one.
//
// Errors: ErrForbidden, cursor.invalid.
func (s *Service) FollowAudit(ctx context.Context, actor models.Actor, after string, most int) (*Stream, error) {
	if !actor.May(models.FollowAudit) {
		return nil, models.ErrForbidden
	}
	from, err := parsePosition(after)
	if err != nil {
		return nil, err
	}
	most = min(max(most, 1), MaxStreamed)
	until, err := HorizonIn(ctx, s.db.Pool())
	if err != nil {
		return nil, fmt.Errorf("follow trail: %w", err)
	}
	stream := &Stream{After: after}
	for {
		if stream.Entries, err = s.followEra(ctx, actor, from, until, most); err != nil {
			return nil, fmt.Errorf("follow trail: %w", err)
		}
		if len(stream.Entries) > 0 || from.Era >= until.Era {
			break
		}
		from = StreamPosition{Era: from.Era + 1, Txid: "0"}
	}
	switch n := len(stream.Entries); {
	case n < most && !actor.AllStores && from.before(until):
		// Entries outside the scope were passed over: the next piece need not read
		// them again.
		stream.After = StreamPosition{Era: from.Era, Txid: until.Of(from.Era)}.cursor()
	case n > 0:
		stream.After = StreamCursor(&stream.Entries[n-1])
	}
	if !stream.hasNew() {
		return stream, nil
	}
	err = RecordAlone(ctx, s.db, actor, s.clock.Now(), models.ActionAuditRead, models.OutcomeSuccess,
		About{After: map[string]any{"stream": true, "entries": len(stream.Entries)}})
	if err != nil {
		return nil, fmt.Errorf("record following of the trail: %w", err)
	}
	return stream, nil
}

// FollowedSQL is the query for a piece of one era. Its inner limit is part of the
// text: with a parameter the planner would expect a tenth of the trail, and sort it.
var FollowedSQL = fmt.Sprintf(`SELECT * FROM (SELECT `+AuditColumns+` FROM audit_entries e
	WHERE era = $1 AND (txid, id) > ($2::text::xid8, $3) AND txid < $4::text::xid8 AND ($5 OR store_id = ANY($6) OR %s)
	ORDER BY e.txid, id LIMIT %d) piece LIMIT $9`, fmt.Sprintf(OwnEntrySQL, "$7", "$8"), MaxStreamed)

// followEra reads what follows a position in its era.
func (s *Service) followEra(
	ctx context.Context, actor models.Actor, from StreamPosition, until Horizon, most int,
) ([]models.AuditEntry, error) {
	rows, _ := s.db.Pool().Query(ctx, FollowedSQL, from.Era, from.Txid, from.Id, until.Of(from.Era),
		actor.AllStores, actor.StoreIDs, actor.UserID, actor.Program(), most)
	return CollectEntries(rows)
}

// Horizon is how far the order of commits is final: below the oldest transaction
// that is still running. Eras that are over are final.
type Horizon struct {
	Era  int
	Txid string
}

// HorizonIn reads the horizon of now.
func HorizonIn(ctx context.Context, q database.Querier) (Horizon, error) {
	h, err := database.Row[Horizon](ctx, q, `SELECT trail_era() AS era, pg_snapshot_xmin(pg_current_snapshot())::text AS txid`)
	if err != nil {
		return h, fmt.Errorf("find the oldest transaction: %w", err)
	}
	return h, nil
}

// Of is the transaction below which the order of an era is final.
func (h Horizon) Of(era int) string {
	if era < h.Era {
		return "9223372036854775807" // more than any cluster will count to
	}
	return h.Txid
}

// hasNew reports whether there is more in it than that programs follow it.
func (s *Stream) hasNew() bool {
	for _, e := range s.Entries {
		if e.Action != models.ActionAuditRead || e.ActorRole != models.Integration {
			return true
		}
	}
	return false
}

// StreamCursor is the cursor behind the entry, as FollowAudit takes it.
func StreamCursor(e *models.AuditEntry) string { return StreamPosition{e.Era, e.TxID, e.ID}.cursor() }

// StreamPosition is the position of an entry in commit order.
type StreamPosition struct {
	Era  int
	Txid string
	Id   int64
}

// before reports whether the position is below the horizon, where the order is
// final.
func (p StreamPosition) before(h Horizon) bool {
	a, errA := strconv.ParseUint(p.Txid, 10, 63)
	b, errB := strconv.ParseUint(h.Of(p.Era), 10, 63)
	return errA == nil && errB == nil && a < b
}

// cursor encodes the position. In the first era it has the form from before there
// were eras: clients store cursors for years.
func (p StreamPosition) cursor() string {
	text := fmt.Sprintf("t%s.%d", p.Txid, p.Id)
	if p.Era > 1 {
		text = fmt.Sprintf("e%d.%s", p.Era, text)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

func parsePosition(cursor string) (StreamPosition, error) {
	p := StreamPosition{Era: 1, Txid: "0"}
	if cursor == "" {
		return p, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	text := string(raw)
	var errEra error
	if rest, marked := strings.CutPrefix(text, "e"); marked {
		var era string
		era, text, _ = strings.Cut(rest, ".")
		p.Era, errEra = strconv.Atoi(era)
	}
	rest, marked := strings.CutPrefix(text, "t")
	txid, number, ok := strings.Cut(rest, ".")
	_, errTx := strconv.ParseUint(txid, 10, 63)
	id, errID := strconv.ParseInt(number, 10, 64)
	if errors.Join(err, errEra, errTx, errID) != nil || !marked || !ok || id < 0 || p.Era < 1 || p.Era > math.MaxInt32 {
		return p, models.Invalid("after", "cursor.invalid")
	}
	p.Txid, p.Id = txid, id
	return p, nil
}
