package cancellations

import (
	"fmt"

	"veinte/models"
	"veinte/models/audit"
)

// OtherDay refuses a request because the ticket has another date. It is an ErrOtherDay.
type OtherDay struct{ Date models.Day }

func (e *OtherDay) Error() string {
	return fmt.Sprintf("%v: the ticket says %s", models.ErrOtherDay, e.Date)
}

// Unwrap lets errors.As find the *models.Error.
func (e *OtherDay) Unwrap() error { return models.ErrOtherDay }

// asPosted returns the sale as if nobody had said its day yet.
func asPosted(sale *models.Sale) *models.Sale {
	posted := *sale
	posted.TicketDate = nil
	return &posted
}

// confirmDay compares the date on the ticket with the day of the sale, under its lock.
// A sale whose day is not proven needs one, and keeps it.
func (l *Held) confirmDay(actor models.Actor, r CancelRequest) error {
	asks := l.sale.AsksTicketDate(actor)
	switch {
	case r.TicketDate == "" && asks:
		return models.ErrDayNotProven
	case r.TicketDate == "":
		return nil
	case r.TicketDate > l.sale.BusinessDay:
		return models.Invalid("ticketDate", "ticketDate.ahead")
	case r.TicketDate != l.sale.BusinessDay:
		return &OtherDay{r.TicketDate}
	case !asks:
		return nil
	}
	return l.keepTicketDate(r.TicketDate)
}

func (l *Held) keepTicketDate(date models.Day) error {
	l.sale.TicketDate = &date
	if err := l.tx.Model(&l.sale).Select("ticket_date").Updates(&l.sale).Error; err != nil {
		return fmt.Errorf("keep ticket date of sale %d: %w", l.sale.ID, err)
	}
	return nil
}

// refuseOtherDay records the refusal, and keeps the date that was stated where the day was
// not proven. The same date of the same sale, stated again by the same person, is counted;
// a date that has no entry is not kept.
func (l *Held) refuseOtherDay(actor models.Actor, r CancelRequest, other *OtherDay) (*audit.Counted, error) {
	after := map[string]any{"saleId": l.sale.ID, "ticketDate": other.Date}
	r.Together.AddAttributes(after)
	about := audit.About{Reason: models.ErrOtherDay.Code, After: after, Store: &l.store, Sale: &l.sale, CancellationID: l.c.ID}
	kind := fmt.Sprint(models.ErrOtherDay.Code, " ", l.sale.ID, " ", other.Date)
	counted, err := l.s.config.Audit.Counted(actor, models.ActionCancelRefused, models.OutcomeFailure, about, kind)
	if err != nil {
		return nil, err
	}
	if counted.First() && l.sale.DayUnproven {
		if err := l.keepTicketDate(other.Date); err != nil {
			return counted, err
		}
	}
	return counted, counted.Record(l.tx)
}
