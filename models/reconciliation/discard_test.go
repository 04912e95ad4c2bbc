package reconciliation_test

import (
	"testing"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/reconciliation"
	"veinte/models/review"
)

// discard discards a report as it was shown.
func (d *desk) discard(who models.Actor, id int64) error {
	d.tb.Helper()
	shown, err := d.Reconciliation.Discarding(d.tb.Context(), who, id)
	if err != nil {
		d.tb.Fatal(err)
	}
	return d.Reconciliation.DiscardReport(d.tb.Context(), who, id, shown.Checksum(), "era el archivo del día anterior")
}

func (d *desk) apply(id int64) {
	d.tb.Helper()
	if _, err := d.Reconciliation.ApplyReconciliation(d.tb.Context(), d.Supervisor, id, d.checksum(d.Supervisor, id)); err != nil {
		d.tb.Fatal(err)
	}
}

// waiting is how many items of a kind wait for the supervisor.
func (d *desk) waiting(kind review.Kind) int {
	d.tb.Helper()
	counts, err := d.Review.Counts(d.tb.Context(), d.Supervisor)
	if err != nil {
		d.tb.Fatal(err)
	}
	return counts[kind]
}

// What only a discarded report says counts no longer; the one that it superseded stands
// again, and the same file can be compared again.
func TestADiscardedReportCountsNoLonger(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	sale, missing := d.Sale(1000), d.Sale(2000)
	d.closeDay()
	wrong := *sale
	wrong.Amount = 999
	first := d.reconcile(reportLine(sale, "Venta"))
	lines := reportLine(&wrong, "Venta") + reportLine(missing, "Venta")
	second := d.reconcile(lines)
	if got := d.waiting(review.ReviewDifference); got != 1 {
		t.Fatalf("the inbox holds %d differences, want that of the second report", got)
	}
	item := modelstest.Count(t, d.Owner, `SELECT id FROM report_items WHERE reconciliation_id = $1 AND kind = 'amountDiffers'`, second.ID)
	if err := d.discard(d.Supervisor, second.ID); err != nil {
		t.Fatalf("DiscardReport() = %v", err)
	}
	again := d.Reconciliation.DiscardReport(t.Context(), d.Supervisor, second.ID, "0.0", "otra vez")
	if want := (&models.Error{Kind: models.KindConflict, Code: "report.discarded"}); !modelstest.IsError(again, want) {
		t.Errorf("DiscardReport() again = %v, want %v", again, want)
	}
	if _, err := d.Reconciliation.ReviewDifference(t.Context(), d.Supervisor, int64(item), "visto"); err == nil {
		t.Error("a difference of a discarded report was marked")
	}
	got, err := d.Reconciliation.Reconciliation(t.Context(), d.Supervisor, second.ID)
	if err != nil || got.DiscardedAt == nil || got.DiscardedBy != d.Supervisor.Name || got.DiscardedNote == "" || got.Open != 0 {
		t.Errorf("Reconciliation() = %+v, %v; want it discarded, with nothing to review", got, err)
	}
	stands, err := d.Reconciliation.Reconciliation(t.Context(), d.Supervisor, first.ID)
	if err != nil || stands.SupersededBy != 0 {
		t.Errorf("the report before is superseded by %d, %v; want it to stand again", stands.SupersededBy, err)
	}
	if got := d.waiting(review.ReviewDifference); got != 1 { // the sale that the first one lacks
		t.Errorf("the inbox holds %d differences, want that of the first report", got)
	}
	if _, err := d.Reconciliation.Reconcile(t.Context(), d.Supervisor, d.upload(lines)); err != nil {
		t.Errorf("the same file again: %v", err)
	}
}

