package handlers_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/reconciliation"
	"veinte/models/reconciliation/report"
)

const reportHeader = "Número de orden,Terminal,Importe,Operación,Fecha\n"

// reportProfile adds a profile for reports with that header.
func (h *house) reportProfile(name string) int64 {
	h.tb.Helper()
	p, err := h.Reconciliation.CreateReportProfile(context.Background(), h.Admin, name, report.Mapping{
		Columns: map[report.Field]string{
			report.FieldOrderID: "Número de orden", report.FieldSerialNumber: "Terminal", report.FieldAmount: "Importe",
			report.FieldStatus: "Operación", report.FieldSoldAt: "Fecha",
		},
		Words:   map[string]report.Meaning{"VENTA": report.MeansSale, "CANCELADA": report.MeansCancellation},
		Amounts: report.AmountsPoint, Dates: report.DatesDayMonthYear, Zone: "America/Mexico_City",
	})
	h.must(err)
	return p.ID
}

func reportLine(s *models.Sale, operation string) string {
	return fmt.Sprintf("%s,%s,%d.%02d,%s,20/11/2026 12:00\n", s.OrderID, s.SerialNumber, s.Amount/100, s.Amount%100, operation)
}

// compare compares a report as a supervisor of every store.
func (h *house) compare(profile int64, day, until, lines string) *reconciliation.Reconciliation {
	h.tb.Helper()
	text := reportHeader + lines
	table, done, err := report.OpenReport(strings.NewReader(text), int64(len(text)), report.Mapping{})
	h.must(err)
	defer func() { h.must(done()) }()
	sum := sha256.Sum256([]byte(text))
	rec, err := h.Reconciliation.Reconcile(context.Background(), h.Supervisor, reconciliation.Upload{
		ProfileID: profile, Day: day, Until: until, FileName: "reporte.csv", FileHash: hex.EncodeToString(sum[:]),
		FileBytes: int64(len(text)), Table: table,
	})
	h.must(err)
	return rec
}

// file sends a form with a file, as a browser does: its fields before it.
func (v *visitor) file(path, name, content string, pairs ...string) *answer {
	v.h.tb.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	v.h.must(w.WriteField("csrf", v.csrf()))
	for i := 0; i+1 < len(pairs); i += 2 {
		v.h.must(w.WriteField(pairs[i], pairs[i+1]))
	}
	part, err := w.CreateFormFile("file", name)
	v.h.must(err)
	_, err = part.Write([]byte(content))
	v.h.must(err)
	v.h.must(w.Close())
	return v.send("POST", path, body.String(), "Content-Type", w.FormDataContentType())
}

