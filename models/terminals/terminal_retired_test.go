package terminals_test

import (
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
)

// TestNothingIsSentToARetiredTerminal: the cancellation was requested while the
// terminal was in use, and is due after its retirement.
func TestNothingIsSentToARetiredTerminal(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(5000)
	c := o.Request(sale)
	if err := o.Terminals.RetireTerminal(t.Context(), o.Admin, o.Terminal.ID, 1); err != nil {
		t.Fatalf("RetireTerminal() = %v", err)
	}
	if wait := o.Dispatch(c.ID); wait != 0 || len(o.API.Orders()) != 0 {
		t.Errorf("Dispatch() waits %s, %d orders left; want neither", wait, len(o.API.Orders()))
	}
	if got := o.Cancellation(c.ID); got.State != models.Withdrawn || got.Detail != models.DetailTerminalRetired || got.Attempts != 0 {
		t.Errorf("case is %s (%s) after %d attempts, want withdrawn (terminalRetired) after none", got.State, got.Detail, got.Attempts)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE cancellation_id = $1 AND action = 'cancellation.moved'
		AND after->>'state' = 'withdrawn' AND after->>'detail' = 'terminalRetired'`, c.ID); n != 1 {
		t.Errorf("%d entries of the withdrawal, want 1", n)
	}
	if err := o.Terminals.RestoreTerminal(t.Context(), o.Admin, o.Terminal.ID, 2); err != nil {
		t.Fatalf("RestoreTerminal() = %v", err)
	}
	again := o.Request(o.FindSale(sale.OrderID)) // it may be requested again
	o.Dispatch(again.ID)
	if got := o.Cancellation(again.ID).State; got != models.Accepted {
		t.Errorf("once the terminal is back, the case is %s, want accepted", got)
	}
	o.CheckInvariants(t)
}

// TestARetirementAndADispatchAtOnce: one comes first, and the other takes it into
// account.
func TestARetirementAndADispatchAtOnce(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for range 5 {
		o := office.Branch(t)
		c := o.Request(o.Sale(5000))
		modelstest.AtOnce(2, func(i int) {
			if i == 0 {
				o.Dispatch(c.ID)
			} else if err := o.Terminals.RetireTerminal(t.Context(), o.Admin, o.Terminal.ID, 1); err != nil {
				t.Errorf("RetireTerminal() = %v", err)
			}
		})
		got, orders := o.Cancellation(c.ID), len(o.API.Orders())
		if (got.State == models.Withdrawn) != (orders == 0) || got.State != models.Withdrawn && got.State != models.Accepted {
			t.Errorf("case is %s after %d orders", got.State, orders)
		}
	}
}

// TestTheServiceNoLongerKnowsTheTerminal: an inquiry shows it too.
func TestTheServiceNoLongerKnowsTheTerminal(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.StateOf(models.Unknown)
	o.Clock.Advance(time.Minute)
	o.Inquiries.Then(modelstest.NoTerminal)
	if _, err := o.Cancellations.Inquire(t.Context(), c.ID, 1); err != nil {
		t.Fatalf("Inquire() = %v", err)
	}
	if place, _ := history(t, o); place.LastAnswer != models.DetailTerminalNotFound || !place.LastAnswerAt.Equal(o.Clock.Now()) {
		t.Errorf("the last answer is %q at %s, want terminalNotFound now", place.LastAnswer, place.LastAnswerAt)
	}
}
