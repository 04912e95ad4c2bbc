package reconciliation_test

import (
	"context"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/reconciliation"
)

// Between the preview and the confirmation one item disappears and another is added:
// the number is the same, but the items are not those that the person saw.
func TestAsManyOthersAreNotConfirmed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first, _ := d.in(models.Unknown)
	second, c := d.in(models.Unknown)
	d.closeDay()
	rec := d.reconcile(reportLine(first, "Venta") + reportLine(second, "Venta"))
	items := d.kinds(rec)
	modelstest.Exec(t, d.Owner, `UPDATE report_items SET reviewed_at = now() WHERE id = $1`, items[second.OrderID].ID)
	seal := d.checksum(d.Supervisor, rec.ID)
	modelstest.Exec(t, d.Owner, `UPDATE report_items SET reviewed_at = CASE WHEN id = $1 THEN now() END`, items[first.OrderID].ID)
	_, err := d.Reconciliation.ApplyReconciliation(t.Context(), d.Supervisor, rec.ID, seal)
	if !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "report.changed"}) {
		t.Errorf("ApplyReconciliation() = %v, want report.changed", err)
	}
	if got := d.Cancellation(c.ID).State; got != models.Unknown {
		t.Errorf("a case that nobody was shown is %s, want unknown", got)
	}
}

// A later report comes during a confirmation of the earlier one: what is unresolved
// then is left to the later one.
func TestALaterReportComesWhileOneIsConfirmed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	sale, c := d.in(models.Unknown)
	d.closeDay()
	rec := d.reconcile(reportLine(sale, "Venta"))
	seal := d.checksum(d.Supervisor, rec.ID)
	hold, err := d.Owner.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Rollback()
	if _, err := hold.ExecContext(t.Context(), `SELECT FROM sales WHERE id = $1 FOR NO KEY UPDATE`, sale.ID); err != nil {
		t.Fatal(err)
	}
	type result struct {
		done *reconciliation.Applied
		err  error
	}
	results := make(chan result, 1)
	go func() {
		done, err := d.Reconciliation.ApplyReconciliation(context.Background(), d.Supervisor, rec.ID, seal)
		results <- result{done, err}
	}()
	modelstest.WaitFor(t, "the confirmation to wait for the sale", func() bool {
		return modelstest.Count(t, d.Owner, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
	})
	d.reconcile(reportLine(sale, "Venta") + reportLine(sale, "Cancelación"))
	if err := hold.Rollback(); err != nil {
		t.Fatal(err)
	}
	got := <-results
	if got.err != nil {
		t.Fatalf("ApplyReconciliation() = %v", got.err)
	}
	modelstest.Equal(t, "applied", *got.done, reconciliation.Applied{Changed: 1})
	if state := d.Cancellation(c.ID).State; state != models.Unknown {
		t.Errorf("the case is %s, want unknown: the later report says canceled", state)
	}
	d.CheckInvariants(t)
}

// TestAReportAndAResultAreToldInTheirOrder: both wait for a sale that somebody holds.
func TestAReportAndAResultAreToldInTheirOrder(t *testing.T) {
	t.Parallel()
	for fact, reportFirst := range map[string]bool{"the report first": true, "the result first": false} {
		t.Run(fact, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			sale, c := d.in(models.Unknown)
			d.closeDay()
			rec := d.reconcile(reportLine(sale, "Venta"))
			sum := d.checksum(d.Supervisor, rec.ID)
			post := modelstest.CancelPost(sale, modelstest.CurrentKey(d.Office, c))
			acts := []func() error{
				func() error {
					_, err := d.Reconciliation.ApplyReconciliation(context.Background(), d.Supervisor, rec.ID, sum)
					return err
				},
				func() error { return d.Results.Receive(context.Background(), post) },
			}
			if !reportFirst {
				acts[0], acts[1] = acts[1], acts[0]
			}
			for i, err := range d.BehindSale(sale.ID, acts...) {
				if err != nil {
					t.Errorf("act %d = %v", i+1, err)
				}
			}
			if got := d.Cancellation(c.ID).State; got != models.Confirmed {
				t.Errorf("the cancellation is %s, want confirmed", got)
			}
			d.CheckInvariants(t)
		})
	}
}
