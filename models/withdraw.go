package models

import "context"

// Withdraw takes back a case that has not been sent.
//
// Errors: ErrNotFound, ErrForbidden, or error.alreadySent.
func (s *Cancellations) Withdraw(ctx context.Context, actor Actor, caseID int64) (*Cancellation, error) {
	var c *Cancellation
	err := s.inCase(ctx, caseID, func(l *Held) error {
		if !actor.Sees(l.sale.StoreID) {
			return ErrNotFound
		}
		if !actor.May(CancelSales) {
			return ErrForbidden
		}
		c = &l.c
		if l.c.State == Withdrawn {
			return nil // pressed twice
		}
		if l.c.State != Requested {
			return &Error{Kind: KindConflict, Code: "error.alreadySent"}
		}
		return s.move(ctx, l, actor, s.clock.Now(), move{to: Withdrawn, detail: DetailTakenBack})
	})
	return c, err
}
