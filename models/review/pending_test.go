package review_test

import (
	"errors"
	"testing"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/review"
)

// TestPending lists the sales whose cancellation was requested and is not confirmed,
// and no others.
func TestPending(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	want := map[string]review.PendingWhy{}
	for _, s := range []models.State{
		models.Withdrawn, models.Sending, models.Rejected, models.Unknown, models.Confirmed, models.NotCanceled, models.Accepted,
		models.Requested,
	} {
		o.Terminal = o.NewTerminal(o.Store)
		sale, _ := o.StateOf(s)
		if why := map[models.State]review.PendingWhy{
			models.Sending: review.PendingUnderWay, models.Accepted: review.PendingUnderWay,
			models.Rejected: review.PendingRejected,
			models.Unknown:  review.PendingDoubt, models.NotCanceled: review.PendingCharged,
			models.Requested: review.PendingUnderWay,
		}[s]; why != "" {
			want[sale.OrderID] = why
		}
	}
	o.Terminal = o.NewTerminal(o.Store)
	never, c := o.StateOf(models.Withdrawn)
	if _, err := o.Owner.Exec(`UPDATE cancellations SET detail = 'terminalRetired' WHERE id = $1`, c.ID); err != nil {
		t.Fatal(err)
	}
	want[never.OrderID] = review.PendingNotSent
	charged, late := o.Sale(100), o.Sale(30000)
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
	o.SaleAt(o.NewTerminal(other), 7700)
	o.Clock.Set(modelstest.At(t, "2026-11-20T20:01:00-06:00"))
	if _, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(late)); !errors.Is(err, models.ErrTooLate) {
		t.Fatalf("Request() after the cut-off = %v, want ErrTooLate", err)
	}
	want[late.OrderID] = review.PendingTooLate

	for name, actor := range map[string]models.Actor{"the manager of the store": o.Manager, "a supervisor": o.Supervisor} {
		got, err := o.Review.Pending(t.Context(), actor, "2026-11-20", o.Store.ID)
		if err != nil {
			t.Fatalf("Pending() by %s = %v", name, err)
		}
		found, sums := map[string]review.PendingWhy{}, map[review.PendingWhy]models.Sum{}
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
		if len(found) != len(want) || found[charged.OrderID] != "" {
			t.Errorf("%s: %d sales are pending, want %d: %v", name, len(found), len(want), found)
		}
		for why, sum := range sums {
			if got.Sums[why] != sum {
				t.Errorf("%s: the sum of %s = %+v, want %+v", name, why, got.Sums[why], sum)
			}
		}
	}
	if _, err := o.Review.Pending(t.Context(), o.Manager, "2026-11-20", other.ID); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("Pending() of another store = %v, want ErrNotFound", err)
	}
	if got, err := o.Review.Pending(t.Context(), o.Manager, "2026-11-19", 0); err != nil || len(got.Sales) != 0 {
		t.Errorf("Pending() of the day before = %+v, %v; want nothing", got, err)
	}
}

// TestPendingIsOfItsStoresAndItsWeek: the pending sales of other stores are not
// listed; a late request is listed for a week, and other refusals never.
func TestPendingIsOfItsStoresAndItsWeek(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	b := o.Branch(t)
	b.StateOf(models.Unknown)
	pending := func(actor models.Actor, storeID int64) (orders []string) {
		t.Helper()
		got, err := o.Review.Pending(t.Context(), actor, modelstest.SalesToday, storeID)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range got.Sales {
			orders = append(orders, p.OrderID)
		}
		return orders
	}
	for name, got := range map[string][]string{
		"of the manager's stores": pending(o.Manager, 0), "of their store": pending(o.Manager, o.Store.ID),
		"of that store for a supervisor": pending(o.Supervisor, o.Store.ID),
	} {
		if len(got) != 0 {
			t.Errorf("pending %s = %v, want nothing of another store", name, got)
		}
	}
	modelstest.Wants(t, "pending of all stores", len(pending(o.Supervisor, 0)), 1)

	stopped, nextDay, lastDay, tooOld := o.Sale(100), o.Sale(200), o.Sale(300), o.Sale(400)
	refused := func(sale *models.Sale, at string, want error) {
		t.Helper()
		if at != "" {
			o.Clock.Set(modelstest.At(t, at))
		}
		if _, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(sale)); !errors.Is(err, want) {
			t.Fatalf("Request() at %s = %v, want %v", at, err, want)
		}
	}
	if err := o.Cancellations.Pause(t.Context(), o.Admin, "mantenimiento"); err != nil {
		t.Fatal(err)
	}
	refused(stopped, "", cancellations.ErrPaused)
	if err := o.Cancellations.Resume(t.Context(), o.Admin, int64(modelstest.Count(t, o.Owner, `SELECT max(id) FROM pauses`))); err != nil {
		t.Fatal(err)
	}
	refused(nextDay, "2026-11-21T09:00:00-06:00", models.ErrTooLate)
	refused(lastDay, "2026-11-26T23:59:59-06:00", models.ErrTooLate)
	refused(tooOld, "2026-11-27T00:00:00-06:00", models.ErrTooLate)
	modelstest.Equal(t, "pending by refusals", pending(o.Manager, 0), []string{lastDay.OrderID, nextDay.OrderID})
}

// TestTheMostThatIsPending: the list ends at the limit, and More is set only when
// there are others.
func TestTheMostThatIsPending(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, c := o.StateOf(models.Rejected)
	more := func(from, to int) (listed int, others bool) {
		t.Helper()
		modelstest.Exec(t, o.Owner, `INSERT INTO sales OVERRIDING SYSTEM VALUE
			SELECT (jsonb_populate_record(s, jsonb_build_object('id', 1000 + i, 'order_id', 'P' || i))).*
			FROM sales s, generate_series($2::int, $3) i WHERE s.id = $1`, sale.ID, from, to)
		modelstest.Exec(t, o.Owner, `INSERT INTO cancellations OVERRIDING SYSTEM VALUE
			SELECT (jsonb_populate_record(c, jsonb_build_object('id', 1000 + i, 'sale_id', 1000 + i, 'click', 'P' || i))).*
			FROM cancellations c, generate_series($2::int, $3) i WHERE c.id = $1`, c.ID, from, to)
		got, err := o.Review.Pending(t.Context(), o.Manager, modelstest.SalesToday, 0)
		if err != nil {
			t.Fatal(err)
		}
		modelstest.Wants(t, "the sum of what is listed", got.Sums[review.PendingRejected].Count, len(got.Sales))
		return len(got.Sales), got.More
	}
	if n, others := more(2, 300); n != 300 || others {
		t.Errorf("of 300, %d are listed, others: %t; want all", n, others)
	}
	if n, others := more(301, 301); n != 300 || !others {
		t.Errorf("of 301, %d are listed, others: %t; want 300 and others", n, others)
	}
}
