package reconciliation_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/reconciliation"
	"veinte/models/reconciliation/report"
)

func TestStrangeLines(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	other := *d.Sale(5000)
	another := func(change func(*models.Sale)) *models.Sale {
		s := other
		s.Folio, s.AuthCode = "", ""
		change(&s)
		return &s
	}
	amount, twice, both, double := d.Sale(5100), d.Sale(5200), d.Sale(5300), d.Sale(5400)
	reversed, declined, repeated, merchant := d.Sale(5500), d.Sale(5600), d.Sale(5700), d.Sale(5800)
	folio, auth := d.Sale(5900), d.Sale(6000)
	modelstest.Exec(t, d.Owner, `UPDATE sales SET auth_code = 'Q9Q9Q9' WHERE id = $1`, auth.ID)
	more := *amount
	more.Amount++
	elsewhere := *merchant
	elsewhere.MerchantID = "otro"
	byFolio, byAuth := *folio, *auth
	byFolio.OrderID = "propia-1"
	byAuth.OrderID, byAuth.Folio, byAuth.AuthCode = "propia-2", "", "Q9Q9Q9"
	later := *both
	later.SoldAt = later.SoldAt.Add(time.Hour)
	again := models.Sale{
		OrderID: twice.OrderID, SerialNumber: twice.SerialNumber, Amount: twice.Amount, SoldAt: twice.SoldAt.Add(time.Minute),
	}
	lines := reportLine(&other, "Venta") +
		reportLine(&more, "Venta") +
		reportLine(twice, "Venta") + reportLine(&again, "Venta") +
		reportLine(&later, "Venta") + reportLine(both, "Cancelación") +
		reportLine(double, "Venta") + reportLine(double, "Cancelación") + reportLine(double, "Reverso") +
		reportLine(reversed, "Venta") + reportLine(reversed, "Reverso") +
		reportLine(declined, "Declinada") +
		reportLine(repeated, "Venta") + reportLine(repeated, "Venta") +
		reportLine(&elsewhere, "Venta") + reportLine(&byFolio, "Venta") + reportLine(&byAuth, "Cancelación") +
		reportLine(another(func(s *models.Sale) { s.OrderID = "nadie" }), "Venta") +
		reportLine(another(func(s *models.Sale) { s.OrderID, s.SerialNumber = "ajena", "9999999999" }), "Venta") +
		reportLine(another(func(s *models.Sale) { s.OrderID, s.SoldAt = "ayer", s.SoldAt.AddDate(0, 0, -1) }), "Venta") +
		reportLine(another(func(s *models.Sale) { s.OrderID = "nada" }), "Declinada") +
		reportLine(another(func(s *models.Sale) { s.OrderID = "cuota" }), "Comisión") +
		reportLine(another(func(s *models.Sale) { s.OrderID = "rara" }), "Contracargo") +
		reportLine(another(func(s *models.Sale) { s.OrderID, s.SerialNumber = "corta", "149" }), "Venta") +
		strings.Replace(reportLine(another(func(s *models.Sale) { s.OrderID = "negativa" }), "Venta"), "50.00", "-50.00", 1) +
		strings.Replace(reportLine(another(func(s *models.Sale) { s.OrderID = "miles" }), "Venta"), "50.00", `"1,25"`, 1) +
		reportLine(another(func(s *models.Sale) { s.OrderID = "4242424242424242" }), "Venta")
	card := fmt.Sprintf("line %d", 1+strings.Count(lines, "\n"))
	d.closeDay()
	got := d.kinds(d.reconcile(lines))
	for order, want := range map[string]string{
		other.OrderID: "same", amount.OrderID: "amountDiffers", twice.OrderID: "contradictory severalSales",
		both.OrderID: "contradictory orderOfTime", double.OrderID: "contradictory bothWays", reversed.OrderID: "reversed",
		declined.OrderID: "declined", repeated.OrderID: "repeated", merchant.OrderID: "proposed",
		"propia-1": "proposed", "propia-2": "proposed", "nadie": "unknownSale", "ajena": "unknownTerminal", "ayer": "otherDay line",
		"nada": "ignored", "cuota": "ignored", "rara": "unreadable", "corta": "unreadable", "negativa": "unreadable", "miles": "unreadable",
		card: "unreadable",
	} {
		i, ok := got[order]
		if kind := strings.TrimSpace(string(i.Kind) + " " + i.Why); !ok || kind != want {
			t.Errorf("%s = %q, want %q", order, kind, want)
		}
	}
	for order, want := range map[string]string{
		"rara":     "word Operación Contracargo",
		"corta":    "serial Terminal 149",
		"negativa": "sign Importe -50.00",
		"miles":    "amount Importe 1,25",
		card:       "cardNumber Orden ****4242",
	} {
		if i := got[order]; fmt.Sprint(i.Problem, " ", i.ProblemColumn, " ", i.ProblemValue) != want {
			t.Errorf("%s: problem %s %s %s, want %s", order, i.Problem, i.ProblemColumn, i.ProblemValue, want)
		}
	}
	if n := modelstest.Count(t, d.Owner, `SELECT count(*) FROM report_rows r, report_items i
		WHERE r::text LIKE '%42424242%' OR i::text LIKE '%42424242%'`); n != 0 {
		t.Errorf("a card number is kept in %d places", n)
	}
	for order, sale := range map[string]*models.Sale{merchant.OrderID: merchant, "propia-1": folio, "propia-2": auth} {
		if i := got[order]; i.SaleID != sale.ID || i.Resolves != "" {
			t.Errorf("%s is proposed to be sale %d settling %q, want %d settling nothing", order, i.SaleID, i.Resolves, sale.ID)
		}
	}
}

func TestUploadsThatAreRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	sale := d.Sale(5000)
	d.closeDay()
	line := reportLine(sale, "Venta")
	for fact, tt := range map[string]struct {
		change func(*reconciliation.Upload)
		want   *models.Error
	}{
		"no profile":       {func(u *reconciliation.Upload) { u.ProfileID = 0 }, models.Invalid("profile", "report.chooseProfile")},
		"nobody's profile": {func(u *reconciliation.Upload) { u.ProfileID = 99 }, models.Invalid("profile", "report.chooseProfile")},
		"no day":           {func(u *reconciliation.Upload) { u.Day = "hoy" }, models.Invalid("day", "date.invalid")},
		"tomorrow":         {func(u *reconciliation.Upload) { u.Day = "2026-11-22" }, models.Invalid("day", "report.futureDay")},
		"a day under way":  {func(u *reconciliation.Upload) { u.Day = "2026-11-21" }, models.Invalid("until", "report.untilFuture")},
		"complete from now": {func(u *reconciliation.Upload) {
			u.Day, u.Until = "2026-11-21", "09:01"
		}, models.Invalid("until", "report.untilFuture")},
		"an hour that is not": {func(u *reconciliation.Upload) { u.Until = "25:00" }, models.Invalid("until", "report.until")},
		"nothing below": {func(u *reconciliation.Upload) {
			u.Table = newCSVTable(t, reportHeader)
		}, models.Invalid("file", "report.noRows")},
		"a column twice": {func(u *reconciliation.Upload) {
			u.Table = newCSVTable(t, "Orden,orden,Terminal,Importe,Operación,Fecha,Folio,Autorización,Tarjeta,Afiliación\n1")
		}, models.Invalid("file", "report.sameHeader")},
	} {
		up := d.upload(line)
		tt.change(&up)
		if _, err := d.Reconciliation.Reconcile(t.Context(), d.Supervisor, up); !modelstest.IsError(err, tt.want) {
			t.Errorf("%s: Reconcile() = %v, want %v", fact, err, tt.want)
		}
	}
	up := d.upload(line)
	up.Table = newCSVTable(t, "Order,Terminal,Total\n1,2,3\n")
	_, err := d.Reconciliation.Reconcile(t.Context(), d.Supervisor, up)
	var missing *report.MissingColumns
	if !errors.As(err, &missing) || len(missing.Missing) != 8 || !slices.Equal(missing.Header, []string{"Order", "Terminal", "Total"}) {
		t.Errorf("another provider's file: Reconcile() = %v, want its columns named", err)
	}
	for _, who := range []models.Actor{d.Manager, {}} {
		if _, err := d.Reconciliation.Reconcile(t.Context(), who, d.upload(line)); !modelstest.IsError(err, models.ErrForbidden) {
			t.Errorf("Reconcile() by a %s = %v, want %v", who.Role, err, models.ErrForbidden)
		}
	}
	if n := modelstest.Count(t, d.Owner, `SELECT count(*) FROM reconciliations`); n != 0 {
		t.Errorf("%d reconciliations were kept, want none", n)
	}
	wrong := d.upload(line)
	wrong.Day = "2026-11-19"
	var other *reconciliation.AnotherDay
	_, err = d.Reconciliation.Reconcile(t.Context(), d.Supervisor, wrong)
	if !errors.As(err, &other) || other.Rows != 1 || other.Of != 1 || other.Day == "" || other.Day == models.Day(wrong.Day) {
		t.Errorf("the report of another day: Reconcile() = %v, want to be told which", err)
	}
	if n := modelstest.Count(t, d.Owner, `SELECT count(*) FROM reconciliations`); n != 0 {
		t.Errorf("%d reconciliations of another day were kept, want none", n)
	}
	first := d.reconcile(line)
	var same *reconciliation.SameFile
	if _, err := d.Reconciliation.Reconcile(t.Context(), d.Supervisor, d.upload(line)); !errors.As(err, &same) || same.ID != first.ID {
		t.Errorf("the same file: Reconcile() = %v, want to be told of %d", err, first.ID)
	}
	up = d.upload(line)
	up.Again = true
	if _, err := d.Reconciliation.Reconcile(t.Context(), d.Supervisor, up); err != nil {
		t.Errorf("the same file again, wittingly: Reconcile() = %v", err)
	}
}

