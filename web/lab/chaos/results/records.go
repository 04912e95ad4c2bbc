package results

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"veinte/web/lab"
)

// caseNow is a case as the product has it.
type caseNow struct {
	id       int64
	state    string
	conflict string
}

// String is the state, with what contradicts it: "confirmed/latePositive".
func (c caseNow) String() string {
	if c.conflict == "" {
		return c.state
	}
	return c.state + "/" + c.conflict
}

// casesOf returns the cases of a sale, oldest first.
func (r *run) casesOf(ctx context.Context, s *lab.Sale) ([]caseNow, error) {
	rows, err := r.Pool.Query(ctx, `SELECT id, state, conflict FROM cancellations WHERE sale_id = $1 ORDER BY id`, s.ID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (c caseNow, err error) {
		err = row.Scan(&c.id, &c.state, &c.conflict)
		return c, err
	})
}

// movesOf returns every state that the trail gives the sale's cases, in order.
func (r *run) movesOf(ctx context.Context, s *lab.Sale) ([]string, error) {
	rows, err := r.Pool.Query(ctx, `SELECT after->>'state' FROM audit_entries
		WHERE sale_id = $1 AND action IN ('cancellation.requested', 'cancellation.moved') AND outcome <> 'denied' ORDER BY id`, s.ID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// statuses counts what became of a post's deliveries.
func (r *run) statuses(ctx context.Context, p *post) (string, error) {
	rows, err := r.Pool.Query(ctx, `SELECT status, count(*) FROM results
		WHERE id > $1 AND strpos(body, $2) > 0 GROUP BY status ORDER BY status`, r.since, `"rrnNumber":"`+mark(p.number)+`"`)
	if err != nil {
		return "", err
	}
	parts, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var status string
		var n int
		err := row.Scan(&status, &n)
		return fmt.Sprintf("%s %d", status, n), err
	})
	return strings.Join(parts, ", "), err
}

// attemptIDs are the ids of the sale's cancels, oldest first. Only the
// terminals and the ledger know it.
func (r *run) attemptIDs(s *lab.Sale) (ids []string, err error) {
	entries, err := r.Box.Ledger()
	for _, e := range entries {
		if e.Kind != "request" || e.Operation != "cancel" || e.OrderID != s.OrderID || e.Serial != s.Serial {
			continue
		}
		if id := idIn(e.Parsed); id != "" {
			ids = append(ids, id)
		}
	}
	return ids, err
}
