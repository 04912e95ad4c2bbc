package models

import "context"

// refusal is what somebody was refused, and why.
type refusal struct {
	saleID, caseID int64
	why            *Error
	together       *Together
}

// refuse writes into the trail that somebody was refused. A sale of another's
// store is a denial, and is named by its number only: the person may read their
// own entries, and would learn from them what they may not see.
func (s *Cancellations) refuse(ctx context.Context, actor Actor, action Action, r refusal) error {
	return s.db.transaction(ctx, func(t tx) error {
		after := map[string]any{"saleId": r.saleID}
		r.together.tell(after)
		a := about{reason: r.why.Code, caseID: r.caseID, after: after}
		var sale Sale
		if err := take(t.Where("id = ?", r.saleID), &sale); err == nil && actor.Sees(sale.StoreID) {
			var store Store
			if err := take(t.Where("id = ?", sale.StoreID), &store); err != nil {
				return err
			}
			a.sale, a.store = &sale, &store
		}
		outcome := OutcomeFailure
		if r.why.Kind == KindNotFound || r.why.Kind == KindForbidden {
			outcome = OutcomeDenied
		}
		return t.record(actor, s.clock.Now(), action, outcome, a)
	})
}
