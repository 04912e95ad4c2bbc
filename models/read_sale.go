package models

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm/clause"
)

// readSale turns an approved sale into a row of today's list.
func (rd *reading) readSale(context.Context) (conclusion, error) {
	r := rd.r
	if !r.Approved() {
		return conclusion{status: ResultIgnored, note: "declinedSale"}, nil
	}
	if r.OrderID == "" || len(r.OrderID) > 80 || r.Amount == nil || *r.Amount <= 0 || *r.Amount > mostMoney {
		return conclusion{status: ResultUnmatched, note: "incompleteSale"}, nil
	}
	var terminal Terminal
	// Held, as the sale's foreign key would: while we look, nobody moves it.
	err := take(rd.Clauses(clause.Locking{Strength: "KEY SHARE"}).Where("serial_number = ?", r.SerialNumber), &terminal)
	if err == ErrNotFound {
		return conclusion{status: ResultUnmatched, note: "unknownTerminal"}, nil
	}
	if err != nil {
		return conclusion{}, err
	}
	soldAt := saleTime(r.OrderID, r.SerialNumber, r.ReceivedAt, rd.Window().Calendar)
	// An order number has no fraction of a second: within the second of a move
	// the sale is taken for one made after it.
	until := soldAt.Add(time.Second - time.Microsecond)
	if until.After(r.ReceivedAt) {
		until = r.ReceivedAt
	}
	place, err := rd.assignmentAt(terminal.ID, until)
	if err == ErrNotFound {
		return conclusion{status: ResultUnmatched, note: "noStore"}, nil
	}
	if err != nil {
		return conclusion{}, err
	}
	return rd.keepSale(rd.saleFrom(&terminal, place, soldAt))
}

// mostMoney is more than any card pays at once, ten thousand million pesos. Past
// it the sums of a day would no longer fit, and the post could never be read.
const mostMoney Money = 1e12

func (rd *reading) saleFrom(t *Terminal, place *Assignment, soldAt time.Time) Sale {
	merchant := rd.r.MerchantID
	if merchant == "" {
		merchant = place.MerchantID
	}
	calendar := rd.Window().Calendar
	return Sale{
		StoreID: place.StoreID, TerminalID: t.ID, SerialNumber: t.SerialNumber, MerchantID: merchant,
		OrderID: rd.r.OrderID, Amount: *rd.r.Amount, Currency: Currency,
		SoldAt: soldAt, ReceivedAt: rd.r.ReceivedAt, BusinessDay: calendar.Day(soldAt), CutoffAt: calendar.Cutoff(soldAt),
		Last4: rd.r.Last4, CardBrand: clip(rd.r.CardBrand, 20), AuthCode: clip(rd.r.AuthCode, 20), Folio: clip(rd.r.Folio, 80),
		State: SaleCancelable, Source: SourceTerminal,
	}
}

// keepSale inserts the sale unless it is there already: terminals post again
// what was not answered in time, and other doors may have told it. Nobody else
// tells of the same order until the transaction ends.
func (rd *reading) keepSale(sale Sale) (conclusion, error) {
	told, err := rd.ofOrder(&sale)
	if err != nil {
		return conclusion{}, err
	}
	if len(told) == 0 {
		done := rd.Clauses(clause.OnConflict{DoNothing: true}).Create(&sale)
		if done.Error != nil {
			return conclusion{}, fmt.Errorf("insert sale %s: %w", sale.OrderID, done.Error)
		}
		if done.RowsAffected == 1 {
			rd.fresh = &sale
			return conclusion{status: ResultApplied, note: "sale", saleID: sale.ID}, nil
		}
		// A large call or an import, which hold no orders, was faster.
		if told, err = rd.ofOrder(&sale); err != nil {
			return conclusion{}, err
		}
	}
	if len(told) == 0 {
		return conclusion{}, fmt.Errorf("sale %s is neither new nor known", sale.OrderID)
	}
	return rd.postedAgain(&sale, told)
}

// ofOrder reads what was told of the sale's order, and holds the order.
func (rd *reading) ofOrder(sale *Sale) (told []Sale, err error) {
	err = rd.Raw("SELECT * FROM sales_of_order(?, ?)", sale.SerialNumber, sale.OrderID).Scan(&told).Error
	if err != nil {
		return nil, fmt.Errorf("look for sale %s: %w", sale.OrderID, err)
	}
	return told, nil
}

// postedAgain compares a sale with what was told of its order: one charge, also
// when it was told under another merchant id. Of several rows, which only older
// data holds, that of the post's merchant speaks.
func (rd *reading) postedAgain(sale *Sale, told []Sale) (conclusion, error) {
	known := &told[0]
	for i := range told {
		if told[i].MerchantID == sale.MerchantID {
			known = &told[i]
		}
	}
	switch {
	case rd.r.MerchantID != "" && known.MerchantID != sale.MerchantID:
		return conclusion{status: ResultConflict, note: string(ConflictMerchantDiffers), saleID: known.ID}, nil
	case known.Amount != sale.Amount:
		corrected, err := rd.correct(known.ID, sale)
		if err != nil || corrected == nil {
			return conclusion{status: ResultConflict, note: string(ConflictAmountDiffers), saleID: known.ID}, err
		}
		return *corrected, nil
	}
	return conclusion{status: ResultDuplicate, note: "sale", saleID: known.ID}, nil
}

// assignmentAt finds where the terminal stood at an instant.
func (t tx) assignmentAt(terminalID int64, at time.Time) (*Assignment, error) {
	var a Assignment
	err := take(t.Where("terminal_id = ? AND valid_from <= ? AND (valid_to IS NULL OR valid_to > ?)", terminalID, at, at), &a)
	return &a, err
}

// A sale's own time, read from its order number, is believed only within these
// bounds around the time of receipt.
const (
	saleTimeAhead  = 10 * time.Minute   // clocks differ a little
	saleTimeBehind = 7 * 24 * time.Hour // a terminal without network posts late
)

// saleTime returns when the sale was made. Order numbers of terminals carry
// YYMMDDhhmmss-<serial> in Mexico City's time; where that agrees with the
// terminal and with the time of receipt it is the sale's own time. Otherwise
// the time of receipt is all that is known: dates in results come in odd forms.
func saleTime(orderID, serial string, received time.Time, calendar Calendar) time.Time {
	stamp, of, ok := strings.Cut(orderID, "-")
	if !ok || len(stamp) != 12 || !strings.HasPrefix(of, serial) {
		return received
	}
	at, err := time.ParseInLocation("060102150405", stamp, calendar.Zone())
	if err != nil || at.After(received.Add(saleTimeAhead)) || at.Before(received.Add(-saleTimeBehind)) {
		return received
	}
	if at.After(received) {
		return received
	}
	return at
}
