package models_test

import (
	"errors"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

// TestPending lists what was wanted and is not known to be canceled, and nothing
// else.
func TestPending(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	want := map[string]models.PendingWhy{}
	for _, s := range []models.State{
		models.Withdrawn, models.Sending, models.Rejected, models.Unknown, models.Confirmed, models.NotCanceled, models.Accepted, models.Requested,
	} {
		o.Terminal = o.NewTerminal(o.Store)
		sale, _ := o.In(s)
		if why := map[models.State]models.PendingWhy{
			models.Sending: models.PendingUnderWay, models.Accepted: models.PendingUnderWay, models.Rejected: models.PendingRejected,
			models.Unknown: models.PendingDoubt, models.NotCanceled: models.PendingCharged, models.Requested: models.PendingUnderWay,
		}[s]; why != "" {
			want[sale.OrderID] = why
		}
	}
	o.Terminal = o.NewTerminal(o.Store)
	never, c := o.In(models.Withdrawn)
	if _, err := o.Owner.Exec(`UPDATE cancellations SET detail = 'terminalRetired' WHERE id = $1`, c.ID); err != nil {
		t.Fatal(err)
	}
	want[never.OrderID] = models.PendingNotSent
	kept, late := o.Sale(100), o.Sale(30000)
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
	o.SaleAt(o.NewTerminal(other), 7700)
	o.Clock.Set(modelstest.At(t, "2026-11-20T20:01:00-06:00"))
	if _, err := o.Cases.Request(t.Context(), o.Manager, o.CancelRequest(late)); !errors.Is(err, models.ErrTooLate) {
		t.Fatalf("Request() after the cut-off = %v, want ErrTooLate", err)
	}
	want[late.OrderID] = models.PendingTooLate

	for name, actor := range map[string]models.Actor{"the manager of the store": o.Manager, "a supervisor": o.Supervisor} {
		got, err := o.Cases.Pending(t.Context(), actor, "2026-11-20", o.Store.ID)
		if err != nil {
			t.Fatalf("Pending() by %s = %v", name, err)
		}
		found, sums := map[string]models.PendingWhy{}, map[models.PendingWhy]models.Sum{}
		for _, p := range got.Sales {
			found[p.OrderID] = p.Why
			sums[p.Why] = models.Sum{Count: sums[p.Why].Count + 1, Amount: sums[p.Why].Amount + p.Amount}
			if p.Since.IsZero() || p.Asker == "" {
				t.Errorf("%s: since %s, asked for by %q; want both", p.Why, p.Since, p.Asker)
			}
		}
		for order, why := range want {
			if found[order] != why {
				t.Errorf("%s: order %s is pending as %q, want %q", name, order, found[order], why)
			}
		}
		if len(found) != len(want) || found[kept.OrderID] != "" {
			t.Errorf("%s: %d sales are pending, want %d: %v", name, len(found), len(want), found)
		}
		for why, sum := range sums {
			if got.Sums[why] != sum {
				t.Errorf("%s: the sum of %s = %+v, want %+v", name, why, got.Sums[why], sum)
			}
		}
	}
	if _, err := o.Cases.Pending(t.Context(), o.Manager, "2026-11-20", other.ID); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("Pending() of another store = %v, want ErrNotFound", err)
	}
	if got, err := o.Cases.Pending(t.Context(), o.Manager, "2026-11-19", 0); err != nil || len(got.Sales) != 0 {
		t.Errorf("Pending() of the day before = %+v, %v; want nothing", got, err)
	}
}
