package cancellations

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/database"
)

// approvalKind is how a person's decision continued or ended a cancellation.
type approvalKind string

// The approvals that are stored; "" is none.
const (
	approvedResolved approvalKind = "settled" // with evidence that they saw
	approvedReport   approvalKind = "report"  // by a provider's report
	approvedAgain    approvalKind = "again"   // requested again after "not canceled"
)

// approvalOf returns the kind of approval of a move with the detail, if a person
// makes it.
func approvalOf(d models.Detail) approvalKind {
	switch d {
	case models.DetailResolvedCanceled, models.DetailResolvedNotCanceled:
		return approvedResolved
	case models.DetailReconciledCanceled, models.DetailReconciledNotCanceled:
		return approvedReport
	}
	return ""
}

// approve stores for oversight who decided. The trail records it too, but is not
// queried by day and store.
func (l *Held) approve(actor models.Actor, kind approvalKind) error {
	who := actor.Subject()
	if kind == "" || who == "" {
		return nil
	}
	err := l.tx.Exec(`INSERT INTO approvals (case_id, store_id, day, kind, approver, approver_name, approved_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		l.c.ID, l.sale.StoreID, l.sale.BusinessDay, kind, who, actor.Name, l.At()).Error
	if err != nil {
		return fmt.Errorf("store approval of cancellation %d: %w", l.c.ID, err)
	}
	return nil
}

// DecidedSQL are the decisions about a sale by a subject, which follow it as (sale, subject).
const DecidedSQL = `SELECT FROM approvals p JOIN cancellations d ON d.id = p.case_id
	WHERE p.kind <> '` + string(approvedAgain) + `' AND (d.sale_id, p.approver) = `

// DecidedBy reports whether the actor ended a doubt about the sale. What contradicts that
// is for somebody else to look at.
func DecidedBy(ctx context.Context, t database.Tx, actor models.Actor, saleID int64) (yes bool, err error) {
	err = t.SQL.QueryRowContext(ctx, `SELECT EXISTS (`+DecidedSQL+`($1, $2))`, saleID, actor.Subject()).Scan(&yes)
	if err != nil {
		return false, fmt.Errorf("look for who decided about sale %d: %w", saleID, err)
	}
	return yes, nil
}
