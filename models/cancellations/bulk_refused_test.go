package cancellations_test

import (
	"errors"
	"testing"

	"veinte/models"
	"veinte/models/bulk"
	"veinte/models/modelstest"
)

// TestNothingOfABulkIsRequestedHalfSeen: the sum that was confirmed no longer is what
// would be canceled.
func TestNothingOfABulkIsRequestedHalfSeen(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	before, now := mistyped(t, o, "ORDER-1", 125000)
	same, other := o.Sale(100), o.SaleAt(o.NewTerminal(o.Store), 200)
	r := bulkOf(o, same, &before, other)
	reached, err := o.Bulk.Request(t.Context(), o.Supervisor, r)
	if reached != 0 || !errors.Is(err, models.ErrAmountChanged) {
		t.Errorf("Request() with an amount that changed = %d, %v, want nothing and %v", reached, err, models.ErrAmountChanged)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM cancellations`); n != 0 {
		t.Errorf("%d cancellations, want none: nothing is sent half-seen", n)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'cancellation.refused' AND sale_id = $1
		AND reason = 'error.amountChanged' AND after->>'together' = $2 AND after->>'seenAmount' = '12500'`, now.ID, r.Click); n != 1 {
		t.Errorf("entries of the refusal = %d, want 1", n)
	}
	again := bulkOf(o, same, &now, other)
	if reached, err := o.Bulk.Request(t.Context(), o.Supervisor, again); reached != 3 || err != nil {
		t.Fatalf("Request() with the amounts of now = %d, %v, want 3, nil", reached, err)
	}
	if got, want := came(t, o.Bulk, o.Supervisor, again), "requested 0, requested 1, requested 0"; got != want {
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
	for _, r := range []bulk.Request{begun, all} {
		if reached, err := o.Bulk.Request(t.Context(), o.Supervisor, r); reached != len(r.Sales) || err != nil {
			t.Fatalf("Request() of %d = %d, %v, want all", len(r.Sales), reached, err)
		}
	}
	if got, want := came(t, o.Bulk, o.Supervisor, all), "requested 0, error.amountChanged, requested 1"; got != want {
		t.Errorf("what came of it = %s, want %s", got, want)
	}
	rows, err := o.Bulk.Outcomes(t.Context(), o.Supervisor, all.Click, chosenIDs(all))
	if err != nil || rows[1].Seen == nil || *rows[1].Seen != 12500 || rows[0].Seen != nil {
		t.Errorf("the rows = %+v, %v, want the amount that was seen of the second", rows, err)
	}
	o.CheckInvariants(t)
}

// TestBothOfOneChargeInOneBulk: one is requested, the other is refused and shown with it.
func TestBothOfOneChargeInOneBulk(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(9900)
	twin := elsewhere(t, o, sale)
	r := bulkOf(o, sale, twin)
	if n, err := o.Bulk.Request(t.Context(), o.Supervisor, r); n != 2 || err != nil {
		t.Fatalf("Request() = %d, %v, want 2, nil", n, err)
	}
	if got, want := came(t, o.Bulk, o.Supervisor, r), "requested 0, error.severalSales"; got != want {
		t.Errorf("what came of it = %s, want %s", got, want)
	}
	rows, err := o.Bulk.Outcomes(t.Context(), o.Supervisor, r.Click, chosenIDs(r))
	if err != nil || rows[1].Other == nil || rows[1].Other.ID != sale.ID {
		t.Errorf("Bulk() = %+v, %v, want the other sale named", rows, err)
	}
	o.CheckInvariants(t)
}

// TestABulkLeavesOutWhatHasNoDay: each of these is asked for alone, with its ticket.
func TestABulkLeavesOutWhatHasNoDay(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	free, unproven := o.Sale(100), o.UnprovenSale(200)
	r := bulkOf(o, free, unproven)
	rows, err := o.Bulk.Chosen(t.Context(), o.Supervisor, chosenIDs(r))
	if err != nil {
		t.Fatalf("Chosen() = %v", err)
	}
	for _, row := range rows {
		if want := map[int64]string{unproven.ID: "error.dayNotProven"}[row.SaleID]; row.Refusal != want {
			t.Errorf("Chosen() refuses sale %d: %q, want %q", row.SaleID, row.Refusal, want)
		}
	}
	if n, err := o.Bulk.Request(t.Context(), o.Supervisor, r); n != 2 || err != nil {
		t.Fatalf("Request() = %d, %v, want 2, nil", n, err)
	}
	if got, want := came(t, o.Bulk, o.Supervisor, r), "requested 0, error.dayNotProven"; got != want {
		t.Errorf("what came of it = %s, want %s", got, want)
	}
	o.CheckInvariants(t)
}
