package handlers_test

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"veinte/models"
)

// exported is an exported file as a program reads it.
type exported struct {
	notes   map[string]string // by label
	names   []string
	heads   []string
	entries []map[string]string // by name
}

func readCSV(tb testing.TB, body string) exported {
	tb.Helper()
	body, marked := strings.CutPrefix(body, "\ufeff")
	if !marked {
		tb.Errorf("the file begins with %q, want a byte order mark", body[:min(len(body), 10)])
	}
	r := csv.NewReader(strings.NewReader(body)) // every row as long as the first, or an error
	rows, err := r.ReadAll()
	if err != nil {
		tb.Fatalf("not a CSV file: %v", err)
	}
	x := exported{notes: map[string]string{}}
	for _, row := range rows {
		switch {
		case row[0] == "#":
			x.notes[row[1]] = row[2]
		case row[0] == "#n":
			x.names = row
		case strings.Join(row, "") == "": // sets the notes apart
		case x.heads == nil:
			x.heads = row
		default:
			e := map[string]string{}
			for i, name := range x.names {
				e[name] = row[i]
			}
			x.entries = append(x.entries, e)
		}
	}
	return x
}

func (x *exported) of(action string) []map[string]string {
	var found []map[string]string
	for _, e := range x.entries {
		if e["action"] == action {
			found = append(found, e)
		}
	}
	return found
}

// TestExportCSV reads the file as an accountant and as a program does.
func TestExportCSV(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	manager, v := h.manager(), h.supervisor()
	sale := h.Sale(125000)
	manager.post(cancelPath(sale), url.Values{"reason": {"chargedTwice"}, "click": {"c"}}).want(303)
	a := v.get(fmt.Sprintf("/audit.csv?store=%d", h.Store.ID)).want(200)
	if got := a.header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("Content-Type = %q", got)
	}
	if got := a.header.Get("Content-Disposition"); got != `attachment; filename="veinte-bitacora-20261120-120000.csv"` {
		t.Errorf("Content-Disposition = %q", got)
	}
	x := readCSV(t, a.body)
	for label, want := range map[string]string{
		"Exportado": "2026-11-20T12:00:00-06:00", "Zona horaria de todas las horas": "America/Mexico_City (-06:00)",
		"Filtro: Sucursal": fmt.Sprintf("%s (%d)", h.Store.Name, h.Store.ID), "Entradas en este archivo": fmt.Sprint(len(x.entries)),
		"Fin del archivo": "completo",
		"Ventas de estas entradas (cada una contada una vez)": "1", "Suma de sus montos": "1250.00 MXN",
		"De ellas, canceladas hoy por hoy": "0", "Suma de las canceladas": "0.00 MXN",
	} {
		if x.notes[label] != want {
			t.Errorf("%s: %q, want %q", label, x.notes[label], want)
		}
	}
	asked := x.of("cancellation.requested")
	if len(asked) != 1 {
		t.Fatalf("the file lists %d requests, want 1\n%s", len(asked), a.body)
	}
	for name, want := range map[string]string{
		"at": "2026-11-20T12:00:00.000000-06:00", "local": "2026-11-20 12:00:00", "actionWord": "Solicitud de cancelación",
		"outcome": "success",
		"role":    "manager", "roleWord": "Encargado de sucursal", "store": h.Store.Name, "orderId": sale.OrderID, "amount": "1250.00",
		"currency":     "MXN",
		"serialNumber": string(h.Terminal.SerialNumber), "reason": "chargedTwice",
	} {
		if asked[0][name] != want {
			t.Errorf("%s = %q, want %q", name, asked[0][name], want)
		}
	}
	if x.heads[3] != "Fecha y hora" || x.heads[20] != "Monto" {
		t.Errorf("headings %q", x.heads)
	}
	for _, e := range x.entries {
		if e["store"] == theirName {
			t.Errorf("an entry of the other store came along: %v", e)
		}
	}
}

