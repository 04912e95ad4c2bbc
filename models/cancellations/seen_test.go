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

// TestNothingOfABulkIsRequestedHalfSeen: the sum that was confirmed no longer is what
// would be canceled.
func TestNothingOfABulkIsRequestedHalfSeen(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	before, now := mistyped(t, o, "ORDER-1", 125000)
	same, other := o.Sale(100), o.SaleAt(o.NewTerminal(o.Store), 200)
	r := bulkOf(o, same, &before, other)
	reached, err := o.Cancellations.RequestBulk(t.Context(), o.Supervisor, r)
	if reached != 0 || !errors.Is(err, models.ErrAmountChanged) {
		t.Errorf("RequestBulk() with an amount that changed = %d, %v, want nothing and %v", reached, err, models.ErrAmountChanged)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM cancellations`); n != 0 {
		t.Errorf("%d cancellations, want none: nothing is sent half-seen", n)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'cancellation.refused' AND sale_id = $1
		AND reason = 'error.amountChanged' AND after->>'together' = $2 AND after->>'seenAmount' = '12500'`, now.ID, r.Click); n != 1 {
		t.Errorf("entries of the refusal = %d, want 1", n)
	}
	again := bulkOf(o, same, &now, other)
	if reached, err := o.Cancellations.RequestBulk(t.Context(), o.Supervisor, again); reached != 3 || err != nil {
		t.Fatalf("RequestBulk() with the amounts of now = %d, %v, want 3, nil", reached, err)
	}
	if got, want := came(t, o.Cancellations, o.Supervisor, again), "requested 0, requested 1, requested 0"; got != want {
		t.Errorf("what came of it = %s, want %s", got, want)
	}
	o.CheckInvariants(t)
}

// TestABulkThatHasBegunIsFinished: what a press did ask for is not shown again as if
// it had not been.
func TestABulkThatHasBegunIsFinished(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	before, _ := mistyped(t, o, "ORDER-1", 125000)
	first, last := o.Sale(100), o.Sale(300)
	all, begun := bulkOf(o, first, &before, last), bulkOf(o, first)
	begun.Click = all.Click // the server died after the first
	for _, r := range []cancellations.BulkRequest{begun, all} {
		if reached, err := o.Cancellations.RequestBulk(t.Context(), o.Supervisor, r); reached != len(r.Sales) || err != nil {
			t.Fatalf("RequestBulk() of %d = %d, %v, want all", len(r.Sales), reached, err)
		}
	}
	if got, want := came(t, o.Cancellations, o.Supervisor, all), "requested 0, error.amountChanged, requested 1"; got != want {
		t.Errorf("what came of it = %s, want %s", got, want)
	}
	rows, err := o.Cancellations.Bulk(t.Context(), o.Supervisor, all.Click, chosenIDs(all))
	if err != nil || rows[1].Seen == nil || *rows[1].Seen != 12500 || rows[0].Seen != nil {
		t.Errorf("the rows = %+v, %v, want the amount that was seen of the second", rows, err)
	}
	o.CheckInvariants(t)
}
