package api_test

import (
	"testing"

	"veinte/handlers/api/shapes"
	"veinte/models"
)

// TestCancelADayNotProven: a program states the date on the ticket, as a person does.
func TestCancelADayNotProven(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	sale := d.UnprovenSale(125000)
	if got := into[shapes.Sale](p.get("/api/v1/sales/" + sale.OrderID).want(200)); got.DayProven || got.TicketDate != "" {
		t.Errorf("the sale = %+v, want its day not proven", got)
	}
	p.post(cancelPath(sale), wish).problem(409, "day-not-proven")
	for body, want := range map[string]string{
		`{"reason":"chargedTwice","ticketDate":"20-11-2026"}`: "body.ticketDate:date.invalid",
		`{"reason":"chargedTwice","ticketDate":"2026-11-21"}`: "body.ticketDate:ticketDate.ahead",
		`{"reason":"chargedTwice","ticketDate":20261120}`:     "body.ticketDate:api.field.notText",
	} {
		if got := p.post(cancelPath(sale), body).problem(422, "validation"); places(got.Errors) != want {
			t.Errorf("%s: %s, want %s", body, places(got.Errors), want)
		}
	}
	if n := d.count(`SELECT count(*) FROM cancellations`); n != 0 {
		t.Errorf("%d cancellations, want none", n)
	}
	asked := into[shapes.Cancellation](p.post(cancelPath(sale), `{"reason":"chargedTwice","ticketDate":"2026-11-20"}`).want(202))
	if asked.State != string(models.Requested) {
		t.Errorf("the cancellation = %+v, want it requested", asked)
	}
	if got := into[shapes.Sale](p.get("/api/v1/sales/" + sale.OrderID).want(200)); !got.DayProven || got.TicketDate != "2026-11-20" {
		t.Errorf("the sale = %+v, want its day confirmed", got)
	}
	other := d.UnprovenSale(9900)
	p.post(cancelPath(other), `{"reason":"chargedTwice","ticketDate":"2026-11-19"}`).problem(409, "window-closed")
	got := into[shapes.Sale](p.get("/api/v1/sales/" + other.OrderID).want(200))
	if got.Cancelable || got.State != "tooLate" || got.TicketDate != "2026-11-19" {
		t.Errorf("the sale = %+v, want it too late by its ticket", got)
	}
	// Without a date nothing is asked of a sale that proves its day.
	p.post(cancelPath(d.Sale(100)), wish).want(202)
}
