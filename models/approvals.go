package models

import (
	"fmt"
	"strconv"
	"time"
)

// approval is how a person's word made a case go on or end.
type approval string

// The approvals that are kept; "" is none.
const (
	approvedSettled approval = "settled" // with evidence that they saw
	approvedReport  approval = "report"  // by a provider's report
	approvedAgain   approval = "again"   // asked again after it was said that nothing was canceled
)

// approval is what a move of the detail is, if a person makes it.
func (d Detail) approval() approval {
	switch d {
	case DetailSettledCanceled, DetailSettledNotCanceled:
		return approvedSettled
	case DetailReconciledCanceled, DetailReconciledNotCanceled:
		return approvedReport
	}
	return ""
}

// approve keeps for oversight whose word it was. The trail has it too, but is
// not asked for it by day and store.
func (l *Held) approve(actor Actor, now time.Time, kind approval) error {
	who := actor.subject()
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

// subject names a person or a program as oversight counts them: u7 or k7. "" is
// the system, or a terminal.
func (a Actor) subject() string {
	switch {
	case a.UserID == 0:
		return ""
	case a.Role == Integration:
		return "k" + strconv.FormatInt(a.UserID, 10)
	}
	return "u" + strconv.FormatInt(a.UserID, 10)
}
