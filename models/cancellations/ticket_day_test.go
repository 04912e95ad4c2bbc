package cancellations_test

import (
	"errors"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
)

// TestADayNotProvenIsAskedFor: the sale is sent only after somebody read the date on
// its ticket.
func TestADayNotProvenIsAskedFor(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.UnprovenSale(125000)
	r := o.CancelRequest(sale)
	for date, want := range map[models.Day]error{
		"": models.ErrDayNotProven, "2026-11-21": models.Invalid("ticketDate", "ticketDate.ahead"),
		"2026-11-31": models.Invalid("ticketDate", "date.invalid"), "hoy": models.Invalid("ticketDate", "date.invalid"),
	} {
		r.TicketDate = date
		if _, err := o.Cancellations.Request(t.Context(), o.Manager, r); !errors.Is(err, want) {
			t.Errorf("Request() with the date %q = %v, want %v", date, err, want)
		}
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM cancellations`); n != 0 {
		t.Errorf("%d cancellations, want none", n)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'cancellation.refused' AND sale_id = $1
		AND reason = 'error.dayNotProven'`, sale.ID); n != 1 {
		t.Errorf("entries of the refusal = %d, want 1", n)
	}
	r.TicketDate = "2026-11-20"
	c, err := o.Cancellations.Request(t.Context(), o.Manager, r)
	if err != nil {
		t.Fatalf("Request() with today's date = %v", err)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'cancellation.requested' AND sale_id = $1
		AND actor_id = $2 AND after->>'ticketDate' = '2026-11-20'`, sale.ID, o.Manager.UserID); n != 1 {
		t.Errorf("entries with the date = %d, want 1", n)
	}
	if got := o.SaleDetail(sale.ID).Sale; got.DayNotProven() || got.OfAnotherDay() {
		t.Errorf("the sale = %+v, want its day confirmed", got)
	}
	if _, err := o.Cancellations.Dispatch(t.Context(), c.ID); err != nil || len(o.API.Orders()) != 1 {
		t.Errorf("Dispatch() = %v, %d orders sent, want 1", err, len(o.API.Orders()))
	}
	o.CheckInvariants(t)
}

// TestATicketOfAnotherDay: its cut-off has passed, and a supervisor alone may say that
// the date was mistyped.
func TestATicketOfAnotherDay(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.UnprovenSale(125000)
	r := o.CancelRequest(sale)
	r.TicketDate = "2026-11-19"
	_, err := o.Cancellations.Request(t.Context(), o.Manager, r)
	var other *cancellations.OtherDay
	if !errors.Is(err, models.ErrOtherDay) || !errors.As(err, &other) || other.Date != "2026-11-19" {
		t.Errorf("Request() with yesterday's date = %v, want a refusal that names it", err)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'cancellation.refused' AND sale_id = $1
		AND reason = 'error.otherDay' AND after->>'ticketDate' = '2026-11-19'`, sale.ID); n != 1 {
		t.Errorf("entries of the refusal with the date = %d, want 1", n)
	}
	got := o.SaleDetail(sale.ID)
	now, w := o.Clock.Now(), o.Rules.Window()
	if !got.Sale.OfAnotherDay() || w.Open(&got.Sale, now) || got.Sale.Shown(w, now) != models.SaleTooLate {
		t.Errorf("the sale = %+v, want it too late by its own day", got.Sale)
	}
	r.TicketDate = "2026-11-20"
	if _, err := o.Cancellations.Request(t.Context(), o.Manager, r); !errors.Is(err, models.ErrOtherDay) {
		t.Errorf("Request() with another date now = %v, want %v", err, models.ErrOtherDay)
	}
	if err := requestable(t, o, &got.Sale, &got.Terminal); !errors.Is(err, models.ErrOtherDay) {
		t.Errorf("Requestable() = %v, want %v", err, models.ErrOtherDay)
	}
	r.TicketDate = ""
	if _, err := o.Cancellations.Request(t.Context(), o.Supervisor, r); !errors.Is(err, models.ErrDayNotProven) {
		t.Errorf("Request() of a supervisor without a date = %v, want %v", err, models.ErrDayNotProven)
	}
	r.TicketDate = "2026-11-20"
	if _, err := o.Cancellations.Request(t.Context(), o.Supervisor, r); err != nil {
		t.Errorf("Request() of a supervisor with the right date = %v", err)
	}
	o.CheckInvariants(t)
}

