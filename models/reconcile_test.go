package models_test

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
)

// csvTable is a report for tests that are not about files.
type csvTable struct {
	r      *csv.Reader
	header []string
	line   int
	cells  []models.ReportCell
}

func newCSVTable(tb testing.TB, text string) *csvTable {
	tb.Helper()
	t := &csvTable{r: csv.NewReader(strings.NewReader(text)), line: 1}
	t.r.FieldsPerRecord = -1
	var err error
	if t.header, err = t.r.Read(); err != nil && err != io.EOF {
		tb.Fatal(err)
	}
	return t
}

func (t *csvTable) Header() []string { return t.header }

func (t *csvTable) Next() ([]models.ReportCell, int, error) {
	record, err := t.r.Read()
	t.line++
	t.cells = t.cells[:0]
	for _, cell := range record {
		t.cells = append(t.cells, models.ReportCell{Text: cell})
	}
	return t.cells, t.line, err
}

// sampleMapping is that of the reports below: a cancellation is a line of its own.
func sampleMapping() models.Mapping {
	return models.Mapping{
		Columns: map[models.ReportField]string{
			models.ReportOrderID: "Orden", models.ReportSerialNumber: "Terminal", models.ReportAmount: "Importe", models.ReportStatus: "Operación",
			models.ReportSoldAt: "Fecha", models.ReportFolio: "Folio", models.ReportAuthCode: "Autorización", models.ReportLast4: "Tarjeta", models.ReportMerchantID: "Afiliación",
		},
		Words: map[string]models.ReportMeaning{
			"Venta": models.MeansSale, "Cancelación": models.MeansCancellation, "Reverso": models.MeansReversal,
			"Declinada": models.MeansDeclined, "Comisión": models.MeansIgnore,
		},
		Amounts: models.AmountsPoint, Dates: models.DatesDayMonthYear, Zone: "America/Mexico_City",
	}
}

const reportHeader = "Orden,Terminal,Importe,Operación,Fecha,Folio,Autorización,Tarjeta,Afiliación\n"

// desk is an office after its day, with a profile for reports.
type desk struct {
	*modelstest.Office
	tb      testing.TB
	profile *models.ReportProfile
}

func newDesk(t *testing.T, changes ...func(*models.Mapping)) *desk {
	t.Helper()
	o := modelstest.NewOffice(t)
	m := sampleMapping()
	for _, change := range changes {
		change(&m)
	}
	p, err := o.DB.CreateReportProfile(t.Context(), o.Admin, o.Clock.Now(), "Proveedor", m)
	if err != nil {
		t.Fatalf("CreateReportProfile() = %v", err)
	}
	return &desk{o, t, p}
}

// reportLine is a line of the report about a sale.
func reportLine(s *models.Sale, operation string) string {
	return fmt.Sprintf("%s,%s,%d.%02d,%s,%s,%s,%s,%s,%s\n", s.OrderID, s.SerialNumber, s.Amount/100, s.Amount%100, operation,
		s.SoldAt.In(reportZone).Format("02/01/2006 15:04:05"), s.Folio, s.AuthCode, s.Last4, s.MerchantID)
}

var reportZone = func() *time.Location {
	zone, err := time.LoadLocation("America/Mexico_City")
	if err != nil {
		panic(err)
	}
	return zone
}()

// closeDay moves the clock past the end of the day.
func (d *desk) closeDay() { d.Clock.Set(modelstest.At(d.tb, "2026-11-21T09:00:00-06:00")) }

func (d *desk) upload(lines string) models.ReportUpload {
	d.tb.Helper()
	sum := sha256.Sum256([]byte(lines))
	return models.ReportUpload{
		ProfileID: d.profile.ID, Day: "2026-11-20", FileName: "reporte.csv", FileHash: hex.EncodeToString(sum[:]),
		FileBytes: int64(len(lines)), Table: newCSVTable(d.tb, reportHeader+lines),
	}
}

func (d *desk) reconcile(lines string) *models.Reconciliation {
	d.tb.Helper()
	rec, err := d.Cases.Reconcile(context.Background(), d.Supervisor, d.upload(lines))
	if err != nil {
		d.tb.Fatalf("Reconcile() = %v", err)
	}
	return rec
}