// A supervisor of some stores sees and resolves only theirs, and a report that they
// compared does not supersede one compared for all.
func TestReportsOfOnesOwnStores(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	there := d.Branch(t)
	here, c := d.in(models.Unknown)
	away, _ := there.StateOf(models.Unknown)
	absent := there.Sale(9900)
	there.Clock.Set(modelstest.At(t, "2026-11-21T09:00:00-06:00"))
	d.closeDay()
	lines := reportLine(here, "Venta") + reportLine(away, "Venta")
	whole := d.reconcile(lines)
	local := modelstest.Person(models.Supervisor, d.Store)
	seen, err := d.Reconciliation.Reconciliation(t.Context(), local, whole.ID)
	if err != nil || seen.Total() != 1 || seen.Open != 1 {
		t.Fatalf("a supervisor of one store sees %+v, %v; want their one doubt", seen, err)
	}
	page, err := d.Reconciliation.ReportItems(t.Context(), local, whole.ID, reconciliation.ItemFilter{})
	if err != nil || len(page.Items) != 1 || page.Items[0].OrderID != here.OrderID {
		t.Errorf("items = %+v, %v; want that of order %s", page, err, here.OrderID)
	}
	all, err := d.Reconciliation.ReportItems(t.Context(), d.Supervisor, whole.ID, reconciliation.ItemFilter{})
	if err != nil || len(all.Items) != 3 {
		t.Fatalf("items of every store = %v, %v; want 3", all, err)
	}
	for _, i := range all.Items {
		_, err := d.Reconciliation.ReviewDifference(t.Context(), local, i.ID, "x")
		if mine := i.OrderID == here.OrderID; mine != (err == nil) && i.OrderID != here.OrderID && !modelstest.IsError(err, models.ErrNotFound) {
			t.Errorf("ReviewDifference(%s) = %v", i.OrderID, err)
		}
	}
	modelstest.Exec(t, d.Owner, `UPDATE report_items SET reviewed_at = NULL`)
	done, err := d.Reconciliation.ApplyReconciliation(t.Context(), local, whole.ID, d.checksum(local, whole.ID))
	if err != nil || done.NotCanceled != 1 {
		t.Errorf("ApplyReconciliation() = %+v, %v; want one doubt settled", done, err)
	}
	if got := d.Cancellation(c.ID).State; got != models.NotCanceled {
		t.Errorf("the case is %s, want notCanceled", got)
	}
	if got := there.SaleDetail(away.ID).Sale.State; got != models.SaleUnknown {
		t.Errorf("the other store's sale is %s, want unknown still", got)
	}

	up := d.upload(reportLine(here, "Venta"))
	partial, err := d.Reconciliation.Reconcile(t.Context(), local, up)
	if err != nil || partial.Counts[reconciliation.ItemNotInReport] != 0 {
		t.Fatalf("their own report = %+v, %v; want nothing missing", partial, err)
	}
	if again, err := d.Reconciliation.Reconciliation(t.Context(), d.Supervisor, whole.ID); err != nil || again.SupersededBy != 0 {
		t.Errorf("the whole one is superseded by %d, %v; want none", again.SupersededBy, err)
	}
	newer := d.reconcile(lines + reportLine(absent, "Venta"))
	for _, id := range []int64{whole.ID, partial.ID} {
		if old, err := d.Reconciliation.Reconciliation(t.Context(), d.Supervisor, id); err != nil || old.SupersededBy != newer.ID {
			t.Errorf("%d is superseded by %d, %v; want %d", id, old.SupersededBy, err, newer.ID)
		}
		_, err := d.Reconciliation.ApplyReconciliation(t.Context(), d.Supervisor, id, d.checksum(d.Supervisor, id))
		if !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "report.superseded"}) {
			t.Errorf("ApplyReconciliation(%d) = %v, want superseded", id, err)
		}
	}
	stranger := modelstest.Person(models.Supervisor, there.Store)
	if _, err := d.Reconciliation.Reconciliation(t.Context(), stranger, partial.ID); !modelstest.IsError(err, models.ErrNotFound) {
		t.Errorf("another store's report = %v, want %v", err, models.ErrNotFound)
	}
	list, err := d.Reconciliation.Reconciliations(t.Context(), stranger, "", "")
	if err != nil || len(list.Reconciliations) != 2 {
		t.Errorf("their list = %+v, %v; want the two of every store", list, err)
	}
}