// TestADateOfAProvenSale: who states one is held to it, and nothing is kept.
func TestADateOfAProvenSale(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(125000)
	r := o.CancelRequest(sale)
	r.TicketDate = "2026-11-19"
	if _, err := o.Cancellations.Request(t.Context(), o.Manager, r); !errors.Is(err, models.ErrOtherDay) {
		t.Errorf("Request() with another date = %v, want %v", err, models.ErrOtherDay)
	}
	r.TicketDate = "2026-11-20"
	if _, err := o.Cancellations.Request(t.Context(), o.Manager, r); err != nil {
		t.Errorf("Request() with the date of the sale = %v", err)
	}
	if got := o.SaleDetail(sale.ID).Sale; got.TicketDate != nil {
		t.Errorf("the date %s is kept of a sale that proves its own", *got.TicketDate)
	}
	o.CheckInvariants(t)
}

// TestDaysStatedAgainAreCounted: a date that is stated again by the same person costs the
// trail no entry. Each date that was stated is in it, and none is kept that is not.
func TestDaysStatedAgainAreCounted(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.UnprovenSale(125000)
	r := o.CancelRequest(sale)
	for range 20 {
		for _, r.TicketDate = range []models.Day{"2026-11-19", "2026-11-18"} {
			if _, err := o.Cancellations.Request(t.Context(), o.Supervisor, r); !errors.Is(err, models.ErrOtherDay) {
				t.Fatalf("Request() with %s = %v, want %v", r.TicketDate, err, models.ErrOtherDay)
			}
		}
	}
	const refused = `SELECT count(*) FROM audit_entries WHERE action = 'cancellation.refused' AND reason = 'error.otherDay'`
	if n := modelstest.Count(t, o.Owner, refused+` AND sale_id = $1`, sale.ID); n != 2 {
		t.Errorf("entries of forty refusals with two dates = %d, want 2", n)
	}
	kept := o.SaleDetail(sale.ID).Sale.TicketDate
	if kept == nil || modelstest.Count(t, o.Owner, refused+` AND after->>'ticketDate' = $1`, string(*kept)) != 1 {
		t.Errorf("kept the date %v, want one that is in the trail", kept)
	}
	for day := 1; day <= 400; day++ {
		r.TicketDate = models.Day(time.Date(2026, 11, 18-day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
		if _, err := o.Cancellations.Request(t.Context(), o.Supervisor, r); !errors.Is(err, models.ErrOtherDay) {
			t.Fatalf("Request() with %s = %v, want %v", r.TicketDate, err, models.ErrOtherDay)
		}
	}
	if n := modelstest.Count(t, o.Owner, refused); n > 62 {
		t.Errorf("entries of 400 dates = %d, want some 60 at most", n)
	}
	kept = o.SaleDetail(sale.ID).Sale.TicketDate
	if kept == nil || modelstest.Count(t, o.Owner, refused+` AND after->>'ticketDate' = $1`, string(*kept)) != 1 {
		t.Errorf("kept the date %v, want one that is in the trail", kept)
	}
	if err := o.Audit.FlushRefusals(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	told := refused + ` AND after ? 'more'`
	if n := modelstest.Count(t, o.Owner, refused+` AND NOT after ? 'more'`) +
		modelstest.Count(t, o.Owner, `SELECT coalesce(sum((after->>'more')::int), 0) FROM audit_entries WHERE after ? 'more'`); n != 440 {
		t.Errorf("the trail tells of %d refusals in %d counts, want all 440", n, modelstest.Count(t, o.Owner, told))
	}
	o.CheckInvariants(t)
}
