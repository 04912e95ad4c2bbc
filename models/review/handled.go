package review

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/database"
)

// handledFor is how far back the list of what was handled goes; the trail has the rest.
const handledFor = 14 * 24 * time.Hour

// Handled is something that a person handled, or a doubt that they resolved.
type Handled struct {
	Kind      Kind
	At        time.Time
	By        string
	Note      string
	Of        string // more about it: a rule, the kind of a difference or a finding, or how a doubt ended
	StoreName string
	SaleID    *int64
	OrderID   string
	Amount    *models.Money
}

// handledSQL reads the marks from the trail, and the doubts that people resolved with the
// words of their evidence.
const handledSQL = `SELECT kind, at, by, note, of, store_name, sale_id, order_id, amount FROM (
		(SELECT CASE e.action WHEN '` + string(models.ActionAlertAttended) + `' THEN '` + string(ReviewAlert) + `'
				WHEN '` + string(models.ActionDifferenceSeen) + `' THEN '` + string(ReviewDifference) + `'
				WHEN '` + string(models.ActionFindingReviewed) + `' THEN '` + string(ReviewFinding) + `'
				ELSE CASE WHEN e.cancellation_id IS NULL THEN '` + string(ReviewResult) + `' ELSE '` + string(ReviewConflict) + `' END END AS kind,
			e.at, e.actor_name AS by, e.reason AS note,
			coalesce(e.after->>'rule', e.before->>'difference', e.after->>'finding', e.before->>$5, e.before->>'note', '') AS of,
			e.store_name, e.sale_id, e.order_id, e.amount
		FROM audit_entries e WHERE e.outcome = 'success' AND e.at >= $3
			AND e.action IN ('` + string(models.ActionReviewed) + `', '` + string(models.ActionAlertAttended) + `',
				'` + string(models.ActionDifferenceSeen) + `', '` + string(models.ActionFindingReviewed) + `')
			AND ($1 OR e.store_id = ANY($2) OR e.after->>'rule' IN ` + alerts.AlwaysSQL + `)
		ORDER BY e.at DESC LIMIT $4)
		UNION ALL
		(SELECT '` + string(ReviewDoubt) + `', p.approved_at, p.approver_name, coalesce(e.reason, ''),
			coalesce(e.after->>'state', c.state), o.name, s.id, s.order_id, s.amount
		FROM approvals p JOIN cancellations c ON c.id = p.case_id JOIN sales s ON s.id = c.sale_id JOIN stores o ON o.id = c.store_id
		LEFT JOIN LATERAL (SELECT e.reason, e.after FROM audit_entries e WHERE e.sale_id = s.id AND e.cancellation_id = c.id
			AND e.action = '` + string(models.ActionCancellationMoved) + `' AND e.at = p.approved_at AND e.actor_name = p.approver_name
			ORDER BY e.id DESC LIMIT 1) e ON true
		WHERE p.kind IN ('settled', 'report') AND p.day >= $3::date AND ($1 OR p.store_id = ANY($2))
		ORDER BY p.approved_at DESC LIMIT $4)
	) handled ORDER BY at DESC LIMIT $4`

// HandledLately returns what people handled in the last two weeks in the actor's stores,
// the latest first, at most PageSize.
//
// Errors: ErrForbidden.
func (s *Service) HandledLately(ctx context.Context, actor models.Actor) ([]Handled, error) {
	if !actor.May(models.Oversee) {
		return nil, models.ErrForbidden
	}
	all, err := database.Rows[Handled](ctx, s.db, handledSQL, actor.AllStores, actor.StoreIDs,
		s.clock.Now().Add(-handledFor), models.PageSize, "conflict")
	if err != nil {
		return nil, fmt.Errorf("list what was handled: %w", err)
	}
	return all, s.recordAlerts(ctx, actor, false, len(all))
}