// TestExportSums: a sale counts once, however many entries name it.
func TestExportSums(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.StateOf(models.Confirmed)
	h.StateOf(models.Confirmed)
	h.StateOf(models.Rejected)
	x := readCSV(t, h.supervisor().get("/audit.csv").want(200).body)
	got := x.notes["Ventas de estas entradas (cada una contada una vez)"] + " " + x.notes["Suma de sus montos"]
	if got != "3 3750.00 MXN" {
		t.Errorf("the sales of the file are %s, want 3 of 3750.00 MXN", got)
	}
	if got := x.notes["De ellas, canceladas hoy por hoy"]; got != "2" {
		t.Errorf("%s sales are canceled, want 2", got)
	}
	if got := x.notes["Suma de las canceladas"]; got != "2500.00 MXN" {
		t.Errorf("their sum is %s, want 2500.00 MXN", got)
	}
	moved := 0
	for _, e := range x.entries {
		if e["amount"] == "1250.00" {
			moved++
		}
	}
	if moved < 6 {
		t.Errorf("%d entries name the sales, want several of each", moved)
	}
}

// TestExportIsRecorded: the trail has an export twice, and every refusal once.
func TestExportIsRecorded(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.supervisor()
	x := readCSV(t, v.get("/audit.csv?outcome=success").want(200).body)
	const of = ` FROM audit_entries WHERE action = 'audit.exported' `
	if got := h.text(`SELECT string_agg(outcome || ' ' || (after->>'exportState') || ' ' || coalesce(after->>'entries',
		'-') || ' ' || (after->'filters'->>'outcome'), ', ' ORDER BY id)` + of); got !=
		fmt.Sprintf("success running - success, success done %d success", len(x.entries)) {
		t.Errorf("the trail says %q of %d entries", got, len(x.entries))
	}
	if got := h.text(
		`SELECT state || ' ' || entries || ' ' || (bytes > 1000) FROM audit_exports`,
	); got != fmt.Sprintf("done %d true", len(x.entries)) {
		t.Errorf("the export is stored as %q", got)
	}
	before := h.count(`SELECT count(*)` + of)
	for i, tt := range []struct {
		path   string
		status int
	}{
		{"/audit.csv?from=2026-11-21&to=2026-11-20", 422},
		{"/audit.xlsx?action=nonsense", 422},
		{"/audit/print?outcome=nonsense", 422},
		{"/audit.jsonl?from=ayer", 422},
	} {
		h.endMinute()
		v.get(tt.path).want(tt.status)
		if n := h.count(`SELECT count(*) `+of+` AND outcome = 'failure'`) - i; n != 1 {
			t.Errorf("%s left %d refusals, want 1", tt.path, n)
		}
	}
	v.send("HEAD", "/audit.csv", "").want(200)
	if n := h.count(`SELECT count(*)`+of) - before; n != 4 {
		t.Errorf("four refusals and a HEAD left %d entries, want 4", n)
	}
	denied := `SELECT count(*) FROM audit_entries WHERE action = 'access.denied'`
	n := h.count(denied)
	h.manager().get("/audit.csv").want(403)
	h.as(h.user("Saul", models.Supervisor, h.there)).get(fmt.Sprintf("/audit.csv?store=%d", h.Store.ID)).want(404)
	if n = h.count(denied) - n; n != 2 {
		t.Errorf("two that may not left %d refusals, want 2", n)
	}
	if got := h.count(`SELECT count(*) FROM audit_exports`); got != 1 {
		t.Errorf("%d exports are stored, want the one that was", got)
	}
}

// TestExportPages: what is asked for is seen before, and found afterwards.
func TestExportPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.supervisor()
	h.Request(h.Sale(hereAmount))
	query := fmt.Sprintf("action=cancellation.requested&store=%d", h.Store.ID)
	p := v.get("/audit/exports?" + query).want(200)
	p.saysAll("1 entrada", h.Store.Name, "Solicitud de cancelación", "Todavía no hay exportaciones")
	for _, path := range []string{"/audit.csv?", "/audit.xlsx?", "/audit.jsonl?", "/audit/print?", "/audit?"} {
		if !strings.Contains(p.body, `href="`+path+strings.ReplaceAll(query, "&", "&amp;")+`"`) {
			t.Errorf("the page has no link to %s with the filters", path)
		}
	}
	x := readCSV(t, v.get("/audit.csv?cursor=nonsense&"+query).want(200).body)
	if len(x.entries) != 1 {
		t.Errorf("the file has %d entries, want the 1 that the page promised", len(x.entries))
	}
	p = v.get("/audit/exports?fragment=exports").want(200)
	p.saysAll("Completa", "Entradas: 1", "Sara Supervisora")
	h.as(h.user("Otra", models.Supervisor)).get("/audit/exports").want(200).says("Todavía no hay exportaciones")
	h.administrator().get("/audit/exports").want(200).says("Sara Supervisora")
	v.get("/audit/exports?from=2026-11-21&to=2026-11-20").want(422)
	v.get("/audit/exports?older=nonsense").want(422)
	v.get("/audit?" + query).want(200).says("Exportar")
}

