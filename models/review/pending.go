package review

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/sales"
)

// PendingWhy is why a sale with a requested cancellation is not known to be
// canceled.
type PendingWhy string

// The reasons, the ones that need a person first.
const (
	PendingDoubt    PendingWhy = "doubt"    // unknown outcome: no devolución until it is known
	PendingUnderWay PendingWhy = "underWay" // its result may still arrive
	PendingRejected PendingWhy = "rejected" // refused: still charged
	PendingCharged  PendingWhy = "charged"  // verified: still charged
	PendingNotSent  PendingWhy = "notSent"  // requested in time, but never sent
	PendingTooLate  PendingWhy = "tooLate"  // requested after the cut-off
)

// PendingWhys lists the reasons in the order in which pages show them.
var PendingWhys = []PendingWhy{PendingDoubt, PendingUnderWay, PendingRejected, PendingCharged, PendingNotSent, PendingTooLate}

// Known reports whether the sale is known not to be canceled, so that a devolución
// is possible.
func (w PendingWhy) Known() bool { return w != PendingDoubt && w != PendingUnderWay }

// PendingSale is a sale whose cancellation was requested and is not confirmed.
type PendingSale struct {
	models.Sale
	Why   PendingWhy
	Since time.Time // since when it has been so
	Asker string    // who requested it; "" when that is not stored
}

// PendingDay is the pending sales of a day.
type PendingDay struct {
	Sales []PendingSale // by store, the latest first
	Sums  map[PendingWhy]models.Sum
	More  bool // there are more than the list shows
}

// maxPending is the largest number listed: no store has so many in a day.
const maxPending = 300

// lateAsks is how long after the beginning of a day a refused late request still
// belongs to the day's list.
const lateAsks = 7 * 24 * time.Hour

// neverLeftSQL is true when the last request c was withdrawn, but not by a person.
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

// pendingSQL finds the pending sales by state. A sale that is still, or again,
// cancelable is among them when its last request was never sent, or when a request
// was refused because it was too late. $1 is the stores, $2 the day, $3 and $4 the
// period of such refusals.
var pendingSQL = `WITH refused AS (
		SELECT DISTINCT ON (sale_id) sale_id, at, actor_name FROM audit_entries
		WHERE action = 'cancellation.refused' AND reason = 'error.tooLate' AND at >= $3 AND at < $4 AND store_id = ANY($1)
		ORDER BY sale_id, at DESC)
	SELECT ` + sales.AllColumns.Names("s.") + `, ` + pendingWhySQL + ` AS why,
		CASE WHEN s.state = ` + models.CancelableSQL + ` AND r.at IS NOT NULL THEN r.at ELSE c.changed_at END AS since,
		coalesce(c.requester, r.actor_name, '') AS asker
	FROM sales s
	LEFT JOIN LATERAL (SELECT * FROM cancellations c WHERE c.sale_id = s.id ORDER BY c.id DESC LIMIT 1) c
		ON s.state <> ` + models.CancelableSQL + `
			OR EXISTS (SELECT FROM cancellations w WHERE w.sale_id = s.id AND w.state = ` + models.WithdrawnSQL + `)
	LEFT JOIN refused r ON r.sale_id = s.id
	WHERE s.store_id = ANY($1) AND s.business_day = $2 AND (s.state NOT IN ` + models.AtRestSQL + `
		OR s.state = ` + models.CancelableSQL + ` AND (r.at IS NOT NULL OR ` + neverLeftSQL + `))
	ORDER BY s.store_id, s.sold_at DESC, s.id DESC LIMIT $5`

// Pending returns the sales of a day that are still to be resolved with customers:
// those of the actor's stores, or of one, whose cancellation was requested and is
// not confirmed.
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
	begins := day.Time(s.window().Calendar.Zone())
	rows, err := s.db.Query(ctx, pendingSQL, stores, string(day), begins, begins.Add(lateAsks), maxPending+1)
	if err != nil {
		return nil, fmt.Errorf("list what is pending of %s: %w", day, err)
	}
	listed, err := pgx.CollectRows(rows, pgx.RowToStructByName[PendingSale])
	if err != nil {
		return nil, fmt.Errorf("list what is pending of %s: %w", day, err)
	}
	pending := &PendingDay{Sales: listed[:min(len(listed), maxPending)], More: len(listed) > maxPending, Sums: map[PendingWhy]models.Sum{}}
	for i := range pending.Sales {
		p := &pending.Sales[i]
		sum := pending.Sums[p.Why]
		sum.Add(models.Sum{Count: 1, Amount: p.Amount})
		pending.Sums[p.Why] = sum
	}
	return pending, nil
}
