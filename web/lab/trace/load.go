package trace

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Querier is what pgx's pools, connections and transactions have in common.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// loading is one statement, so that moves and rows are from the same snapshot. The order
// is that of the seal and of the API's stream.
const loading = `SELECT c.id AS row, c.state, c.version, c.attempts, e.id AS entry, e.cancellation_id, e.action,
		e.before->>'state' AS "from", e.after->>'state' AS "to", e.attempt_number, e.actor_role
	FROM cancellations c FULL JOIN (SELECT * FROM audit_entries WHERE cancellation_id IS NOT NULL
		AND action IN ('cancellation.requested', 'cancellation.moved')) e ON e.cancellation_id = c.id
	ORDER BY coalesce(c.id, e.cancellation_id), e.era, e.txid, e.id`

// line is a row of it: either half may be missing.
type line struct {
	Row               *int64
	State             *string
	Version, Attempts *int

	Entry, CancellationID       *int64
	Action, From, To, ActorRole *string
	AttemptNumber               *int
}

// Load reads every cancellation and its moves, for Check.
func Load(ctx context.Context, db Querier) ([]Move, map[int64]Row, error) {
	rows, err := db.Query(ctx, loading)
	if err != nil {
		return nil, nil, fmt.Errorf("load trail of cancellations: %w", err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowToStructByName[line])
	if err != nil {
		return nil, nil, fmt.Errorf("load trail of cancellations: %w", err)
	}
	var moves []Move
	there := map[int64]Row{}
	for _, l := range lines {
		if l.Row != nil {
			there[*l.Row] = Row{*l.State, *l.Version, *l.Attempts}
		}
		if l.Entry != nil {
			moves = append(moves, Move{
				Entry: *l.Entry, Cancellation: *l.CancellationID, Action: *l.Action, From: value(l.From), To: value(l.To),
				Attempt: value(l.AttemptNumber), Role: *l.ActorRole,
			})
		}
	}
	return moves, there, nil
}

// value returns *p, or the zero value for nil.
func value[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}
