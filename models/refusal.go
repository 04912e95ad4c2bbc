package models

import "context"

// refuse writes into the trail that somebody was refused. A sale of another's
// store is a denial, and is named by its number only: the person may read their
// own entries, and would learn from them what they may not see.
func (s *Cancellations) refuse(ctx context.Context, actor Actor, action Action, saleID, caseID int64, why *Error) error {
	return s.db.transaction(ctx, func(t tx) error {
		a := about{reason: why.Code, caseID: caseID, after: map[string]any{"saleId": saleID}}
		var sale Sale
		if err := take(t.Where("id = ?", saleID), &sale); err == nil && actor.Sees(sale.StoreID) {
			var store Store
			if err := take(t.Where("id = ?", sale.StoreID), &store); err != nil {
				return err
			}
			a.sale, a.store = &sale, &store
		}
		outcome := OutcomeFailure
		if why.Kind == KindNotFound || why.Kind == KindForbidden {
			outcome = OutcomeDenied
		}
		return t.record(actor, s.clock.Now(), action, outcome, a)
	})
}
