package cancellations_test

import (
	"errors"
	"testing"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
)

// mistyped is a sale that a program reported with one amount, and whose terminal
// then posted another: the amount that a person saw before is no longer its own.
func mistyped(t *testing.T, o *modelstest.Office, order string, amount models.Money) (before, now models.Sale) {
	t.Helper()
	in := modelstest.GivenSale(o, order)
	in.Amount = "125.00"
	id := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, in)[0].SaleID
	before = o.SaleDetail(id).Sale
	p := o.SalePost(o.Terminal.SerialNumber, amount)
	p.OrderID = order
	p.OwnAddress = true // nobody else may correct it
	if r := o.Post(p); r.Note != "corrected" {
		t.Fatalf("the terminal's post of order %s is %s (%s), want a correction", order, r.Status, r.Note)
	}
	return before, o.SaleDetail(id).Sale
}

func TestAPressCountsForTheAmountThatWasSeen(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	before, now := mistyped(t, o, "ORDER-1", 125000)
	r := o.CancelRequest(&now)
	r.Seen = &before.Amount
	_, err := o.Cancellations.Request(t.Context(), o.Manager, r)
	var changed *cancellations.AmountChanged
	if !errors.Is(err, models.ErrAmountChanged) || !errors.As(err, &changed) || changed.Seen != 12500 || changed.Now != 125000 {
		t.Errorf("Request() of a sale seen as %d that is %d now = %v, want a refusal with both", before.Amount, now.Amount, err)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM cancellations`); n != 0 {
		t.Errorf("%d cancellations, want none", n)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'cancellation.refused' AND sale_id = $1
		AND reason = 'error.amountChanged' AND amount = 125000 AND after->>'seenAmount' = '12500'`, now.ID); n != 1 {
		t.Errorf("entries of the refusal with both amounts = %d, want 1", n)
	}
	if got := o.Queue.Take(t); len(modelstest.Tasks(got, models.TaskDispatch, 0)) != 0 {
		t.Errorf("the refused press enqueued %+v", got)
	}
	r.Seen = &now.Amount
	if _, err := o.Cancellations.Request(t.Context(), o.Manager, r); err != nil {
		t.Errorf("Request() with the amount of now and the same click = %v", err)
	}
	// Pressed twice: the second press of the same click is the same cancellation,
	// whatever it had seen.
	r.Seen = &before.Amount
	if _, err := o.Cancellations.Request(t.Context(), o.Manager, r); err != nil {
		t.Errorf("Request() with that click once more = %v, want the same cancellation", err)
	}
	o.CheckInvariants(t)
}

// TestAFormOfBeforeDoesNotSayWhatWasSeen: a page that was open while the server was
// upgraded sends no amount.
func TestAFormOfBeforeDoesNotSayWhatWasSeen(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, corrected := mistyped(t, o, "ORDER-1", 125000)
	r := o.CancelRequest(&corrected)
	r.FromPage = true
	if _, err := o.Cancellations.Request(t.Context(), o.Manager, r); !errors.Is(err, models.ErrAmountChanged) {
		t.Errorf("Request() without an amount of a sale that was corrected = %v, want %v", err, models.ErrAmountChanged)
	}
	r.FromPage = false // a program, which need not name an amount
	if _, err := o.Cancellations.Request(t.Context(), o.Manager, r); err != nil {
		t.Errorf("Request() of a program without an amount = %v", err)
	}
	r = o.CancelRequest(o.Sale(9900)) // only ever had one amount
	r.FromPage = true
	if _, err := o.Cancellations.Request(t.Context(), o.Manager, r); err != nil {
		t.Errorf("Request() without an amount of a sale that only ever had one = %v", err)
	}
	o.CheckInvariants(t)
}
