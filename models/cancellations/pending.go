package cancellations

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
)

// PendingWhy is why a sale that somebody wanted canceled is not known to be.
type PendingWhy string

// The reasons, those that a person has to find out about first.
const (
	PendingDoubt    PendingWhy = "doubt"    // nobody knows: no devolución until somebody does
	PendingUnderWay PendingWhy = "underWay" // its result may still come
	PendingRejected PendingWhy = "rejected" // refused: still charged
	PendingCharged  PendingWhy = "charged"  // checked: still charged
	PendingNotSent  PendingWhy = "notSent"  // asked for in time, and it never left
	PendingTooLate  PendingWhy = "tooLate"  // asked for after the cut-off
)

// PendingWhys lists the reasons in the order in which pages show them.
var PendingWhys = []PendingWhy{PendingDoubt, PendingUnderWay, PendingRejected, PendingCharged, PendingNotSent, PendingTooLate}

// Known reports whether the sale is known not to be canceled, so that nothing
// stands in the way of a devolución.
func (w PendingWhy) Known() bool { return w != PendingDoubt && w != PendingUnderWay }

// PendingSale is a sale that somebody wanted canceled and that is not.
type PendingSale struct {
	models.Sale
	Why   PendingWhy
	Since time.Time // when that became so
	Asker string    // who wanted it; "" when that is not kept
}

// PendingDay are a day's sales of that kind.
type PendingDay struct {
	Sales []PendingSale // in the order of their stores, the latest first
	Sums  map[PendingWhy]models.Sum
	More  bool // there are others beyond the most that are listed
}

// maxPending is how many are listed: no store has so many in a day.
const maxPending = 300

// lateAsks is until how long after the day's beginning somebody who comes too
// late is still listed with it.
const lateAsks = 7 * 24 * time.Hour

// neverLeftSQL says that the last request c was withdrawn though nobody took it back.
const neverLeftSQL = `c.state = ` + models.WithdrawnSQL + ` AND c.detail <> 'takenBack'`

// pendingWhySQL is the reason of sale s with its last request c.
const pendingWhySQL = `CASE s.state
		WHEN ` + models.UnknownSQL + ` THEN '` + string(PendingDoubt) + `'
		WHEN ` + models.RejectedSQL + ` THEN '` + string(PendingRejected) + `'
		WHEN ` + models.NotCanceledSQL + ` THEN '` + string(PendingCharged) + `'
		WHEN ` + models.ExpiredSQL + ` THEN '` + string(PendingNotSent) + `'
		WHEN ` + models.CancelableSQL + ` THEN CASE
			WHEN ` + neverLeftSQL + ` THEN '` + string(PendingNotSent) + `' ELSE '` + string(PendingTooLate) + `' END
		ELSE '` + string(PendingUnderWay) + `' END`

// pendingSQL finds them by the states of sales. A sale that is cancelable still,
// or again, is one of them when its last request never left, or when somebody was
// refused because it was too late. $1 are the stores, $2 the day, $3 and $4 when
// such a refusal was written.
const pendingSQL = `WITH refused AS (
		SELECT DISTINCT ON (sale_id) sale_id, at, actor_name FROM audit_entries
		WHERE action = 'cancellation.refused' AND reason = 'error.tooLate' AND at >= $3 AND at < $4 AND store_id = ANY($1)
		ORDER BY sale_id, at DESC)
	SELECT s.id, ` + pendingWhySQL + `,
		CASE WHEN s.state = ` + models.CancelableSQL + ` AND r.at IS NOT NULL THEN r.at ELSE c.changed_at END,
		coalesce(c.requester, r.actor_name, '')
	FROM sales s
	LEFT JOIN LATERAL (SELECT * FROM cancellations c WHERE c.sale_id = s.id ORDER BY c.id DESC LIMIT 1) c
		ON s.state <> ` + models.CancelableSQL + ` OR EXISTS (SELECT FROM cancellations w WHERE w.sale_id = s.id AND w.state = ` + models.WithdrawnSQL + `)
	LEFT JOIN refused r ON r.sale_id = s.id
	WHERE s.store_id = ANY($1) AND s.business_day = $2 AND (s.state NOT IN ` + models.AtRestSQL + `
		OR s.state = ` + models.CancelableSQL + ` AND (r.at IS NOT NULL OR ` + neverLeftSQL + `))
	ORDER BY s.store_id, s.sold_at DESC, s.id DESC LIMIT $5`

// Pending returns what is left of a day to be settled with customers: the sales of
// the actor's stores, or of one, whose cancellation was wanted and is not known.
//
// Errors: ErrForbidden; ErrNotFound for a store outside the actor's scope.
func (s *Service) Pending(ctx context.Context, actor models.Actor, day models.Day, storeID int64) (*PendingDay, error) {
	if !actor.May(models.ViewSales) {
		return nil, models.ErrForbidden
	}
	stores, err := s.terminals.Scope(ctx, actor, storeID)
	if err != nil {
		return nil, err
	}
	begins := day.Time(s.rules.Window().Calendar.Zone())
	rows, err := s.db.Pool().Query(ctx, pendingSQL, stores, string(day), begins, begins.Add(lateAsks), maxPending+1)
	if err != nil {
		return nil, fmt.Errorf("list what is pending of %s: %w", day, err)
	}
	listed, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p PendingSale, err error) {
		return p, row.Scan(&p.ID, &p.Why, &p.Since, &p.Asker)
	})
	if err != nil {
		return nil, fmt.Errorf("list what is pending of %s: %w", day, err)
	}
	pending := &PendingDay{More: len(listed) > maxPending, Sums: map[PendingWhy]models.Sum{}}
	pending.Sales = listed[:min(len(listed), maxPending)]
	return pending, s.fillPending(ctx, pending)
}

// fillPending reads the sales themselves and adds them up.
func (s *Service) fillPending(ctx context.Context, pending *PendingDay) error {
	ids := make([]int64, len(pending.Sales))
	for i := range pending.Sales {
		ids[i] = pending.Sales[i].ID
	}
	sales, err := s.SalesOf(ctx, ids)
	if err != nil {
		return fmt.Errorf("read what is pending: %w", err)
	}
	kept := pending.Sales[:0]
	for _, p := range pending.Sales {
		of, ok := sales[p.ID]
		if !ok {
			continue // its import was undone meanwhile
		}
		p.Sale = *of.Sale
		kept = append(kept, p)
		sum := pending.Sums[p.Why]
		sum.Add(models.Sum{Count: 1, Amount: p.Amount})
		pending.Sums[p.Why] = sum
	}
	pending.Sales = kept
	return nil
}
