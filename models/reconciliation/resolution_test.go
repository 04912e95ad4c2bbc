package reconciliation_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/reconciliation"
	"veinte/models/rules"
	"veinte/models/wiring"
)

func TestConfirmingTwiceSettlesOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var lines strings.Builder
	const doubts = 6
	for i := range doubts {
		sale, _ := d.in(models.Unknown)
		lines.WriteString(reportLine(sale, "Venta"))
		if i%2 == 0 {
			lines.WriteString(reportLine(sale, "Cancelación"))
		}
	}
	d.closeDay()
	rec := d.reconcile(lines.String())
	twin, seal := d.SecondServer(), d.checksum(d.Supervisor, rec.ID)
	var group sync.WaitGroup
	var mu sync.Mutex
	var sum reconciliation.Applied
	for i := range 4 {
		group.Go(func() {
			cases := []*wiring.Services{d.Services, twin}[i%2]
			done, err := cases.Reconciliation.ApplyReconciliation(context.Background(), modelstest.Person(models.Supervisor), rec.ID, seal)
			mu.Lock()
			defer mu.Unlock()
			if modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "report.changed"}) {
				return
			}
			if err != nil {
				t.Errorf("ApplyReconciliation() = %v", err)
				return
			}
			sum.Confirmed += done.Confirmed
			sum.NotCanceled += done.NotCanceled
		})
	}
	group.Wait()
	if sum.Confirmed != doubts/2 || sum.NotCanceled != doubts/2 {
		t.Errorf("settled in all = %+v, want %d each", sum, doubts/2)
	}
	if n := modelstest.Count(t, d.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'cancellation.moved' AND actor_role = 'supervisor'`); n != doubts {
		t.Errorf("the trail holds %d settlements, want %d", n, doubts)
	}
	d.CheckInvariants(t)
}

// A missing cancellation is proof only where the report would contain it.
func TestChargedProvesNothingTooEarly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact  string
		until string // hour of the day; the push may act until 12:03
		more  func(*models.Sale) string
		kind  reconciliation.ItemKind
		why   string
	}{
		{"the whole day", "", nil, reconciliation.ItemCharged, ""},
		{"until the end of the quiet time", "12:03", nil, reconciliation.ItemCharged, ""},
		{"until before its end", "12:02", nil, reconciliation.ItemUnproven, "cutBefore"},
		{"a cancellation of nobody's on the terminal, of the amount", "", func(s *models.Sale) string {
			other := *s
			other.OrderID, other.Folio, other.AuthCode = "otra", "", ""
			return reportLine(&other, "Cancelación")
		}, reconciliation.ItemUnproven, "strayLine"},
		{"of another amount", "", func(s *models.Sale) string {
			other := *s
			other.OrderID, other.Folio, other.AuthCode, other.Amount = "otra", "", "", 7
			return reportLine(&other, "Cancelación")
		}, reconciliation.ItemCharged, ""},
		{"a cancellation under a number of its own, with the folio", "", func(s *models.Sale) string {
			other := *s
			other.OrderID = "otra"
			return reportLine(&other, "Cancelación")
		}, reconciliation.ItemUnproven, "otherLine"},
		{"a line of the terminal that cannot be read", "", func(s *models.Sale) string {
			other := *s
			other.OrderID, other.Folio, other.AuthCode = "otra", "", ""
			return strings.Replace(reportLine(&other, "Cancelación"), "1250.00", "mil", 1)
		}, reconciliation.ItemUnproven, "unreadableLine"},
		{"a line that says neither terminal nor amount", "", func(*models.Sale) string {
			return "x,,?,Cancelación,,,,,\n"
		}, reconciliation.ItemUnproven, "unreadableLine"},
		{"half a line", "", func(s *models.Sale) string { return s.OrderID + "9,14900" }, reconciliation.ItemUnproven, "halfLine"},
		{"a sum at the end", "", func(*models.Sale) string { return "TOTAL,,?,,,,,,\n" }, reconciliation.ItemCharged, ""},
		{"a word that nobody knows, of the same order", "", func(s *models.Sale) string {
			return reportLine(s, "Anulada")
		}, reconciliation.ItemUnreadable, ""},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			sale, _ := d.in(models.Unknown)
			d.closeDay()
			lines := reportLine(sale, "Venta")
			if tt.more != nil {
				lines += tt.more(sale)
			}
			up := d.upload(lines)
			up.Until = tt.until
			rec, err := d.Reconciliation.Reconcile(t.Context(), d.Supervisor, up)
			if err != nil {
				t.Fatal(err)
			}
			charged := tt.kind == reconciliation.ItemCharged
			if i := d.kinds(rec)[sale.OrderID]; i.Kind != tt.kind || i.Why != tt.why || (i.Resolves != "") != charged {
				t.Errorf("the doubt = %s because of %q, settling %q; want %s because of %q", i.Kind, i.Why, i.Resolves, tt.kind, tt.why)
			}
		})
	}
}

// What changes between the preview and the confirmation is judged again.
func TestWhatChangedMeanwhileIsLeft(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	settled, c := d.in(models.Unknown)
	other, canceled := d.in(models.Unknown)
	d.closeDay()
	rec := d.reconcile(reportLine(settled, "Venta") + reportLine(other, "Venta"))
	notCanceled := cancellations.Resolution{Outcome: models.NotCanceled, Note: "no salió comprobante"}
	if err := d.Cancellations.Resolve(t.Context(), d.Supervisor, c.ID, notCanceled); err != nil {
		t.Fatal(err)
	}
	confirmed := cancellations.Resolution{Outcome: models.Confirmed, AuthCode: "770077"}
	if err := d.Cancellations.Resolve(t.Context(), d.Supervisor, canceled.ID, confirmed); err != nil {
		t.Fatal(err)
	}
	page, err := d.Reconciliation.ReportItems(t.Context(), d.Supervisor, rec.ID, reconciliation.ItemFilter{})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(page.Items, func(i reconciliation.ReportItem) bool { return i.SaleID == other.ID })
	if at < 0 {
		t.Fatalf("no difference about sale %d in %+v", other.ID, page.Items)
	}
	_, err = d.Reconciliation.ReviewDifference(t.Context(), d.Supervisor, page.Items[at].ID, "visto")
	if !modelstest.IsError(err, models.ErrOwn) {
		t.Errorf("ReviewDifference() by who resolved the doubt about the sale = %v, want %v", err, models.ErrOwn)
	}
	seal := d.checksum(d.Supervisor, rec.ID)
	for _, seen := range []string{"", "2", seal[1:], strings.ToUpper(seal) + "x"} {
		_, err := d.Reconciliation.ApplyReconciliation(t.Context(), d.Supervisor, rec.ID, seen)
		if !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "report.changed"}) {
			t.Errorf("ApplyReconciliation(seen %q) = %v, want report.changed", seen, err)
		}
	}
	for _, who := range []models.Actor{d.Admin, d.Manager, {UserID: 5, Role: models.Manager, AllStores: true, MayResolve: true}} {
		if _, err := d.Reconciliation.ApplyReconciliation(t.Context(), who, rec.ID, seal); !modelstest.IsError(err, models.ErrForbidden) {
			t.Errorf("ApplyReconciliation() by a %s = %v, want %v", who.Role, err, models.ErrForbidden)
		}
	}
	done, err := d.Reconciliation.ApplyReconciliation(t.Context(), d.Supervisor, rec.ID, seal)
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Equal(t, "applied", *done, reconciliation.Applied{Already: 1, Changed: 1})
	if got := d.Cancellation(canceled.ID); got.State != models.Confirmed || got.Conflict != "" {
		t.Errorf("the canceled case is %s with conflict %q, want confirmed and none", got.State, got.Conflict)
	}
	d.CheckInvariants(t)
}

// A push stays on a screen as long as it could when it was sent, whatever the rules are
// now: a report until then proves nothing.
func TestAShorterQuietTimeMakesNoReportResolve(t *testing.T) {
	t.Parallel()
	for until, want := range map[string]reconciliation.ItemKind{"12:01": reconciliation.ItemUnproven, "12:03": reconciliation.ItemCharged} {
		d := newDesk(t)
		sale, _ := d.in(models.Unknown)
		d.closeDay()
		d.ChangeRules(func(in *rules.Input) { in.Quiet = "30" })
		up := d.upload(reportLine(sale, "Venta"))
		up.Until = until
		rec, err := d.Reconciliation.Reconcile(t.Context(), d.Supervisor, up)
		if err != nil {
			t.Fatal(err)
		}
		if i := d.kinds(rec)[sale.OrderID]; i.Kind != want {
			t.Errorf("a report until %s, of a push at 12:00, is %s (%s), want %s", until, i.Kind, i.Why, want)
		}
	}
}