// kinds lists the differences as order:kind, and what is the same too.
func (d *desk) kinds(rec *models.Reconciliation) map[string]models.ReportItem {
	d.tb.Helper()
	all := map[string]models.ReportItem{}
	for _, kind := range models.ItemKinds {
		page, err := d.Cases.ReportItems(context.Background(), d.Supervisor, rec.ID, models.ItemFilter{Kind: kind})
		if err != nil {
			d.tb.Fatalf("ReportItems(%s) = %v", kind, err)
		}
		for _, i := range page.Items {
			key := i.OrderID
			if key == "" {
				key = fmt.Sprintf("line %d", i.Lines[0])
			}
			if _, twice := all[key]; twice {
				d.tb.Errorf("two items for %s", key)
			}
			all[key] = i
		}
	}
	return all
}

// in brings a case into a state on a terminal of its own, then lets its quiet
// time pass.
func (d *desk) in(state models.State) (*models.Sale, *models.Cancellation) {
	d.tb.Helper()
	d.Terminal = d.NewTerminal(d.Store)
	sale, c := d.In(state)
	d.Clock.Advance(5 * time.Minute)
	return sale, c
}

func TestAReportIsComparedWithEveryState(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	type want struct {
		kind    models.ItemKind
		settles models.Settles
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
		wants[charged.OrderID] = want{kind: models.ItemSame}
		wants[canceled.OrderID] = want{models.ItemCanceled, models.SettlesConfirmed}
		switch state {
		case models.Requested, models.Sending, models.Accepted:
			wants[charged.OrderID] = want{kind: models.ItemUnderWay}
		case models.Unknown:
			wants[charged.OrderID] = want{models.ItemCharged, models.SettlesNotCanceled}
		case models.Confirmed:
			wants[charged.OrderID] = want{models.ItemStillCharged, models.SettlesConflict}
			wants[canceled.OrderID] = want{kind: models.ItemSame}
		}
	}
	plain, byHand, absent := d.Sale(100), d.Sale(200), d.Sale(300)
	lines.WriteString(reportLine(plain, "Venta") + reportLine(byHand, "VENTA ") + reportLine(byHand, "cancelacion"))
	wants[plain.OrderID] = want{kind: models.ItemSame}
	wants[byHand.OrderID] = want{models.ItemByHand, models.SettlesConfirmed}
	wants[absent.OrderID] = want{kind: models.ItemNotInReport}
	d.closeDay()
	before := d.text(`SELECT string_agg(id || state || version, ',' ORDER BY id) FROM cancellations`)
	rec := d.reconcile(lines.String())
	got := d.kinds(rec)
	for order, w := range wants {
		if i := got[order]; i.Kind != w.kind || i.Settles != w.settles {
			t.Errorf("order %s, ours %s, report %s = %s settling %q, want %s settling %q", order, i.Ours, i.Verdict, i.Kind, i.Settles, w.kind, w.settles)
		}
	}
	if len(got) != len(wants) {
		t.Errorf("items = %d, want %d", len(got), len(wants))
	}
	if after := d.text(`SELECT string_agg(id || state || version, ',' ORDER BY id) FROM cancellations`); after != before {
		t.Errorf("comparing changed cases:\n%s\n%s", before, after)
	}

	// Confirmed by a person, everything stands as the report says.
	done, err := d.Cases.ApplyReconciliation(t.Context(), d.Supervisor, rec.ID, d.seal(d.Supervisor, rec.ID))
	if err != nil {
		t.Fatalf("ApplyReconciliation() = %v", err)
	}
	equal(t, "applied", *done, models.Applied{Confirmed: 9, NotCanceled: 1, Conflicts: 1})
	for order, i := range d.kinds(rec) {
		wantNow := i.Ours
		switch wants[order].settles {
		case models.SettlesConfirmed:
			wantNow = models.SaleConfirmed
		case models.SettlesNotCanceled:
			wantNow = models.SaleNotCanceled
		}
		if i.Now != wantNow || (i.SettledAt != nil) != (i.Settles != "") {
			t.Errorf("order %s is %s and settled %v, want %s", order, i.Now, i.SettledAt, wantNow)
		}
	}
	d.CheckBooks(t)
	if n := count(t, d.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'cancellation.moved' AND after->>'detail' LIKE 'reconciled%'
		AND actor_id = $1 AND reason ~ '^report reporte.csv · hash [0-9a-f]{12} · row [0-9]+$'`, d.Supervisor.UserID); n != 10 {
		t.Errorf("the trail holds %d moves with a line of the report, want 10", n)
	}
	seen, _ := inbox(t, d.Office, d.Supervisor, models.ReviewConflict)
	slices.Sort(seen)
	// A late positive over each of the four cases that had ended otherwise.
	equal(t, "conflicts", seen, []string{
		"conflict:latePositive", "conflict:latePositive", "conflict:latePositive", "conflict:latePositive",
		"conflict:reportCharged", "conflict:withoutCase",
	})
}

// seal stands for what an actor is shown to settle.
func (d *desk) seal(actor models.Actor, id int64) string {
	d.tb.Helper()
	to, err := d.Cases.ToSettle(context.Background(), actor, id)
	if err != nil {
		d.tb.Fatalf("ToSettle(%d) = %v", id, err)
	}
	return to.Seal
}

func (d *desk) text(query string, args ...any) (s string) {
	d.tb.Helper()
	if err := d.Owner.QueryRow(query, args...).Scan(&s); err != nil {
		d.tb.Fatalf("%s: %v", query, err)
	}
	return s
}

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
	twin, seal := d.Twin(), d.seal(d.Supervisor, rec.ID)
	var group sync.WaitGroup
	var mu sync.Mutex
	var sum models.Applied
	for i := range 4 {
		group.Go(func() {
			cases := []*models.Cancellations{d.Cases, twin}[i%2]
			done, err := cases.ApplyReconciliation(context.Background(), modelstest.Person(models.Supervisor), rec.ID, seal)
			mu.Lock()
			defer mu.Unlock()
			if isError(err, &models.Error{Kind: models.KindConflict, Code: "report.changed"}) {
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
	if n := count(t, d.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'cancellation.moved' AND actor_role = 'supervisor'`); n != doubts {
		t.Errorf("the trail holds %d settlements, want %d", n, doubts)
	}
	d.CheckBooks(t)
}

