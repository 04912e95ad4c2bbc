package audit

import (
	"context"

	"veinte/models"
	"veinte/models/database"
)

// RefusalRecord is what somebody was refused, and why.
type RefusalRecord struct {
	SaleID, CancellationID int64
	Why                    *models.Error
	Together               *BulkPart
}

// Refuse writes into the trail that somebody was refused. A sale of another's
// store is a denial, and is named by its number only: the person may read their
// own entries, and would learn from them what they may not see.
func (s *Service) Refuse(ctx context.Context, actor models.Actor, action models.Action, r RefusalRecord) error {
	return s.db.InTx(ctx, func(t database.Tx) error {
		after := map[string]any{"saleId": r.SaleID}
		r.Together.AddAttributes(after)
		a := About{Reason: r.Why.Code, CancellationID: r.CancellationID, After: after}
		var sale models.Sale
		if err := database.TakeRow(t.Where("id = ?", r.SaleID), &sale); err == nil && actor.Sees(sale.StoreID) {
			var store models.Store
			if err := database.TakeRow(t.Where("id = ?", sale.StoreID), &store); err != nil {
				return err
			}
			a.Sale, a.Store = &sale, &store
		}
		outcome := models.OutcomeFailure
		if r.Why.Kind == models.KindNotFound || r.Why.Kind == models.KindForbidden {
			outcome = models.OutcomeDenied
		}
		return Record(t, actor, s.clock.Now(), action, outcome, a)
	})
}

// BulkPart says in the trail that a request was one of several at once.
type BulkPart struct {
	Reference string // the press; what has it in the trail was asked for by it
	Of        int    // how many sales it asked for
}

func (t *BulkPart) AddAttributes(after map[string]any) {
	if t != nil {
		after["together"], after["togetherOf"] = t.Reference, t.Of
	}
}
