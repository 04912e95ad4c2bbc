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

// loading is one statement, so that moves and rows are from the same snapshot. A
// cancellation's entries are numbered under its sale's lock, so their order is that
// of the commits; the transaction ids have another order.
const loading = `SELECT c.id, c.state, c.version, c.attempts,
		e.id, e.cancellation_id, e.action, e.before->>'state', e.after->>'state', e.attempt_number, e.actor_role, e.reason
	FROM cancellations c FULL JOIN (SELECT * FROM audit_entries WHERE cancellation_id IS NOT NULL
		AND action IN ('cancellation.requested', 'cancellation.moved')) e ON e.cancellation_id = c.id
	ORDER BY coalesce(c.id, e.cancellation_id), e.id`

// Load reads every cancellation and its moves, for Check.
func Load(ctx context.Context, db Querier) ([]Move, map[int64]Row, error) {
	rows, err := db.Query(ctx, loading)
	if err != nil {
		return nil, nil, fmt.Errorf("load trail of cases: %w", err)
	}
	var moves []Move
	cases := map[int64]Row{}
	var l line
	_, err = pgx.ForEachRow(rows, l.into(), func() error {
		if l.caseID != nil {
			cases[*l.caseID] = Row{*l.state, *l.version, *l.attempts}
		}
		if l.entry != nil {
			moves = append(moves, l.move())
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("load trail of cases: %w", err)
	}
	return moves, cases, nil
}

// line is a row of the query: either half may be missing.
type line struct {
	caseID                         *int64
	state                          *string
	version, attempts              *int
	entry, of                      *int64
	action, from, to, role, reason *string
	attempt                        *int
}

func (l *line) into() []any {
	return []any{
		&l.caseID, &l.state, &l.version, &l.attempts,
		&l.entry, &l.of, &l.action, &l.from, &l.to, &l.attempt, &l.role, &l.reason,
	}
}

func (l *line) move() Move {
	return Move{
		Entry: *l.entry, Case: *l.of, Action: *l.action, From: value(l.from), To: value(l.to),
		Attempt: value(l.attempt), Role: *l.role, Reason: *l.reason,
	}
}

// value returns *p, or the zero value for nil.
func value[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}
