package handlers_test

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"veinte/models"
	"veinte/models/imports"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

// saleFactsSQL are the facts of every sale, as an import knows them.
const saleFactsSQL = `SELECT coalesce(string_agg(concat_ws('|', serial_number, merchant_id, order_id, amount, currency, sold_at, last4,
	card_brand, auth_code, folio, reference), E'\n' ORDER BY order_id), '') FROM sales`

// exportedSales reads a CSV file of sales by the names of its columns.
func exportedSales(tb testing.TB, body string) map[string]map[string]string {
	tb.Helper()
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(body, "\ufeff"))).ReadAll()
	if err != nil || len(rows) == 0 {
		tb.Fatalf("not a CSV file: %v", err)
	}
	sales := map[string]map[string]string{}
	for _, row := range rows[1:] {
		sale := map[string]string{}
		for i, name := range rows[0] {
			sale[name] = row[i]
		}
		sales[sale["orderId"]] = sale
	}
	return sales
}

// oddSales are sales whose facts spreadsheets like to change, one of them canceled.
func (h *house) oddSales() (canceled *models.Sale) {
	h.tb.Helper()
	canceled, _ = h.StateOf(models.Accepted)
	p := modelstest.CancelPost(canceled, h.LastOrder().Key.Hash())
	p.Folio = "C-77"
	h.Post(p)
	for _, odd := range []struct{ order, auth, folio, last4 string }{
		{"=1+1", "012345", "-7", "0042"}, {"00012345", "A,B\"C", "+52", ""}, {"@orden ñ", "1E5", "000", "0000"},
	} {
		p := h.SalePost(h.Terminal.SerialNumber, 20658)
		p.OrderID, p.AuthCode, p.Folio, p.Last4 = odd.order, odd.auth, odd.folio, odd.last4
		h.Post(p)
	}
	return canceled
}

// What leaves as a file comes in elsewhere as the same sales, in either format.
func TestSalesLeaveAsTheyCameIn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.oddSales()
	v := h.supervisor()
	want := h.text(saleFactsSQL)
	for _, format := range []string{"csv", "xlsx"} {
		a := v.get("/sales." + format + "?date=2026-11-20").want(200)
		there := modelstest.NewOffice(t)
		var serials []string
		for _, line := range strings.Split(want, "\n") {
			serial, _, _ := strings.Cut(line, "|")
			if slices.Contains(serials, serial) {
				continue
			}
			serials = append(serials, serial)
			_, err := there.Terminals.CreateTerminal(t.Context(), there.Admin, terminals.Input{
				SerialNumber: serial, Label: "Caja", MerchantID: "M" + serial, StoreID: there.Store.ID,
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		there.Clock.Advance(time.Hour)
		imp, err := there.Imports.ImportFile(t.Context(), there.Admin, imports.FileImport{Kind: imports.OfSales, Name: "ventas." + format},
			strings.NewReader(a.body), int64(len(a.body)))
		if err != nil {
			t.Errorf("%s: ImportFile() = %+v, %v", format, imp, err)
			continue
		}
		var got string
		if err := there.Owner.QueryRow(saleFactsSQL).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s: the sales are\n%s\nwant\n%s", format, got, want)
		}
	}
}

// A file has each sale with its state, who asked for its cancellation, why, and what
// came of it.
func TestSalesExportSaysWhatBecameOfThem(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	canceled := h.oddSales()
	v := h.supervisor()
	a := v.get("/sales.csv").want(200)
	if got := a.header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("Content-Type = %q", got)
	}
	sales := exportedSales(t, a.body)
	if len(sales) != 4 {
		t.Fatalf("the file has %d sales, want 4:\n%s", len(sales), a.body)
	}
	if _, ok := sales["'=1+1"]; !ok {
		t.Errorf("a formula is not behind a ': %s", a.body)
	}
	row := sales[canceled.OrderID]
	for name, want := range map[string]string{
		"serialNumber": string(canceled.SerialNumber), "storeId": canceled.MerchantID, "store": h.Store.Code, "storeName": h.Store.Name,
		"amount": canceled.Amount.Decimal(), "businessDay": "2026-11-20", "saleState": "confirmed", "saleStateWord": "Cancelada",
		"cancellationState": "confirmed", "cancellationId": fmt.Sprint(h.cancellationOf(canceled)),
		"requestedBy":       h.text(`SELECT requester FROM cancellations`),
		"reasonCode":        h.text(`SELECT reason FROM cancellations`),
		"cancellationFolio": "C-77",
		"requestedAt":       "2026-11-20T12:00:00.000000-06:00",
	} {
		if row[name] != want || want == "" {
			t.Errorf("%s = %q, want %q", name, row[name], want)
		}
	}
	if row["reasonWord"] == "" || row["cancellationOutcomeWord"] == "" {
		t.Errorf("the words are missing: %v", row)
	}
	if other := sales["00012345"]; other["saleState"] != "cancelable" || other["cancellationId"]+other["requestedBy"] != "" {
		t.Errorf("a sale that nobody canceled = %v", other)
	}

	x, err := excelize.OpenReader(strings.NewReader(v.get("/sales.xlsx").want(200).body))
	if err != nil {
		t.Fatal(err)
	}
	if got := x.GetSheetList(); !slices.Equal(got, []string{"Ventas 1", "Acerca de"}) {
		t.Errorf("sheets = %v", got)
	}
	about, err := x.GetRows("Acerca de")
	if err != nil {
		t.Fatal(err)
	}
	facts := map[string]string{}
	for _, row := range about {
		if len(row) > 1 {
			facts[row[0]] = row[1]
		}
	}
	for label, want := range map[string]string{
		"Ventas en este archivo": "4", "Fin del archivo": "completo", "Suma de las canceladas": canceled.Amount.Decimal() + " MXN",
		"storeId": "Id. de comercio (storeId)", "Filtro: Desde": "2026-11-20",
	} {
		if facts[label] != want {
			t.Errorf("%s: %q, want %q", label, facts[label], want)
		}
	}
}

