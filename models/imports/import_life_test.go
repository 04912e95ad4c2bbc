package imports_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"veinte/models"
	"veinte/models/imports"
	"veinte/models/intake"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

// saleLine is a row of a file: serial number, order, amount, date, and what follows.
func saleLine(serial models.SerialNumber, order, at string, more ...string) string {
	return strings.Join(append([]string{string(serial), order, "1250.00", at}, more...), ";") + "\n"
}

const saleHead = "N/S;Orden;Importe;Fecha"

func noteOf(i *imports.Detail, code string) string {
	for _, n := range i.ReadNotes() {
		if n.Code == code {
			return n.Detail
		}
	}
	return "(no note)"
}

// inTijuana opens a store an hour or two behind Mexico City.
func inTijuana(t *testing.T, o *modelstest.Office) *models.Store {
	t.Helper()
	store, err := o.Terminals.CreateStore(t.Context(), o.Admin, terminals.StoreInput{
		Code: "TIJ-77", Name: "Tijuana", TimeZone: "America/Tijuana",
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// TestTimesAreTheStoresOwn: a time without a zone is what the clock of the store
// showed in which the terminal stood then, and the preview says so.
func TestTimesAreTheStoresOwn(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	store := inTijuana(t, o)
	tijuana := o.NewTerminal(store)
	s := modelstest.Give(t, o, "Ventas del 20 de noviembre\n"+saleHead+";Hora\n"+
		saleLine(tijuana.SerialNumber, "TIJ-A", "20/11/2026", "09:30")+
		saleLine(o.Terminal.SerialNumber, "CDMX-A", "20/11/2026 09:30", "")+
		saleLine(tijuana.SerialNumber, "TIJ-ZONE", "2026-11-20T09:30:00-06:00", ""))
	want(t, s, "checked rows 3 new 3 known 0 conflict 0 refused 0 warned 0")
	if got := noteOf(s, "import.note.zones"); got != "America/Mexico_City (1), America/Tijuana (1)" {
		t.Errorf("zones = %s", got)
	}
	if got := noteOf(s, "table.note.titles"); got != "2" {
		t.Errorf("line of the head = %s, want 2", got)
	}
	if first := s.First[0]; first.Values[5] != "2026-11-20T09:30:00-08:00" || first.Zone != "America/Tijuana" || s.First[2].Zone != "" {
		t.Errorf("first rows = %+v, want the store's clock before anybody confirms", s.First)
	}
	modelstest.Confirm(t, o, s, false)
	for order, at := range map[string]string{
		"TIJ-A": "2026-11-20T17:30:00Z", "CDMX-A": "2026-11-20T15:30:00Z", "TIJ-ZONE": "2026-11-20T15:30:00Z",
	} {
		if got := o.FindSale(order).SoldAt.UTC().Format(time.RFC3339); got != at {
			t.Errorf("sale %s was made at %s, want %s", order, got, at)
		}
	}
	o.CheckInvariants(t)
}

// TestATerminalRegisteredMeanwhile: the zone of a terminal that is registered after
// the upload is known when the file is imported.
func TestATerminalRegisteredMeanwhile(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	store := inTijuana(t, o)
	serial := modelstest.NextSerial()
	s := modelstest.Give(t, o, saleHead+"\n"+saleLine(models.SerialNumber(serial), "LATE", "20/11/2026 09:30")+
		saleLine(o.Terminal.SerialNumber, "THERE", "20/11/2026 09:30"))
	want(t, s, "checked rows 2 new 1 known 0 conflict 0 refused 1 warned 0")
	if got := wrongCells(s); !slices.Equal(got, []string{"2 serialNumber sale.unknownTerminal"}) {
		t.Errorf("wrong cells = %q", got)
	}
	_, err := o.Terminals.CreateTerminal(t.Context(), o.Admin, terminals.Input{
		SerialNumber: serial, Label: "Caja", MerchantID: "M" + serial, StoreID: store.ID,
	})
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Confirm(t, o, s, true)
	if got := o.FindSale("LATE").SoldAt.UTC().Format(time.RFC3339); got != "2026-11-20T17:30:00Z" {
		t.Errorf("the sale was made at %s, want Tijuana's 09:30", got)
	}
}

// TestATimeThatTheStoresClockSkipped is refused, by the store's clock.
func TestATimeThatTheStoresClockSkipped(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	store := inTijuana(t, o)
	tijuana := o.NewTerminal(store)
	s := modelstest.Give(t, o, saleHead+"\n"+saleLine(tijuana.SerialNumber, "SKIPPED", "08/03/2026 02:30")+
		saleLine(tijuana.SerialNumber, "TWICE", "01/11/2026 01:30"))
	if got := wrongCells(s); !slices.Equal(got, []string{"2 soldAt table.neverWas", "3 soldAt table.twice"}) {
		t.Errorf("wrong cells = %q", got)
	}
}

// TestStatusColumns: declined, canceled and other rows are left out and named, those
// of a sale that another row cancels too; what nobody knows is asked about.
func TestStatusColumns(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	at, serial := "20/11/2026 11:00", o.Terminal.SerialNumber
	content := saleHead + ";Tipo de transacción;Estatus\n" +
		saleLine(serial, "APPROVED", at, "VENTA", "Aprobada") +
		saleLine(serial, "DECLINED", at, "VENTA", "DECLINADA") +
		saleLine(serial, "CANCELLED", at, "Sale", "Cancelled") +
		saleLine(serial, "TWO-LINES", at, "Venta", "Approved") +
		saleLine(serial, "REFUND", at, "Devolución", "Aprobada") +
		saleLine(serial, "", at, "Venta", "Rechazada") + // nothing of it matters
		saleLine(serial, "UNKNOWN", at, "Venta", "En proceso") +
		saleLine(serial, "TWO-LINES", at, "CANCELACIÓN", "Aprobada")
	s := modelstest.Give(t, o, content)
	want(t, s, "checked rows 8 new 1 known 0 conflict 0 refused 1 warned 0")
	if s.LeftOutCount != 6 || !s.Unanswered() {
		t.Fatalf("left out %d, unanswered %t; want 6 rows and a question", s.LeftOutCount, s.Unanswered())
	}
	var out []string
	for _, r := range s.LeftOut {
		out = append(out, fmt.Sprintf("%d %s %s", r.Line, r.Problems[0].Code, r.Problems[0].Detail))
	}
	modelstest.Equal(t, "left out", out, []string{
		"3 status.declined DECLINADA", "4 status.canceled Cancelled", "5 status.canceledElsewhere ", "6 status.other Devolución",
		"7 status.declined Rechazada", "9 status.canceled CANCELACIÓN",
	})
	var words []string
	answers := make([]imports.Meaning, len(s.StatusWords()))
	for i, w := range s.StatusWords() {
		words = append(words, fmt.Sprintf("%s %s %d %s", w.Column, w.Word, w.Rows, w.Meaning))
		answers[i] = w.Meaning
		if w.Meaning == "" {
			answers[i] = imports.MeansSale
		}
	}
	modelstest.Equal(t, "words", words, []string{
		"status Aprobada 3 sale", "status Approved 1 sale", "status Cancelled 1 canceled", "status DECLINADA 1 declined",
		"status En proceso 1 ", "status Rechazada 1 declined",
		"operation VENTA 5 sale", "operation CANCELACIÓN 1 canceled", "operation Devolución 1 other", "operation Sale 1 sale",
	})
	// The answer is checked again, and is in the trail.
	var refused *models.Error
	none := slices.Clone(answers)
	none[0] = ""
	if err := o.Imports.AnswerStatus(t.Context(), o.Admin, s.ID, s.Version, none); !errors.As(err, &refused) || refused.Field != "words" {
		t.Errorf("an answer without a meaning = %v, want a refusal of words", err)
	}
	if err := o.Imports.AnswerStatus(t.Context(), o.Manager, s.ID, s.Version, answers); err == nil {
		t.Error("a manager may say what a file's words mean")
	}
	if err := o.Imports.AnswerStatus(t.Context(), o.Admin, s.ID, s.Version, answers); err != nil {
		t.Fatal(err)
	}
	if err := o.Imports.AnswerStatus(t.Context(), o.Admin, s.ID, s.Version, answers); !errors.Is(err, imports.ErrState) {
		t.Errorf("a second answer = %v, want %v", err, imports.ErrState)
	}
	s = modelstest.RunImport(t, o, s.ID)
	want(t, s, "checked rows 8 new 2 known 0 conflict 0 refused 0 warned 0")
	modelstest.Confirm(t, o, s, false)
	if got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM sales WHERE order_id IN ('APPROVED', 'UNKNOWN')`); got != 2 {
		t.Errorf("approved sales = %d, want 2", got)
	}
	if got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM sales`); got != 2 {
		t.Errorf("sales = %d: one that was declined or canceled is listed as cancelable", got)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'import.statusSaid'
		AND before->'statusWords' ? 'En proceso: ' AND after->'statusWords' ? 'En proceso: sale' AND actor_name = $1`, o.Admin.Name); n != 1 {
		t.Errorf("entries = %d, want one with the answer", n)
	}
	imported := `SELECT count(*) FROM audit_entries WHERE action = 'sales.imported' AND after->>'leftOut' = '6'`
	if n := modelstest.Count(t, o.Owner, imported); n != 1 {
		t.Errorf("entries with the rows that were left out = %d, want one", n)
	}
	o.CheckInvariants(t)
}

// TestEveryKnownStatus: the words of both languages, however they are written.
func TestEveryKnownStatus(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for meaning, words := range map[imports.Meaning][]string{
		imports.MeansSale:     {"Aprobada", "APROBADO", "Autorizada", "Transacción exitosa", "approved", "Authorised", " Sale ", "Pagada"},
		imports.MeansDeclined: {"Declinada", "rechazado", "DENEGADA", "No aprobada", "Declined", "not approved", "Failed"},
		imports.MeansCanceled: {"Cancelada", "CANCELACION", "Cancelación", "anulada", "Canceled", "CANCELLED", "Voided", "Reverso"},
		imports.MeansOther:    {"Devolución", "reembolso", "Refund", "Chargeback"},
		"":                    {"En proceso", "Pendiente", "X", "00", "Jalisco"},
	} {
		for _, word := range words {
			s := modelstest.Give(t, o, saleHead+";Estado\n"+saleLine(o.Terminal.SerialNumber, "A", "20/11/2026 11:00", word)+
				saleLine(o.Terminal.SerialNumber, "B", "20/11/2026 11:00", "Aprobada"))
			status := intake.Created
			for _, r := range slices.Concat(s.Remarks, s.LeftOut) {
				status = r.Status
			}
			want := map[imports.Meaning]intake.Status{imports.MeansSale: intake.Created, "": intake.Refused}[meaning]
			if want == "" {
				want = imports.LeftOut
			}
			if status != want || s.Unanswered() != (meaning == "") {
				t.Errorf("%q makes the row %s, asked %t; want %s", word, status, s.Unanswered(), want)
			}
		}
	}
}

// TestColumnsThatSayNothing: an empty status column asks nothing, and one with too many
// values is none.
func TestColumnsThatSayNothing(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	s := modelstest.Give(t, o, saleHead+";Estado\n"+saleLine(o.Terminal.SerialNumber, "A", "20/11/2026 11:00", " "))
	want(t, s, "checked rows 1 new 1 known 0 conflict 0 refused 0 warned 0")
	if s.Unanswered() || len(s.StatusWords()) != 0 {
		t.Errorf("words of an empty column = %v", s.StatusWords())
	}
	// A row that was cut asks nothing either.
	s = modelstest.Give(t, o, saleHead+";Estado\n"+saleLine(o.Terminal.SerialNumber, "A", "20/11/2026 11:00", "Aprobada")+
		saleLine(o.Terminal.SerialNumber, "CUT", "20/11/2026 11:00")+saleLine(o.Terminal.SerialNumber, "B", "20/11/2026 11:00", "Aprobada"))
	want(t, s, "checked rows 3 new 2 known 0 conflict 0 refused 1 warned 0")
	if s.Unanswered() || len(s.StatusWords()) != 1 {
		t.Errorf("words beside a row that was cut = %v", s.StatusWords())
	}
	content := saleHead + ";Resultado\n"
	for i := range 41 {
		content += saleLine(o.Terminal.SerialNumber, fmt.Sprint("N", i), "20/11/2026 11:00", fmt.Sprint("texto ", i))
	}
	_, err := o.Imports.Upload(t.Context(), o.Admin, imports.OfSales, "x.csv", strings.NewReader(content), int64(len(content)))
	var wrong *imports.FileError
	if !errors.As(err, &wrong) || !wrong.Is(imports.ErrStatusWords) || wrong.Detail != "Resultado" || wrong.Max != 40 {
		t.Errorf("41 values = %+v, want %v that names the column", wrong, imports.ErrStatusWords)
	}
}

// TestStatusOnTheCommandLine: a file with an unknown word is not imported, unless its
// meaning is given.
func TestStatusOnTheCommandLine(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	content := saleHead + ";Estado\n" + saleLine(o.Terminal.SerialNumber, "ASKED", "20/11/2026 11:00", "En proceso") +
		saleLine(o.Terminal.SerialNumber, "LINES", "20/11/2026 11:00", "Aprobada") +
		saleLine(o.Terminal.SerialNumber, "LINES", "20/11/2026 11:00", "Cancelada")
	give := func(said map[string]string) (*imports.Import, error) {
		meanings, err := imports.ParseMeanings(said)
		if err != nil {
			t.Fatal(err)
		}
		f := imports.FileImport{Kind: imports.OfSales, Name: "ventas.csv", Meanings: meanings}
		return o.Imports.ImportFile(t.Context(), o.Admin, f, strings.NewReader(content), int64(len(content)))
	}
	imp, err := give(nil)
	if !errors.Is(err, imports.ErrInvalid) || imp.RefusedCount != 1 || imp.LeftOutCount != 2 {
		t.Errorf("an unknown word = %+v, %v; want it refused and two rows left out", imp, err)
	}
	imp, err = give(map[string]string{"en PROCESO": "sale"})
	if err != nil || imp.NewCount != 1 || imp.LeftOutCount != 2 {
		t.Errorf("with its meaning = %+v, %v; want one new sale", imp, err)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM sales`); n != 1 {
		t.Errorf("sales = %d, want one", n)
	}
	if _, err := imports.ParseMeanings(map[string]string{"x": "perhaps"}); err == nil {
		t.Error("a meaning that is none is accepted")
	}
}

// TestNotesAboutRows: what is known at a file's end only is in its notes.
func TestNotesAboutRows(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	s := modelstest.Give(t, o, strings.ReplaceAll("Núm. de serie;Orden;Importe;Fecha\n"+
		saleLine(o.Terminal.SerialNumber, "MAC", "20/11/2026 11:00"), "ú", "\x9C"))
	want(t, s, "checked rows 1 new 1 known 0 conflict 0 refused 0 warned 0")
	codes := []string{}
	for _, n := range s.ReadNotes() {
		codes = append(codes, n.Code)
	}
	if diff := cmp.Diff([]string{"table.note.macintosh", "import.note.zones"}, codes); diff != "" {
		t.Error(diff)
	}
}