// TestReconciliationByPages goes through a supervisor's morning: the report, what
// it would resolve, the confirmation, the rest with a note, the download.
func TestReconciliationByPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	doubted, _ := h.StateOf(models.Unknown)
	h.Clock.Advance(modelstest.Waits.Quiet)
	charged, _ := h.StateOf(models.Unknown)
	h.Clock.Advance(modelstest.Waits.Quiet)
	plain, absent := h.Sale(7000), h.Sale(8000)
	h.Clock.Set(modelstest.At(t, "2026-11-21T09:00:00-06:00"))
	v, admin, manager := h.supervisor(), h.administrator(), h.manager()
	v.get("/reconciliations").want(200).says("Falta decir cómo escribe su reporte el proveedor")
	profile := fmt.Sprint(h.reportProfile("Proveedor"))
	lines := reportLine(doubted, "VENTA") + reportLine(doubted, "CANCELADA") + reportLine(charged, "VENTA") + reportLine(plain, "VENTA") +
		"=cmd()," + string(h.Terminal.SerialNumber) + ",5.00,VENTA,20/11/2026 13:00\n"
	form := []string{"profile", profile, "day", "2026-11-20"}
	p := v.follow(v.file("/reconciliations", "reporte.csv", reportHeader+lines, form...).wantTo("/reconciliations/1"))
	p.says("Nada ha cambiado todavía")
	p.says("Sí, resolver 2 casos")
	if got := fmt.Sprint(p.attrs("report-item", "data-kind")); got != "[canceled charged unreadable notInReport]" {
		t.Errorf("the differences are %s", got)
	}
	if n := h.count(`SELECT count(*) FROM cancellations WHERE state <> 'unknown'`); n != 0 {
		t.Errorf("%d cancellations moved by comparing, want none", n)
	}
	seen := admin.get("/reconciliations/1").want(200)
	seen.says("Lo confirma un supervisor")
	seen.hides("Sí, resolver")
	manager.get("/reconciliations/1").want(403)
	v.get("/reconciliations/1?kind=zzz").want(422).says("Elige un valor de la lista")
	v.get("/reconciliations/1?cursor=zzz").want(422)
	v.get("/reconciliations/1?settle=1").want(200).says("Por confirmar")
	v.get("/reconciliations/99").want(404)
	v.get("/reconciliations?date=ayer").want(422)
	v.get("/reconciliations?date=2026-11-20").want(200).says("reporte.csv")

	v.post("/reconciliations/1/settlement", url.Values{"seen": {"x"}}).want(409)
	v.post("/reconciliations/1/settlement", url.Values{"seen": {"2"}}).want(409).says("cambió desde que abriste la página")
	h.exec(`INSERT INTO rules (set_at, effective_at, set_by, managers_settle) VALUES (now(), now(), 'x', true)`)
	confirm := url.Values{"seen": {p.formTo("/reconciliations/1/settlement")["seen"]}}
	manager.post("/reconciliations/1/settlement", confirm).want(403)
	v.follow(v.post("/reconciliations/1/settlement", confirm).wantTo("/reconciliations/1")).says("los casos quedaron resueltos")
	v.post("/reconciliations/1/settlement", confirm).want(409)
	if got := h.text(`SELECT string_agg(state, ' ' ORDER BY id) FROM sales`); got != "confirmed notCanceled cancelable cancelable" {
		t.Errorf("the sales are %q", got)
	}
	detail := v.get(fmt.Sprintf("/sales/%d", doubted.ID)).want(200)
	detail.says("El reporte del proveedor dice que se canceló.")
	detail.says("reporte.csv")

	item := h.count(`SELECT id FROM report_items WHERE sale_id = $1`, absent.ID)
	mark := fmt.Sprintf("/differences/%d/review", item)
	v.follow(
		v.post(mark, url.Values{"note": {"vino al día siguiente"}, "kind": {"notInReport"}}).wantTo("/reconciliations/1?kind=notInReport"),
	).says("vino al día siguiente")
	v.post(mark, url.Values{"note": {"otra vez"}}).want(409).says("Ya estaba atendida")
	v.post(mark, url.Values{"note": {"a\tb"}}).want(422)
	h.fileNoted(v, "/reconciliations/1/differences.csv", "differences", "reconciliation")
	csv := v.get("/reconciliations/1/differences.csv").want(200)
	csv.says("'=cmd()")
	csv.says("vino al día siguiente")
	if got := csv.header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("the differences are of type %q", got)
	}
	for action, want := range map[string]int{
		"report.uploaded": 1, "reconciliation.applied": 1, "difference.reviewed": 1, "profile.created": 1,
	} {
		if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = $1`, action); n != want {
			t.Errorf("the trail holds %d of %s, want %d", n, action, want)
		}
	}
	admin.get("/audit").want(200).says("Casos resueltos con un reporte")

	// The same file again is refused; a later report stands in its place.
	v.file("/reconciliations", "reporte.csv", reportHeader+lines, form...).want(409).says("Este mismo archivo ya se comparó")
	v.file("/reconciliations", "otro.csv", reportHeader+lines+reportLine(absent, "VENTA"), form...).wantTo("/reconciliations/2")
	v.get("/reconciliations/1").want(200).says("Hay un reporte más reciente")
	all := v.get("/reconciliations").want(200)
	all.says("Reemplazado")
}

// TestDiscardingByPages goes through what a supervisor does about a wrong report: what it
// did, a reason, and what is said of it afterwards.
func TestDiscardingByPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	doubted, _ := h.StateOf(models.Unknown)
	other := h.Sale(7000)
	h.Clock.Set(modelstest.At(t, "2026-11-21T09:00:00-06:00"))
	v, admin := h.supervisor(), h.administrator()
	profile := h.reportProfile("Proveedor")
	rec := h.compare(profile, "2026-11-20", "", reportLine(doubted, "VENTA")+reportLine(doubted, "CANCELADA"))
	at := fmt.Sprintf("/reconciliations/%d", rec.ID)
	admin.get(at).want(200).holds(`data-testid="discard-form"`)
	form := v.get(at).want(200).formTo(at + "/settlement")
	v.post(at+"/settlement", url.Values{"seen": {form["seen"]}}).wantTo(at)

	shown := v.get(at).want(200)
	shown.says("La diferencia que espera sale de Por revisar")
	shown.says("Con él se resolvió una venta")
	if got := shown.attrs("ended-by-report", "data-count"); len(got) != 1 || got[0] != "1" {
		t.Errorf("the sales that ended by it are %q, want 1", got)
	}
	seen := admin.get(at).want(200)
	seen.hides("Por qué está mal")
	seen.says("Lo descarta un supervisor")
	discard := shown.formTo(at + "/discarding")
	admin.post(at+"/discarding", url.Values{"seen": {discard["seen"]}, "note": {"x"}}).want(409).says("Lo descarta un supervisor")
	v.post(at+"/discarding", url.Values{"seen": {discard["seen"]}}).want(422).says("Por qué está mal")
	v.post(at+"/discarding", url.Values{"seen": {"0.0"}, "note": {"x"}}).want(409).says("cambió desde que abriste la página")
	v.follow(v.post(at+"/discarding", url.Values{"seen": {discard["seen"]}, "note": {"era del día anterior"}}).wantTo(at)).
		says("ya no cuenta")

	after := v.get(at).want(200)
	after.says("Este reporte está descartado")
	after.says("Sara Supervisora lo descartó")
	after.says("«era del día anterior»")
	after.hides("Marcar como atendida")
	v.get("/reconciliations").want(200).says("Descartado")
	inbox := v.get("/review").want(200)
	inbox.says("Se descartó el reporte del proveedor con el que se resolvió")
	inbox.hides(other.OrderID)
	detail := v.get(fmt.Sprintf("/sales/%d", doubted.ID)).want(200)
	detail.says("Se descartó el reporte del proveedor con el que se resolvió")
	v.get("/audit").want(200).says("descartó el reporte del 20 nov 2026")
	v.post(at+"/discarding", url.Values{"seen": {"0.0"}, "note": {"x"}}).want(409).says("ya descartó este reporte")
	v.get("/today").want(200).hides("reporte que difieren")
	h.compare(profile, "2026-11-20", "", reportLine(doubted, "VENTA")+reportLine(doubted, "CANCELADA")) // is not refused
}

func TestReportsThatAreNone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.Sale(7000)
	profile := fmt.Sprint(h.reportProfile("Proveedor"))
	h.Clock.Advance(24 * time.Hour)
	v := h.supervisor()
	line := reportLine(sale, "VENTA")
	for _, tt := range []struct {
		fact, content string
		form          []string
		status        int
		words         string
	}{
		{
			"another provider's", "Order,Total\n1,2\n", nil, 422,
			"No tiene las columnas «Número de orden», «Terminal», «Importe», «Operación», «Fecha».",
		},
		{"empty", "", nil, 422, "No se pudo leer el archivo"},
		{"a picture", "\x89PNG\r\n\x1a\n\x00\x00", nil, 422, "No se pudo leer el archivo"},
		{"half", reportHeader + line + "2611", nil, 422, "No se pudo leer el archivo"},
		{"no lines", reportHeader, nil, 422, "No se pudo leer el archivo"},
		{"no profile", reportHeader + line, []string{"profile", ""}, 422, "Elige un perfil de la lista."},
		{"a profile of nobody", reportHeader + line, []string{"profile", "x"}, 422, "Elige un perfil de la lista."},
		{"no day", reportHeader + line, []string{"day", ""}, 422, "fecha"},
		{"a day to come", reportHeader + line, []string{"day", "2027-01-01"}, 422, "Ese día todavía no llega."},
		{"today until tonight", reportHeader + line, []string{"day", "2026-11-21", "until", "23:59"}, 422, "un momento que no ha llegado"},
	} {
		form := map[string]string{"profile": profile, "day": "2026-11-20"}
		for i := 0; i+1 < len(tt.form); i += 2 {
			form[tt.form[i]] = tt.form[i+1]
		}
		a := v.file("/reconciliations", "reporte.csv", tt.content, "profile", form["profile"], "day", form["day"], "until", form["until"])
		if a.status != tt.status || !strings.Contains(a.words(), tt.words) {
			t.Errorf("%s = %d, want %d saying %q:\n%s", tt.fact, a.status, tt.status, tt.words, a.words())
		}
	}
	v.post("/reconciliations", url.Values{"profile": {profile}}).want(422).says("Elige el archivo del reporte.")
	form := "--b\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\nx\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"r.csv\"\r\n\r\na\r\n--b--\r\n"
	a := v.send("POST", "/reconciliations", form, "Content-Type", "multipart/form-data; boundary=b")
	a.want(403)
	if n := h.count(`SELECT count(*) FROM reconciliations`); n != 0 {
		t.Errorf("%d reports were stored, want none", n)
	}
	// The report of another day is named and not stored, until it is told to.
	other := reportHeader + strings.ReplaceAll(line, "20/11/2026", "18/11/2026")
	asked := v.file("/reconciliations", "r.csv", other, "profile", profile, "day", "2026-11-20").want(409)
	asked.says("Parece el reporte del 18 nov 2026")
	asked.holds(`name="anyDay"`)
	if n := h.count(`SELECT count(*) FROM reconciliations`); n != 0 {
		t.Errorf("%d reports of another day were stored, want none", n)
	}
	v.file("/reconciliations", "r.csv", other, "profile", profile, "day", "2026-11-20", "anyDay", "on").want(303)
	v.get(
		fmt.Sprintf("/reconciliations/%d", h.count(`SELECT max(id) FROM reconciliations`)),
	).want(200).says("Parece el reporte de otro día")
	v.file("/reconciliations", "r.csv", reportHeader+line, "profile", profile, "day", "2026-11-20").want(303)
	v.get(fmt.Sprintf("/reconciliations/%d", h.count(`SELECT max(id) FROM reconciliations`))).want(200).says("Todo coincide")
}

// TestProfilesByPages makes a profile as an administrator does: a sample, what is
// suggested, what is missing, the save, another version.
func TestProfilesByPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v, other := h.administrator(), h.as(h.user("Otra Administradora", models.Administrator))
	sale := h.Sale(7000)
	sample := reportHeader + reportLine(sale, "VENTA") + reportLine(sale, "CANCELADA") + reportLine(sale, "AJUSTE")
	v.get("/settings").want(200).says("Reportes de proveedores")
	v.get("/settings/reconciliation").want(200).says("Todavía no hay perfiles")
	p := v.file(
		"/settings/reconciliation/preview", "muestra.csv", sample, "zone", "America/Mexico_City", "amounts", "point", "dates", "dmy",
	).want(200)
	if got := fmt.Sprint(p.attrs("preview-row", "data-meaning")); got != "[sale cancellation ]" {
		t.Errorf("the sample means %s", got)
	}
	form := p.formTo("/settings/reconciliation")
	if form["orderId"] != "Número de orden" || form["serialNumber"] != "Terminal" || form["amount"] != "Importe" ||
		form["status"] != "Operación" || form["soldAt"] != "Fecha" {
		t.Errorf("suggested = %v", form)
	}
	values := url.Values{}
	for name, value := range form {
		values.Set(name, value)
	}
	values.Set("name", "Banco")
	v.post("/settings/reconciliation", values).want(422).says("Elige un valor de la lista.")
	for n := range 10 {
		if strings.EqualFold(values.Get(fmt.Sprintf("word-%d", n)), "ajuste") {
			values.Set(fmt.Sprintf("meaning-%d", n), "ignore")
		} else if word := values.Get(fmt.Sprintf("word-%d", n)); strings.EqualFold(word, "venta") {
			values.Set(fmt.Sprintf("meaning-%d", n), "sale")
		} else if word != "" {
			values.Set(fmt.Sprintf("meaning-%d", n), "cancellation")
		}
	}
	v.follow(v.post("/settings/reconciliation", values).wantTo("/settings/reconciliation/1")).says("Versión 1")
	v.post("/settings/reconciliation", values).want(422).says("Ya hay un perfil con ese nombre.")
	values.Set("version", "1")
	values.Set("amount", "orden")
	values.Set("orderId", "Orden")
	v.post("/settings/reconciliation/1", values).want(422).says("Esta columna ya está en otro campo.")
	values.Set("amount", "Importe")
	v.follow(v.post("/settings/reconciliation/1", values).wantTo("/settings/reconciliation/1")).says("Versión 2")
	values.Del("csrf")
	other.post("/settings/reconciliation/1", values).want(409)
	v.file(
		"/settings/reconciliation/preview", "muestra.csv", sample, "name", "Banco", "orderId", "Pedido", "amount", "Importe", "id", "1",
		"version", "2",
	).want(200).says("No tiene las columnas «Pedido».")
	v.file("/settings/reconciliation/preview", "x.png", "\x89PNG\r\n\x1a\n\x00", "id", "1").want(422).says("No se pudo leer el archivo")
	v.post("/settings/reconciliation/1/retirement", url.Values{"version": {"2"}}).wantTo("/settings/reconciliation/1")
	h.supervisor().get("/reconciliations").want(200).says("Falta decir cómo escribe")
	v.post("/settings/reconciliation/1/retirement", url.Values{"version": {"3"}}).want(409)
	v.post("/settings/reconciliation/1/restoration", url.Values{"version": {"3"}}).wantTo("/settings/reconciliation/1")
	if got := h.text(
		`SELECT string_agg(version || ' ' || (mapping->'columns'->>'orderId'), ', ' ORDER BY version) FROM report_profile_versions`,
	); got != "1 Número de orden, 2 Orden, 3 Orden, 4 Orden" {
		t.Errorf("versions = %q", got)
	}
}

// The page of a report says what was compared and what was not, shows both amounts,
// and says that card numbers came with it.
func TestWhatAReportsPageSays(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale, other := h.Sale(20658), h.Sale(5000)
	profile := h.reportProfile("Proveedor")
	h.Clock.Advance(24 * time.Hour)
	v := h.supervisor()
	h.compare(profile, "2026-11-20", "", reportLine(sale, "VENTA")+reportLine(other, "VENTA")+"Total,,256.58,,\n")
	p := v.get("/reconciliations/1").want(200)
	p.says("Todo coincide")
	p.says("De cada renglón con una venta: número de orden, número de serie (S/N), monto, operación o estado, el día.")
	p.says("1 renglón que no habla de ninguna venta")
	p.hides("números de tarjeta")

	more := *sale
	more.Amount += 100
	h.compare(profile, "2026-11-20", "", reportLine(&more, "VENTA")+reportLine(other, "VENTA"))
	p = v.get("/reconciliations/2").want(200)
	p.says("El reporte dice $207.58 y la venta es de $206.58.")
	csv := v.get("/reconciliations/2/differences.csv").want(200)
	csv.says("Monto aquí")
	csv.says(",207.58,206.58,")

	text := strings.TrimSuffix(reportHeader, "\n") + ",Nota,Comisión\n" +
		strings.TrimSuffix(reportLine(sale, "VENTA"), "\n") + ",tarjeta 4111111111111111,1.00\n" +
		strings.TrimSuffix(reportLine(other, "VENTA"), "\n") + ",,1.00\n"
	v.file("/reconciliations", "tarjetas.csv", text, "profile", fmt.Sprint(profile), "day", "2026-11-20").wantTo("/reconciliations/3")
	p = v.get("/reconciliations/3").want(200)
	p.says("El reporte trae números de tarjeta completos")
	p.says("1 renglón trae lo que parece el número completo de una tarjeta, en «Nota».")
	p.says("Columnas que el perfil no lee: «Nota», «Comisión».")
	p.hides("41111111")
}