// TestAuditPrint: a page holds a thousand, says how many there are, and leads on.
func TestAuditPrint(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.supervisor()
	h.exec(`INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, reason, store_name, canonical)
		SELECT $1::timestamptz + n * interval '1 ms', '=HYPERLINK("x")', 'system', 'rules.changed', 'success', '<script>alert(1)</script>',
		U&'\202Eedro', ''
		FROM generate_series(1, 2001) n`, h.Clock.Now())
	var seen []string
	path := "/audit/print?action=rules.changed"
	for _, want := range []string{"Entradas 1 a 1,000 de 2,001", "Entradas 1,001 a 2,000 de 2,001", "Entradas 2,001 a 2,001 de 2,001"} {
		p := v.get(path).want(200)
		p.says(want)
		p.hides("<script>alert")
		for _, n := range p.byTestID("printed-entry") {
			seen = append(seen, textOf(n))
		}
		path = p.next()
	}
	if path != "" || len(seen) != 2001 {
		t.Errorf("the pages have %d entries and lead on to %q, want 2001 and an end", len(seen), path)
	}
	for _, after := range []string{"x", "MTp4", "LTE6MS4x"} {
		v.get("/audit/print?after=" + after).want(422)
	}
	if n := h.count(
		`SELECT count(*) FROM audit_entries WHERE action = 'audit.exported' AND after->>'format' = 'print' AND outcome = 'success'`,
	); n != 3 {
		t.Errorf("three pages left %d entries, want 3", n)
	}
}

// TestExportOfOwnStores: the file holds what the page would.
func TestExportOfOwnStores(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	h.Request(h.Sale(hereAmount))
	v := h.as(h.user("Saul", models.Supervisor, h.there))
	for _, path := range []string{"/audit.csv", "/audit/print"} {
		body := v.get(path).want(200).body
		if !strings.Contains(body, theirName) {
			t.Errorf("%s has nothing of the own store", path)
		}
		for _, not := range []string{h.Store.Name, "4312.98", "4,312.98", string(h.Terminal.SerialNumber)} {
			if strings.Contains(body, not) {
				t.Errorf("%s has %q of another store", path, not)
			}
		}
	}
	x := readCSV(t, v.get("/audit.csv").want(200).body)
	if x.notes["Alcance"] == "" || len(x.of("audit.exported")) == 0 {
		t.Errorf("the file lacks its scope (%q) or what the reader did", x.notes["Alcance"])
	}
	book := openBook(t, v.get("/audit.xlsx").want(200).body)
	rows, err := book.GetRows("Bitácora 1")
	if err != nil || len(rows) < 3 {
		t.Fatalf("the workbook has %d rows, %v", len(rows), err)
	}
	for _, row := range rows {
		if strings.Contains(strings.Join(row, " "), h.Store.Name) {
			t.Errorf("the workbook has a row of another store: %v", row)
		}
	}
}

// fileNoted wants the trail to have one download of the file, and that it left whole with
// its SHA-256, and none more after somebody only asked whether there is one.
func (h *house) fileNoted(v *visitor, path, file, of string) {
	h.tb.Helper()
	noted := func(sha256 string) int {
		return h.count(`SELECT count(*) FROM audit_entries WHERE action = 'file.exported' AND outcome = 'success' AND actor_id = $1
			AND after->>'file' = $2 AND after->>'fileName' <> '' AND $3 = '/' || $4::text || 's/' || (after->>$4) || '/' || split_part($3,
			'/', 4) AND coalesce(after->>'sha256', '') = $5`, v.id, file, path, of, sha256)
	}
	before := noted("")
	body := v.get(path).want(200).body
	v.send("HEAD", path, "").want(200)
	if n := noted("") - before; n != 1 {
		h.tb.Errorf("%s left %d entries, want 1", path, n)
	}
	if sum := sha256.Sum256([]byte(body)); noted(hex.EncodeToString(sum[:])) != 1 {
		h.tb.Errorf("%s left no entry with its SHA-256", path)
	}
}

func openBook(tb testing.TB, body string) *excelize.File {
	tb.Helper()
	book, err := excelize.OpenReader(strings.NewReader(body))
	if err != nil {
		tb.Fatalf("not a workbook: %v", err)
	}
	tb.Cleanup(func() { _ = book.Close() })
	return book
}
