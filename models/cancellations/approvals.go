package cancellations

import (
	"fmt"
	"time"

	"veinte/models"
)

// approvalKind is how a person's word made a case go on or end.
type approvalKind string

// The approvals that are kept; "" is none.
const (
	approvedResolved approvalKind = "settled" // with evidence that they saw
	approvedReport   approvalKind = "report"  // by a provider's report
	approvedAgain    approvalKind = "again"   // asked again after it was said that nothing was canceled
)

// approvalOf is what a move of the detail is, if a person makes it.
func approvalOf(d models.Detail) approvalKind {
	switch d {
	case models.DetailResolvedCanceled, models.DetailResolvedNotCanceled:
		return approvedResolved
	case models.DetailReconciledCanceled, models.DetailReconciledNotCanceled:
		return approvedReport
	}
	return ""
}

// approve keeps for oversight whose word it was. The trail has it too, but is
// not asked for it by day and store.
func (l *Held) approve(actor models.Actor, now time.Time, kind approvalKind) error {
	who := actor.Subject()
	if kind == "" || who == "" {
		return nil
	}
	err := l.Exec(`INSERT INTO approvals (case_id, store_id, day, kind, approver, approver_name, approved_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		l.c.ID, l.sale.StoreID, l.sale.BusinessDay, kind, who, actor.Name, now).Error
	if err != nil {
		return fmt.Errorf("keep whose word case %d went by: %w", l.c.ID, err)
	}
	return nil
}