// Every filter of the list filters a file in the same way, on any range of days.
func TestSalesExportFilters(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first := h.Sale(10000)
	h.Clock.Advance(24 * time.Hour)
	canceled, _ := h.StateOf(models.Confirmed)
	open := h.Sale(33300)
	other := h.SaleAt(h.NewTerminal(h.Store), 44400)
	v := h.supervisor()
	for query, want := range map[string][]*models.Sale{
		"":                                    {canceled, open, other},
		"date=2026-11-20":                     {first},
		"from=2026-11-20":                     {first, canceled, open, other},
		"to=2026-11-20":                       {first},
		"from=2026-11-19&to=2026-11-21":       {first, canceled, open, other},
		"from=2026-11-01&state=tooLate":       {first},
		"state=confirmed":                     {canceled},
		"state=cancelable":                    {open, other},
		"from=2026-11-20&state=soon":          {},
		"q=333.00":                            {open},
		"q=" + url.QueryEscape(other.OrderID): {other},
		fmt.Sprintf("terminal=%d", other.TerminalID):                                      {other},
		fmt.Sprintf("from=2026-11-20&store=%d&terminal=%d", h.Store.ID, first.TerminalID): {first, canceled, open},
	} {
		got := exportedSales(t, v.get("/sales.csv?"+query).want(200).body)
		var wanted []string
		for _, s := range want {
			wanted = append(wanted, s.OrderID)
			if _, ok := got[s.OrderID]; !ok {
				t.Errorf("%q lacks %s", query, s.OrderID)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%q has %d sales, want %v", query, len(got), wanted)
		}
	}
	for query, field := range map[string]string{
		"from=ayer": "from", "from=2026-11-21&to=2026-11-20": "to", "state=x": "state", "q=4111111111111111": "q",
	} {
		v.get("/sales.csv?" + query).want(422)
		v.get("/sales/export?" + query).want(422)
		if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'sales.exported' AND outcome = 'failure'`); n == 0 {
			t.Errorf("a refused %s is not in the trail", field)
		}
	}
	h.withNeighbours()
	own := h.as(h.user("Sofía Supervisora", models.Supervisor, h.Store))
	own.get(fmt.Sprintf("/sales.csv?store=%d", h.count(`SELECT id FROM stores WHERE id <> $1 LIMIT 1`, h.Store.ID))).want(404)
	for order, sale := range exportedSales(t, own.get("/sales.csv?from=2026-11-01").want(200).body) {
		if sale["store"] != h.Store.Code {
			t.Errorf("order %s of store %s came along", order, sale["store"])
		}
	}
}

// An export is in the trail twice, with its filter and its count; it is on the page of
// exports, and bound by the same limits.
func TestSalesExportIsAnAct(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.oddSales()
	v := h.supervisor()
	v.get("/sales?state=confirmed").want(200).one("export-sales")
	p := v.get("/sales/export?from=2026-11-01&state=cancelable").want(200)
	p.says("3 ventas")
	p.says("Cada exportación queda anotada en la bitácora")
	v.get("/sales.csv?from=2026-11-01&state=cancelable").want(200)
	got := h.text(`SELECT string_agg(concat_ws(' ', outcome, after->>'exportState', after->>'format', after->'filters'->>'from',
		after->'filters'->>'state', after->>'sales'), ', ' ORDER BY id) FROM audit_entries WHERE action = 'sales.exported'`)
	if want := "success running csv 2026-11-01 cancelable, success done csv 2026-11-01 cancelable 3"; got != want {
		t.Errorf("the trail says %q, want %q", got, want)
	}
	list := v.get("/audit/exports").want(200)
	list.says("Ventas: 3")
	if !strings.Contains(list.body, `href="/sales/export?from=2026-11-01&amp;state=cancelable`) {
		t.Error("the list of exports does not lead to the export of sales")
	}
	v.get("/audit?action=sales.exported").want(200).says("Ventas exportadas")

	h.exec(`INSERT INTO audit_exports (format, actor_id, actor_name, query, filters, started_at, seen_at)
		SELECT 'csv', id, name, '', '{}', $1, $1 FROM users, generate_series(1, 2) WHERE role = 'supervisor'`, h.Clock.Now())
	v.get("/sales.xlsx").want(429)
}

// Managers export the sales of their own store, see their own exports only, and are in
// the trail like everybody.
func TestManagersExportTheirStore(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	mine := h.Sale(12300)
	there := h.count(`SELECT id FROM stores WHERE id <> $1 LIMIT 1`, h.Store.ID)
	h.supervisor().get("/sales.csv").want(200)
	m := h.manager()
	m.get("/sales").want(200).one("export-sales")
	for _, query := range []string{"", "from=2026-01-01&to=2026-12-31", fmt.Sprintf("store=%d", h.Store.ID)} {
		got := exportedSales(t, m.get("/sales.csv?"+query).want(200).body)
		if _, ok := got[mine.OrderID]; !ok {
			t.Errorf("%q lacks the store's own sale: %v", query, got)
		}
		for order, sale := range got {
			if sale["store"] != h.Store.Code {
				t.Errorf("%q has order %s of store %s", query, order, sale["store"])
			}
		}
	}
	for _, path := range []string{"/sales.csv", "/sales.xlsx", "/sales/export"} {
		m.get(fmt.Sprintf("%s?store=%d", path, there)).want(404)
	}
	p := m.get("/sales/export").want(200)
	if n := len(p.byTestID("export")); n != 3 {
		t.Errorf("a manager sees %d exports, want their own three", n)
	}
	if strings.Contains(p.body, "/audit") {
		t.Error("the page leads a manager to the trail, which they may not read")
	}
	m.get("/sales/export?fragment=exports").want(200)
	m.get("/audit/exports").want(403)
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'sales.exported' AND actor_id = $1`, m.id); n != 6 {
		t.Errorf("entries of the manager = %d, want 6", n)
	}
	m.get("/audit.csv").want(403)
}
