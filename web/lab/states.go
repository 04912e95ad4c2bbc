package lab

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Cancellation is a cancellation as the product stores it, with its sale.
type Cancellation struct {
	ID          int64
	SaleID      int64
	OrderID     string
	Serial      string
	State       string
	Detail      string
	Conflict    string
	UserID      *int64 // the requester; nil when it was canceled on the terminal
	Click       string
	RequestedAt time.Time
	ChangedAt   time.Time
	Attempts    int
}

// openStates are the states in which the product soon acts by itself. A cancellation
// in doubt is unknown, which a user sees as "Por verificar".
var openStates = []string{"requested", "sending", "accepted"}

// Underway reports whether a cancellation is neither final nor visibly in doubt.
func (c *Cancellation) Underway() bool { return slices.Contains(openStates, c.State) }

// Cancellations reads every cancellation.
func (l *Lab) Cancellations(ctx context.Context) ([]Cancellation, error) {
	return collect[Cancellation](ctx, l, `SELECT c.id, c.sale_id, s.order_id, s.serial_number AS serial, c.state, c.detail, c.conflict,
		c.requested_by AS user_id, c.click, c.requested_at, c.changed_at, c.attempts
		FROM cancellations c JOIN sales s ON s.id = c.sale_id ORDER BY c.id`)
}

// Attempt is one row of the attempts table.
type Attempt struct {
	CancellationID int64
	Number         int
	KeyHash        string
	Meaning        string // "" while it is under way
	Detail         string
	DeadlineAt     time.Time
	FirstByteAt    *time.Time // nil while none has left, as far as is known
	FinishedAt     *time.Time
}

// Attempts reads every attempt.
func (l *Lab) Attempts(ctx context.Context) ([]Attempt, error) {
	return collect[Attempt](ctx, l, `SELECT cancellation_id, number, key_hash, meaning, detail, deadline_at, first_byte_at,
		finished_at FROM attempts ORDER BY id`)
}

// Move is one entry of the trail that changes a cancellation's state.
type Move struct {
	CancellationID int64
	At             time.Time
	To             string
	UserID         *int64 // nil: the system, or a terminal
}

// Moves reads the trail's moves, each cancellation's in order.
func (l *Lab) Moves(ctx context.Context) ([]Move, error) {
	return collect[Move](ctx, l, `SELECT cancellation_id, at, after->>'state' AS "to", actor_id AS user_id FROM audit_entries
		WHERE action IN ('cancellation.requested', 'cancellation.moved') AND outcome <> 'denied'
		AND cancellation_id IS NOT NULL AND after ? 'state' ORDER BY id`)
}

func collect[T any](ctx context.Context, l *Lab, sql string, args ...any) ([]T, error) {
	rows, err := l.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[T])
}

// Resolved waits until no cancellation is under way: each is final or visibly in
// doubt.
func (l *Lab) Resolved(ctx context.Context, most time.Duration) error {
	return Eventually(ctx, most, "every case is final or in doubt", func(ctx context.Context) (bool, error) {
		var cases, pending int
		err := l.Pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM cancellations WHERE state = ANY($1)),
			(SELECT count(*) FROM results WHERE status = 'pending')`, openStates).Scan(&cases, &pending)
		if err != nil {
			return false, err
		}
		if cases+pending > 0 {
			return false, fmt.Errorf("%d cases are under way, %d results are not read", cases, pending)
		}
		return true, nil
	})
}

// Wait is how long a cancellation took to become final or visibly in doubt.
type Wait struct {
	Took           time.Duration
	CancellationID int64
	From           string // its state when the wait began
}

// Longest returns, for each state, the longest wait of the cancellations that were
// in that state at an instant, such as a restart. A cancellation that is still under
// way counts until now.
func Longest(moves []Move, since time.Time) map[string]Wait {
	state, ended := map[int64]string{}, map[int64]time.Time{}
	for _, m := range moves {
		switch {
		case !m.At.After(since):
			state[m.CancellationID] = m.To
		case !slices.Contains(openStates, m.To) && ended[m.CancellationID].IsZero():
			ended[m.CancellationID] = m.At
		}
	}
	longest := map[string]Wait{}
	for id, from := range state {
		if !slices.Contains(openStates, from) {
			continue
		}
		end := ended[id]
		if end.IsZero() {
			end = time.Now()
		}
		if took := end.Sub(since); took > longest[from].Took {
			longest[from] = Wait{Took: took, CancellationID: id, From: from}
		}
	}
	return longest
}

// ResolveByPeople lets the supervisor resolve every doubt with the page's form, from
// what the terminal really did. It returns how many it resolved.
func (l *Lab) ResolveByPeople(ctx context.Context, s *Server) (settled int, err error) {
	err = Eventually(ctx, time.Minute, "no terminal shows a push", func(ctx context.Context) (bool, error) {
		n, err := l.Box.OnScreen(ctx)
		return n == 0, err
	})
	if err != nil {
		return 0, err
	}
	truth, err := l.Truth()
	if err != nil {
		return 0, err
	}
	cases, err := l.Cancellations(ctx)
	if err != nil {
		return 0, err
	}
	for _, c := range cases {
		if c.State != "unknown" {
			continue
		}
		a := l.Supervisor.Resolve(ctx, s, c.ID, truth[SaleKey{c.Serial, c.OrderID}])
		if !a.OK() {
			return settled, fmt.Errorf("settle case %d: %w", c.ID, a.Problem())
		}
		settled++
	}
	return settled, nil
}

// SaleKey identifies a sale: order numbers are unique on their terminal only.
type SaleKey struct{ Serial, OrderID string }

// Truth returns for every sale in the ledger whether its terminal has canceled it.
func (l *Lab) Truth() (map[SaleKey]bool, error) {
	entries, err := l.Box.Ledger()
	if err != nil {
		return nil, err
	}
	truth := map[SaleKey]bool{}
	for _, e := range entries {
		if e.Kind == "sale" {
			k := SaleKey{e.Serial, e.OrderID}
			truth[k] = truth[k] || e.Event == "canceled"
		}
	}
	return truth, nil
}