// A missing cancellation is proof only where the report would hold it.
func TestChargedProvesNothingTooEarly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact  string
		until string // hour of the day; the push may act until 12:03
		more  func(*models.Sale) string
		kind  models.ItemKind
		why   string
	}{
		{"the whole day", "", nil, models.ItemCharged, ""},
		{"until the end of the quiet time", "12:03", nil, models.ItemCharged, ""},
		{"until before its end", "12:02", nil, models.ItemUnproven, "cutBefore"},
		{"a cancellation of nobody's on the terminal, of the amount", "", func(s *models.Sale) string {
			other := *s
			other.OrderID, other.Folio, other.AuthCode = "otra", "", ""
			return reportLine(&other, "Cancelación")
		}, models.ItemUnproven, "strayLine"},
		{"of another amount", "", func(s *models.Sale) string {
			other := *s
			other.OrderID, other.Folio, other.AuthCode, other.Amount = "otra", "", "", 7
			return reportLine(&other, "Cancelación")
		}, models.ItemCharged, ""},
		{"a cancellation under a number of its own, with the folio", "", func(s *models.Sale) string {
			other := *s
			other.OrderID = "otra"
			return reportLine(&other, "Cancelación")
		}, models.ItemUnproven, "otherLine"},
		{"a line of the terminal that cannot be read", "", func(s *models.Sale) string {
			other := *s
			other.OrderID, other.Folio, other.AuthCode = "otra", "", ""
			return strings.Replace(reportLine(&other, "Cancelación"), "1250.00", "mil", 1)
		}, models.ItemUnproven, "unreadableLine"},
		{"a line that says neither terminal nor amount", "", func(*models.Sale) string {
			return "x,,?,Cancelación,,,,,\n"
		}, models.ItemUnproven, "unreadableLine"},
		{"half a line", "", func(s *models.Sale) string { return s.OrderID + "9,14900" }, models.ItemUnproven, "halfLine"},
		{"a sum at the end", "", func(*models.Sale) string { return "TOTAL,,?,,,,,,\n" }, models.ItemCharged, ""},
		{"a word that nobody knows, of the same order", "", func(s *models.Sale) string { return reportLine(s, "Anulada") }, models.ItemUnreadable, ""},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			sale, _ := d.In(models.Unknown)
			d.closeDay()
			lines := reportLine(sale, "Venta")
			if tt.more != nil {
				lines += tt.more(sale)
			}
			up := d.upload(lines)
			up.Until = tt.until
			rec, err := d.Cases.Reconcile(t.Context(), d.Supervisor, up)
			if err != nil {
				t.Fatal(err)
			}
			if i := d.kinds(rec)[sale.OrderID]; i.Kind != tt.kind || i.Why != tt.why || (i.Settles != "") != (tt.kind == models.ItemCharged) {
				t.Errorf("the doubt = %s because of %q, settling %q; want %s because of %q", i.Kind, i.Why, i.Settles, tt.kind, tt.why)
			}
		})
	}
}

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
	amount, twice, both, double, reversed, declined, repeated, merchant := d.Sale(5100), d.Sale(5200), d.Sale(5300), d.Sale(5400), d.Sale(5500), d.Sale(5600), d.Sale(5700), d.Sale(5800)
	folio, auth := d.Sale(5900), d.Sale(6000)
	exec(t, d.Owner, `UPDATE sales SET auth_code = 'Q9Q9Q9' WHERE id = $1`, auth.ID)
	more := *amount
	more.Amount++
	elsewhere := *merchant
	elsewhere.MerchantID = "otro"
	byFolio, byAuth := *folio, *auth
	byFolio.OrderID = "propia-1"
	byAuth.OrderID, byAuth.Folio, byAuth.AuthCode = "propia-2", "", "Q9Q9Q9"
	later := *both
	later.SoldAt = later.SoldAt.Add(time.Hour)
	lines := reportLine(&other, "Venta") +
		reportLine(&more, "Venta") +
		reportLine(twice, "Venta") + reportLine(&models.Sale{OrderID: twice.OrderID, SerialNumber: twice.SerialNumber, Amount: twice.Amount, SoldAt: twice.SoldAt.Add(time.Minute)}, "Venta") +
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
	for order, want := range map[string]string{"rara": "word Operación Contracargo", "corta": "serial Terminal 149", "negativa": "sign Importe -50.00", "miles": "amount Importe 1,25", card: "cardNumber Orden ****4242"} {
		if i := got[order]; fmt.Sprint(i.Problem, " ", i.ProblemColumn, " ", i.ProblemValue) != want {
			t.Errorf("%s: problem %s %s %s, want %s", order, i.Problem, i.ProblemColumn, i.ProblemValue, want)
		}
	}
	if n := count(t, d.Owner, `SELECT count(*) FROM report_rows r, report_items i WHERE r::text LIKE '%42424242%' OR i::text LIKE '%42424242%'`); n != 0 {
		t.Errorf("a card number is kept in %d places", n)
	}
	for order, sale := range map[string]*models.Sale{merchant.OrderID: merchant, "propia-1": folio, "propia-2": auth} {
		if i := got[order]; i.SaleID != sale.ID || i.Settles != "" {
			t.Errorf("%s is proposed to be sale %d settling %q, want %d settling nothing", order, i.SaleID, i.Settles, sale.ID)
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
		change func(*models.ReportUpload)
		want   *models.Error
	}{
		"no profile":          {func(u *models.ReportUpload) { u.ProfileID = 0 }, models.Invalid("profile", "report.chooseProfile")},
		"nobody's profile":    {func(u *models.ReportUpload) { u.ProfileID = 99 }, models.Invalid("profile", "report.chooseProfile")},
		"no day":              {func(u *models.ReportUpload) { u.Day = "hoy" }, models.Invalid("day", "date.invalid")},
		"tomorrow":            {func(u *models.ReportUpload) { u.Day = "2026-11-22" }, models.Invalid("day", "report.futureDay")},
		"a day under way":     {func(u *models.ReportUpload) { u.Day = "2026-11-21" }, models.Invalid("until", "report.untilFuture")},
		"complete from now":   {func(u *models.ReportUpload) { u.Day, u.Until = "2026-11-21", "09:01" }, models.Invalid("until", "report.untilFuture")},
		"an hour that is not": {func(u *models.ReportUpload) { u.Until = "25:00" }, models.Invalid("until", "report.until")},
		"nothing below":       {func(u *models.ReportUpload) { u.Table = newCSVTable(t, reportHeader) }, models.Invalid("file", "report.noRows")},
		"a column twice": {func(u *models.ReportUpload) {
			u.Table = newCSVTable(t, "Orden,orden,Terminal,Importe,Operación,Fecha,Folio,Autorización,Tarjeta,Afiliación\n1")
		}, models.Invalid("file", "report.sameHeader")},
	} {
		up := d.upload(line)
		tt.change(&up)
		if _, err := d.Cases.Reconcile(t.Context(), d.Supervisor, up); !isError(err, tt.want) {
			t.Errorf("%s: Reconcile() = %v, want %v", fact, err, tt.want)
		}
	}
	up := d.upload(line)
	up.Table = newCSVTable(t, "Order,Terminal,Total\n1,2,3\n")
	_, err := d.Cases.Reconcile(t.Context(), d.Supervisor, up)
	var missing *models.MissingColumns
	if !errors.As(err, &missing) || len(missing.Missing) != 8 || !slices.Equal(missing.Header, []string{"Order", "Terminal", "Total"}) {
		t.Errorf("another provider's file: Reconcile() = %v, want its columns named", err)
	}
	for _, who := range []models.Actor{d.Manager, {}} {
		if _, err := d.Cases.Reconcile(t.Context(), who, d.upload(line)); !isError(err, models.ErrForbidden) {
			t.Errorf("Reconcile() by a %s = %v, want %v", who.Role, err, models.ErrForbidden)
		}
	}
	if n := count(t, d.Owner, `SELECT count(*) FROM reconciliations`); n != 0 {
		t.Errorf("%d reconciliations were kept, want none", n)
	}
	first := d.reconcile(line)
	var same *models.SameFile
	if _, err := d.Cases.Reconcile(t.Context(), d.Supervisor, d.upload(line)); !errors.As(err, &same) || same.ID != first.ID {
		t.Errorf("the same file: Reconcile() = %v, want to be told of %d", err, first.ID)
	}
	up = d.upload(line)
	up.Again = true
	if _, err := d.Cases.Reconcile(t.Context(), d.Supervisor, up); err != nil {
		t.Errorf("the same file again, wittingly: Reconcile() = %v", err)
	}
}

