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

// Refuse records that somebody was refused. A sale of another store is a denial and
// is named by its number only: people may read their own entries, and would learn
// from them what they may not see.
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

// BulkPart records in the trail that a request was part of a bulk request.
type BulkPart struct {
	Reference string // the reference of the bulk request; all entries with it belong together
	Of        int    // how many sales it had
}

func (t *BulkPart) AddAttributes(after map[string]any) {
	if t != nil {
		after["together"], after["togetherOf"] = t.Reference, t.Of
	}
}