// What ended by a report stays as it ended when the report is discarded, and waits for
// somebody; a contradiction that it raised is over.
func TestDiscardingRaisesWhatEndedByTheReport(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	canceled, _ := d.in(models.Unknown)
	charged, _ := d.in(models.Unknown)
	contradicted, c := d.in(models.Unknown)
	other := modelstest.Person(models.Supervisor, d.Store)
	saw := cancellations.Resolution{Outcome: models.Confirmed, AuthCode: "654321"}
	if err := d.Cancellations.Resolve(t.Context(), other, c.ID, saw); err != nil {
		t.Fatal(err)
	}
	d.closeDay()
	rec := d.reconcile(reportLine(canceled, "Venta") + reportLine(canceled, "Cancelación") + reportLine(charged, "Venta") +
		reportLine(contradicted, "Venta"))
	d.apply(rec.ID)
	if got := d.waiting(review.ReviewConflict); got != 1 {
		t.Fatalf("the inbox holds %d contradictions, want that of the report", got)
	}
	shown, err := d.Reconciliation.Discarding(t.Context(), d.Supervisor, rec.ID)
	if err != nil || len(shown.Ended) != 2 || len(shown.Conflicts) != 1 || shown.Own {
		t.Fatalf("Discarding() = %+v, %v; want 2 that ended and 1 contradiction", shown, err)
	}
	if err := d.Reconciliation.DiscardReport(t.Context(), d.Supervisor, rec.ID, "1.1", "x"); !modelstest.IsError(err,
		&models.Error{Kind: models.KindConflict, Code: "report.changed"}) {
		t.Errorf("DiscardReport() of what was not shown = %v", err)
	}
	if err := d.discard(d.Admin, rec.ID); !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "report.others"}) {
		t.Errorf("DiscardReport() by who may not resolve, of what resolved = %v", err)
	}
	if err := d.discard(d.Supervisor, rec.ID); err != nil {
		t.Fatalf("DiscardReport() = %v", err)
	}
	for sale, want := range map[*models.Sale]string{
		canceled: "confirmed reportDiscarded", charged: "notCanceled reportDiscarded", contradicted: "confirmed ",
	} {
		got := d.text(`SELECT s.state || ' ' || CASE WHEN c.reviewed_at IS NULL THEN c.conflict ELSE '' END
			FROM sales s JOIN cancellations c ON c.sale_id = s.id WHERE s.id = $1`, sale.ID)
		if got != want {
			t.Errorf("sale %s is %q, want %q", sale.OrderID, got, want)
		}
	}
	if got := d.waiting(review.ReviewConflict); got != 2 {
		t.Errorf("the inbox holds %d contradictions, want the 2 that ended by the report", got)
	}
	if err := d.Review.MarkReviewed(t.Context(), d.Supervisor, review.ReviewConflict,
		modelstest.Scan[int64](t, d.Owner, `SELECT id FROM cancellations WHERE sale_id = $1`, canceled.ID),
		string(models.ConflictReportDiscarded), "visto"); !modelstest.IsError(err, models.ErrOwn) {
		t.Errorf("who resolved by the report clears its end = %v, want %v", err, models.ErrOwn)
	}
	d.CheckInvariants(t)
}

// Nobody takes back by a report what contradicts their own decision.
func TestNobodyDiscardsWhatContradictsThem(t *testing.T) {
	t.Parallel()
	for _, applied := range []bool{false, true} {
		d := newDesk(t)
		sale, c := d.in(models.Unknown)
		saw := cancellations.Resolution{Outcome: models.Confirmed, AuthCode: "654321"}
		if err := d.Cancellations.Resolve(t.Context(), d.Supervisor, c.ID, saw); err != nil {
			t.Fatal(err)
		}
		d.closeDay()
		rec := d.reconcile(reportLine(sale, "Venta"))
		if applied {
			d.apply(rec.ID)
		}
		own := &models.Error{Kind: models.KindConflict, Code: "report.own"}
		if err := d.discard(d.Supervisor, rec.ID); !modelstest.IsError(err, own) {
			t.Errorf("applied %t: DiscardReport() by who decided = %v, want %v", applied, err, own)
		}
		if err := d.discard(modelstest.Person(models.Supervisor), rec.ID); err != nil {
			t.Errorf("applied %t: DiscardReport() by another = %v", applied, err)
		}
	}
}

// A report of all stores is not for a supervisor of some to discard.
func TestDiscardingIsForWhoSeesAllItsStores(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	sale := d.Sale(1000)
	d.closeDay()
	rec := d.reconcile(reportLine(sale, "Venta"))
	some := models.Actor{UserID: 77, Name: "Zoe", Role: models.Supervisor, StoreIDs: []int64{d.Store.ID}}
	others := &models.Error{Kind: models.KindConflict, Code: "report.others"}
	if err := d.discard(some, rec.ID); !modelstest.IsError(err, others) {
		t.Errorf("DiscardReport() by who sees some of its stores = %v, want %v", err, others)
	}
	for stores, want := range map[int64]bool{d.Store.ID: true, d.Store.ID + 1: false} {
		of := reconciliation.Reconciliation{Stores: []int64{stores}}
		if got := of.MayDiscard(some); got != want {
			t.Errorf("MayDiscard() of store %d = %t, want %t", stores, got, want)
		}
	}
}