// A supervisor of some stores sees and settles only theirs, and a report that
// they compared does not stand in the place of one compared for all.
func TestReportsOfOnesOwnStores(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	there := d.Branch(t)
	here, c := d.In(models.Unknown)
	away, _ := there.In(models.Unknown)
	absent := there.Sale(9900)
	there.Clock.Set(modelstest.At(t, "2026-11-21T09:00:00-06:00"))
	d.closeDay()
	lines := reportLine(here, "Venta") + reportLine(away, "Venta")
	whole := d.reconcile(lines)
	local := modelstest.Person(models.Supervisor, d.Store)
	seen, err := d.Cases.Reconciliation(t.Context(), local, whole.ID)
	if err != nil || seen.Total() != 1 || seen.Open != 1 {
		t.Fatalf("a supervisor of one store sees %+v, %v; want their one doubt", seen, err)
	}
	page, err := d.Cases.ReportItems(t.Context(), local, whole.ID, models.ItemFilter{})
	if err != nil || len(page.Items) != 1 || page.Items[0].OrderID != here.OrderID {
		t.Errorf("items = %+v, %v; want that of order %s", page, err, here.OrderID)
	}
	all, err := d.Cases.ReportItems(t.Context(), d.Supervisor, whole.ID, models.ItemFilter{})
	if err != nil || len(all.Items) != 3 {
		t.Fatalf("items of every store = %v, %v; want 3", all, err)
	}
	for _, i := range all.Items {
		_, err := d.Cases.ReviewDifference(t.Context(), local, i.ID, "x")
		if mine := i.OrderID == here.OrderID; mine != (err == nil) && i.OrderID != here.OrderID && !isError(err, models.ErrNotFound) {
			t.Errorf("ReviewDifference(%s) = %v", i.OrderID, err)
		}
	}
	exec(t, d.Owner, `UPDATE report_items SET reviewed_at = NULL`)
	done, err := d.Cases.ApplyReconciliation(t.Context(), local, whole.ID, d.seal(local, whole.ID))
	if err != nil || done.NotCanceled != 1 {
		t.Errorf("ApplyReconciliation() = %+v, %v; want one doubt settled", done, err)
	}
	if got := d.Case(c.ID).State; got != models.NotCanceled {
		t.Errorf("the case is %s, want notCanceled", got)
	}
	if got := there.Story(away.ID).Sale.State; got != models.SaleUnknown {
		t.Errorf("the other store's sale is %s, want unknown still", got)
	}

	up := d.upload(reportLine(here, "Venta"))
	partial, err := d.Cases.Reconcile(t.Context(), local, up)
	if err != nil || partial.Counts[models.ItemNotInReport] != 0 {
		t.Fatalf("their own report = %+v, %v; want nothing missing", partial, err)
	}
	if again, err := d.Cases.Reconciliation(t.Context(), d.Supervisor, whole.ID); err != nil || again.SupersededBy != 0 {
		t.Errorf("the whole one is superseded by %d, %v; want none", again.SupersededBy, err)
	}
	newer := d.reconcile(lines + reportLine(absent, "Venta"))
	for _, id := range []int64{whole.ID, partial.ID} {
		if old, err := d.Cases.Reconciliation(t.Context(), d.Supervisor, id); err != nil || old.SupersededBy != newer.ID {
			t.Errorf("%d is superseded by %d, %v; want %d", id, old.SupersededBy, err, newer.ID)
		}
		if _, err := d.Cases.ApplyReconciliation(t.Context(), d.Supervisor, id, d.seal(d.Supervisor, id)); !isError(err, &models.Error{Kind: models.KindConflict, Code: "report.superseded"}) {
			t.Errorf("ApplyReconciliation(%d) = %v, want superseded", id, err)
		}
	}
	stranger := modelstest.Person(models.Supervisor, there.Store)
	if _, err := d.Cases.Reconciliation(t.Context(), stranger, partial.ID); !isError(err, models.ErrNotFound) {
		t.Errorf("another store's report = %v, want %v", err, models.ErrNotFound)
	}
	list, err := d.Cases.Reconciliations(t.Context(), stranger, "", "")
	if err != nil || len(list.Reconciliations) != 2 {
		t.Errorf("their list = %+v, %v; want the two of every store", list, err)
	}
}

