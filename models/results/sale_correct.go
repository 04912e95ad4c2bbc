package results

import (
	"cmp"
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/intake"
)

// noteCorrected marks a sale's post that corrected the sale.
const noteCorrected = "corrected"

// correct replaces the amount and the card's data that a program, a file or a person
// reported by those of the terminal's own post. Otherwise a typing error would stay
// for ever, and every result of the sale's cancellation would conflict with it. Only
// the terminal's own address says that the terminal speaks. Somebody may have seen
// the amount from before, so it is a contradiction all the same, for a person to
// review. It returns nil when the sale is not corrected: anybody could have posted
// it, its terminal reported it, or its cancellation was requested as it was.
//
// The time of the sale stays: changing it could change the sale's day and store.
func (rd *reading) correct(ctx context.Context, id int64, posted *models.Sale) (*conclusion, error) {
	if !rd.r.OwnAddress {
		return nil, nil
	}
	l, err := rd.s.cancellations.Hold(rd.Tx, id)
	if err != nil {
		return nil, err
	}
	before, store := l.Sale(), l.Store()
	if before.State != models.SaleCancelable || before.Source == models.SourceTerminal {
		return nil, nil
	}
	if err := l.Latest(); err != models.ErrNotFound {
		return nil, err // nil: there is a cancellation
	}
	after := before
	s := &after
	s.Amount, s.Source, s.RecordedBy, s.BatchID, s.ReportedAgain = posted.Amount, models.SourceTerminal, "", nil, false
	s.Last4, s.CardBrand = cmp.Or(posted.Last4, s.Last4), cmp.Or(posted.CardBrand, s.CardBrand)
	s.AuthCode, s.Folio = cmp.Or(posted.AuthCode, s.AuthCode), cmp.Or(posted.Folio, s.Folio)
	columns := []string{"amount", "source", "recorded_by", "batch_id", "told_again", "last4", "card_brand", "auth_code", "folio"}
	err = rd.Model(s).Select(columns).Updates(s).Error
	if err != nil {
		return nil, fmt.Errorf("correct sale %d: %w", id, err)
	}
	if err := intake.KeepOrigins(ctx, rd.Tx, &before, s); err != nil {
		return nil, err
	}
	err = audit.Record(rd.Tx, rd.actor, l.At(), models.ActionSaleCorrected, models.OutcomeSuccess, audit.About{
		Store: &store, Sale: s, Before: correctable(&before), After: correctable(s),
	})
	if err != nil {
		return nil, err
	}
	return &conclusion{status: models.ResultConflict, note: noteCorrected, saleID: id}, nil
}

// correctable is what a correction may change, for the trail.
func correctable(s *models.Sale) map[string]any {
	return map[string]any{
		"amount": s.Amount, "source": s.Source, "last4": s.Last4, "cardBrand": s.CardBrand, "authCode": s.AuthCode, "folio": s.Folio,
	}
}
