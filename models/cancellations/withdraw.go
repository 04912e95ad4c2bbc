package cancellations

import (
	"context"

	"veinte/models"
)

// Withdraw withdraws a cancellation that has not been sent.
//
// Errors: ErrNotFound, ErrForbidden, or error.alreadySent.
func (s *Service) Withdraw(ctx context.Context, actor models.Actor, caseID int64) (*models.Cancellation, error) {
	var c *models.Cancellation
	err := s.withLocked(ctx, caseID, func(l *Held) error {
		if !actor.Sees(l.sale.StoreID) {
			return models.ErrNotFound
		}
		if !actor.May(models.CancelSales) {
			return models.ErrForbidden
		}
		c = &l.c
		if l.c.State == models.Withdrawn {
			return nil // pressed twice
		}
		if l.c.State != models.Requested {
			return &models.Error{Kind: models.KindConflict, Code: "error.alreadySent"}
		}
		return l.move(ctx, actor, move{to: models.Withdrawn, detail: models.DetailWithdrawn})
	})
	return c, err
}
