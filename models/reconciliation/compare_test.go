package reconciliation_test

import (
	"slices"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/reconciliation"
	"veinte/models/review"
)

func TestAReportIsComparedWithEveryState(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	type want struct {
		kind    reconciliation.ItemKind
		settles reconciliation.Resolves
	}
	wants := map[string]want{}
	var lines strings.Builder
	for _, state := range []models.State{
		models.Requested, models.Withdrawn, models.Expired, models.Sending, models.Accepted,
		models.Rejected, models.Unknown, models.Confirmed, models.NotCanceled,
	} {
		charged, _ := d.in(state)
		lines.WriteString(reportLine(charged, "Venta"))
		canceled, _ := d.in(state)
		lines.WriteString(reportLine(canceled, "Venta") + reportLine(canceled, "Cancelación"))
		wants[charged.OrderID] = want{kind: reconciliation.ItemSame}
		wants[canceled.OrderID] = want{reconciliation.ItemCanceled, reconciliation.ResolvesConfirmed}
		switch state {
		case models.Requested, models.Sending, models.Accepted:
			wants[charged.OrderID] = want{kind: reconciliation.ItemUnderWay}
		case models.Unknown:
			wants[charged.OrderID] = want{reconciliation.ItemCharged, reconciliation.ResolvesNotCanceled}
		case models.Confirmed:
			wants[charged.OrderID] = want{reconciliation.ItemStillCharged, reconciliation.ResolvesConflict}
			wants[canceled.OrderID] = want{kind: reconciliation.ItemSame}
		}
	}
	plain, byHand, absent := d.Sale(100), d.Sale(200), d.Sale(300)
	lines.WriteString(reportLine(plain, "Venta"))
	lines.WriteString(reportLine(byHand, "VENTA ") + reportLine(byHand, "cancelacion"))
	wants[plain.OrderID] = want{kind: reconciliation.ItemSame}
	wants[byHand.OrderID] = want{reconciliation.ItemManual, reconciliation.ResolvesConfirmed}
	wants[absent.OrderID] = want{kind: reconciliation.ItemNotInReport}
	d.closeDay()
	before := d.text(`SELECT string_agg(id || state || version, ',' ORDER BY id) FROM cancellations`)
	rec := d.reconcile(lines.String())
	got := d.kinds(rec)
	for order, w := range wants {
		if i := got[order]; i.Kind != w.kind || i.Resolves != w.settles {
			t.Errorf("order %s, ours %s, report %s = %s settling %q, want %s settling %q",
				order, i.Ours, i.Verdict, i.Kind, i.Resolves, w.kind, w.settles)
		}
	}
	if len(got) != len(wants) {
		t.Errorf("items = %d, want %d", len(got), len(wants))
	}
	if after := d.text(`SELECT string_agg(id || state || version, ',' ORDER BY id) FROM cancellations`); after != before {
		t.Errorf("comparing changed cases:\n%s\n%s", before, after)
	}

	// After a person's confirmation, everything has the state of the report.
	done, err := d.Reconciliation.ApplyReconciliation(t.Context(), d.Supervisor, rec.ID, d.checksum(d.Supervisor, rec.ID))
	if err != nil {
		t.Fatalf("ApplyReconciliation() = %v", err)
	}
	modelstest.Equal(t, "applied", *done, reconciliation.Applied{Confirmed: 9, NotCanceled: 1, Conflicts: 1})
	for order, i := range d.kinds(rec) {
		wantNow := i.Ours
		switch wants[order].settles {
		case reconciliation.ResolvesConfirmed:
			wantNow = models.SaleConfirmed
		case reconciliation.ResolvesNotCanceled:
			wantNow = models.SaleNotCanceled
		}
		if i.Now != wantNow || (i.ResolvedAt != nil) != (i.Resolves != "") {
			t.Errorf("order %s is %s and settled %v, want %s", order, i.Now, i.ResolvedAt, wantNow)
		}
	}
	d.CheckInvariants(t)
	if n := modelstest.Count(t, d.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'cancellation.moved' AND after->>'detail' LIKE 'reconciled%'
		AND actor_id = $1 AND reason ~ '^report reporte.csv · hash [0-9a-f]{12} · row [0-9]+$'`, d.Supervisor.UserID); n != 10 {
		t.Errorf("the trail holds %d moves with a line of the report, want 10", n)
	}
	seen, _ := modelstest.Inbox(t, d.Office, d.Supervisor, review.ReviewConflict)
	slices.Sort(seen)
	// A late positive for each of the four cancellations that had ended otherwise.
	modelstest.Equal(t, "conflicts", seen, []string{
		"conflict:latePositive", "conflict:latePositive", "conflict:latePositive", "conflict:latePositive",
		"conflict:reportCharged", "conflict:withoutCase",
	})
}