// What changes between the look and the confirmation is judged again.
func TestWhatChangedMeanwhileIsLeft(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	settled, c := d.in(models.Unknown)
	other, canceled := d.in(models.Unknown)
	d.closeDay()
	rec := d.reconcile(reportLine(settled, "Venta") + reportLine(other, "Venta"))
	if err := d.Cases.Settle(t.Context(), d.Supervisor, c.ID, models.Settlement{Outcome: models.NotCanceled, Note: "no salió comprobante"}); err != nil {
		t.Fatal(err)
	}
	if err := d.Cases.Settle(t.Context(), d.Supervisor, canceled.ID, models.Settlement{Outcome: models.Confirmed, AuthCode: "77"}); err != nil {
		t.Fatal(err)
	}
	seal := d.seal(d.Supervisor, rec.ID)
	for _, seen := range []string{"", "2", seal[1:], strings.ToUpper(seal) + "x"} {
		if _, err := d.Cases.ApplyReconciliation(t.Context(), d.Supervisor, rec.ID, seen); !isError(err, &models.Error{Kind: models.KindConflict, Code: "report.changed"}) {
			t.Errorf("ApplyReconciliation(seen %q) = %v, want report.changed", seen, err)
		}
	}
	for _, who := range []models.Actor{d.Admin, d.Manager, {UserID: 5, Role: models.Manager, AllStores: true, Settles: true}} {
		if _, err := d.Cases.ApplyReconciliation(t.Context(), who, rec.ID, seal); !isError(err, models.ErrForbidden) {
			t.Errorf("ApplyReconciliation() by a %s = %v, want %v", who.Role, err, models.ErrForbidden)
		}
	}
	done, err := d.Cases.ApplyReconciliation(t.Context(), d.Supervisor, rec.ID, seal)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "applied", *done, models.Applied{Already: 1, Changed: 1})
	if got := d.Case(canceled.ID); got.State != models.Confirmed || got.Conflict != "" {
		t.Errorf("the canceled case is %s with conflict %q, want confirmed and none", got.State, got.Conflict)
	}
	d.CheckBooks(t)
}
