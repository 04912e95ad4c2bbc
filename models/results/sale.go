package results

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"gorm.io/gorm/clause"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/intake"
)

// readSale turns an approved sale into a row of today's list.
func (rd *reading) readSale(ctx context.Context) (conclusion, error) {
	r := rd.r
	if !r.Approved() {
		return conclusion{status: models.ResultIgnored, note: "declinedSale"}, nil
	}
	if !complete(r) {
		return conclusion{status: models.ResultUnmatched, note: "incompleteSale"}, nil
	}
	var terminal models.Terminal
	// Locked as the sale's foreign key would lock it: the terminal is not moved
	// meanwhile.
	err := database.TakeRow(rd.Clauses(clause.Locking{Strength: "KEY SHARE"}).Where("serial_number = ?", r.SerialNumber), &terminal)
	if err == models.ErrNotFound {
		return conclusion{status: models.ResultUnmatched, note: "unknownTerminal"}, nil
	}
	if err != nil {
		return conclusion{}, err
	}
	soldAt := intake.SaleTime(r.OrderID, r.SerialNumber, r.ReceivedAt, rd.s.window().Calendar)
	// An order number has no fraction of a second: a sale within the second of a
	// move counts as made after the move.
	until := soldAt.Add(time.Second - time.Microsecond)
	if until.After(r.ReceivedAt) {
		until = r.ReceivedAt
	}
	place, err := assignmentAt(rd.Tx, terminal.ID, until)
	if err == models.ErrNotFound {
		return conclusion{status: models.ResultUnmatched, note: "noStore"}, nil
	}
	if err != nil {
		return conclusion{}, err
	}
	return rd.storeSale(ctx, rd.saleFrom(&terminal, place, soldAt))
}

// complete reports whether a post says enough of a sale to record it.
func complete(r *models.Result) bool {
	return r.OrderID != "" && utf8.RuneCountInString(r.OrderID) <= models.MaxOrderID &&
		r.Amount != nil && *r.Amount > 0 && *r.Amount <= intake.MaxMoney
}

func (rd *reading) saleFrom(t *models.Terminal, place *models.Assignment, soldAt time.Time) models.Sale {
	merchant := rd.r.MerchantID
	if merchant == "" {
		merchant = place.MerchantID
	}
	calendar := rd.s.window().Calendar
	return models.Sale{
		StoreID: place.StoreID, TerminalID: t.ID, SerialNumber: t.SerialNumber, MerchantID: merchant,
		OrderID: rd.r.OrderID, Amount: *rd.r.Amount, Currency: models.Currency,
		SoldAt: soldAt, ReceivedAt: rd.r.ReceivedAt, BusinessDay: calendar.Day(soldAt), CutoffAt: calendar.Cutoff(soldAt),
		Last4: rd.r.Last4, CardBrand: models.Truncate(rd.r.CardBrand, 20), AuthCode: models.Truncate(rd.r.AuthCode, 20),
		Folio: models.Truncate(rd.r.Folio, 80),
		State: models.SaleCancelable, Source: models.SourceTerminal,
	}
}

// storeSale inserts the sale unless it exists: terminals post again when they got no
// response in time, and other sources may have reported it. The order is locked
// until the transaction ends.
func (rd *reading) storeSale(ctx context.Context, sale models.Sale) (conclusion, error) {
	recorded := rd.of.recorded
	if len(recorded) == 0 {
		var err error
		if sale.DayUnproven, err = rd.dayUnproven(ctx); err != nil {
			return conclusion{}, err
		}
		done := rd.Clauses(clause.OnConflict{DoNothing: true}).Create(&sale)
		if done.Error != nil {
			return conclusion{}, fmt.Errorf("insert sale %s: %w", sale.OrderID, done.Error)
		}
		if done.RowsAffected == 1 {
			rd.fresh = &sale
			return conclusion{status: models.ResultApplied, note: "sale", saleID: sale.ID}, nil
		}
		// A large call or an import, which lock no orders, was faster.
		if err := rd.holdOrder(); err != nil {
			return conclusion{}, err
		}
		recorded = rd.of.recorded
	}
	if len(recorded) == 0 {
		return conclusion{}, fmt.Errorf("sale %s is neither new nor known", sale.OrderID)
	}
	return rd.postedAgain(ctx, &sale, recorded)
}

// holdOrder locks the order of a posted sale, and the sales that were recorded of it, in
// the order of their ids.
func (rd *reading) holdOrder() error {
	if !rd.r.Approved() || !complete(rd.r) {
		return nil
	}
	recorded := &rd.of.recorded
	err := rd.Raw("SELECT * FROM sales_of_order(?, ?)", rd.r.SerialNumber, rd.r.OrderID).Scan(recorded).Error
	if err != nil {
		return fmt.Errorf("look for sale %s: %w", rd.r.OrderID, err)
	}
	for i := range *recorded {
		l, err := rd.s.cancellations.Hold(rd.Tx, (*recorded)[i].ID)
		if err != nil {
			return err
		}
		(*recorded)[i] = l.Sale()
	}
	return nil
}

// postedAgain compares a sale with the recorded sales of its order. They are one
// charge, even when another merchant id was reported. Of several rows, which only
// older data has, the one with the post's merchant id is used.
func (rd *reading) postedAgain(ctx context.Context, sale *models.Sale, recorded []models.Sale) (conclusion, error) {
	known := &recorded[0]
	for i := range recorded {
		if recorded[i].MerchantID == sale.MerchantID {
			known = &recorded[i]
		}
	}
	switch {
	case rd.r.MerchantID != "" && known.MerchantID != sale.MerchantID:
		return conclusion{status: models.ResultConflict, note: string(models.ConflictMerchantDiffers), saleID: known.ID}, nil
	case known.Amount != sale.Amount:
		corrected, err := rd.correct(ctx, known.ID, sale)
		if err != nil || corrected == nil {
			return conclusion{status: models.ResultConflict, note: string(models.ConflictAmountDiffers), saleID: known.ID}, err
		}
		return *corrected, nil
	}
	// What the terminal says of the card completes what others said of the sale.
	err := intake.Complete(ctx, rd.Tx, rd.now, []intake.Told{{SaleID: known.ID, Sale: sale, Actor: rd.actor, Trail: true}})
	return conclusion{status: models.ResultDuplicate, note: "sale", saleID: known.ID}, err
}

// assignmentAt finds the terminal's assignment at an instant.
func assignmentAt(t database.Tx, terminalID int64, at time.Time) (*models.Assignment, error) {
	var a models.Assignment
	err := database.TakeRow(t.Where("terminal_id = ? AND valid_from <= ? AND (valid_to IS NULL OR valid_to > ?)", terminalID, at, at), &a)
	return &a, err
}
