package handlers_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"veinte/models"
	"veinte/models/bulk"
	"veinte/models/modelstest"
)

// choosing is the address of the confirmation of sales, as the list's form asks
// for it.
func choosing(sales ...*models.Sale) string {
	q := url.Values{"from": {"/sales?q=V-"}}
	for _, s := range sales {
		q.Add("sale", fmt.Sprint(s.ID))
	}
	return "/sales/cancellations/new?" + q.Encode()
}

// bulkForm is what the confirmation's form sends, every sale of it.
func (p *page) bulkForm() url.Values {
	p.tb.Helper()
	form := p.sends("several-form")
	form.Del("sale")
	for n := range p.one("several-form").Descendants() {
		if attr(n, "name") == "sale" {
			form.Add("sale", attr(n, "value"))
		}
	}
	form.Set("reason", "chargedTwice")
	form.Del("csrf") // each browser sends its own
	return form
}

// outcomes are the rows of the result page: order, then state or refusal.
func (h *house) outcomes(p *page) []string {
	var rows []string
	for _, n := range p.byTestID("outcome") {
		rows = append(rows, attr(n, "data-order-id")+" "+attr(n, "data-state")+attr(n, "data-refusal"))
	}
	return rows
}

func TestBulk(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	second := h.NewTerminal(h.Store)
	a, b, c, rest := h.Sale(100000), h.Sale(200000), h.SaleAt(second, 50050), h.Sale(700)
	v := h.supervisor()
	list := v.get("/sales").want(200)
	if got := len(list.byTestID("several")); got != 1 || strings.Count(list.body, `form=several`) != 4 {
		t.Fatalf("the list has %d forms and %d boxes to choose with, want 1 and 4", got, strings.Count(list.body, `form=several`))
	}
	page := v.get(choosing(c, a, b)).want(200)
	for _, words := range []string{
		"¿Cancelar estas 3 ventas?", "$3,500.50", "Sí, cancelar 3 ventas · $3,500.50", "Las 2 terminales deben estar:", a.OrderID,
		b.OrderID, c.OrderID, "·· 4242",
	} {
		page.says(words)
	}
	page.hides(rest.OrderID)
	form := page.bulkForm()
	if form.Get("receipt") != "on" {
		t.Errorf("the receipt is %q at first, want on", form.Get("receipt"))
	}
	sent := v.post("/sales/cancellations", form).want(303)
	result := v.follow(sent).want(200)
	result.says("Se solicitó la cancelación de 3 de 3 ventas")
	result.says("0 de 3 canceladas · 3 en curso")
	result.says("Hay 1 cancelación antes en esta terminal.")
	if strings.Contains(result.words(), "No se solicitó") {
		t.Errorf("the result says that something was not asked for: %s", result.words())
	}
	want := []string{a.OrderID + " requested", b.OrderID + " requested", c.OrderID + " requested"}
	if got := h.outcomes(result.page); !slices.Equal(got, want) {
		t.Errorf("rows = %q, want %q", got, want)
	}
	// It follows what becomes of each, and canceled is only what is.
	h.Dispatch(h.SaleDetail(a.ID).Latest().ID)
	h.exec(`UPDATE cancellations SET state = 'confirmed' WHERE sale_id = $1`, a.ID)
	part := v.get(sent.header.Get("Location") + "&fragment=several").want(200)
	part.says("1 de 3 cancelada · 2 en curso")
	if strings.Contains(part.body, "<html") || len(part.byTestID("outcome")) != 3 {
		t.Errorf("the polled part is no part: %.300s", part.body)
	}
	// The trail ties them together, and leads from one to all.
	click := form.Get("click")
	entry := h.count(`SELECT min(id) FROM audit_entries WHERE after->>'together' = $1`, click)
	shown := v.get(fmt.Sprintf("/audit/%d", entry)).want(200)
	shown.says("Se solicitó a la vez que 2 más")
	all := v.get("/audit?q=" + click).want(200)
	if got := len(all.byTestID("audit-entry")); got != 3 {
		t.Errorf("%d entries by the reference, want 3", got)
	}
	v.get(fmt.Sprintf("/sales/%d", a.ID)).says("Una de 3 solicitadas a la vez")
	v.language = "en"
	v.get(sent.header.Get("Location")).says("Cancellation requested for 3 of 3 sales")
}

func TestBulkIsRequestedOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, b := h.Sale(100), h.Sale(200)
	v := h.supervisor()
	form := v.get(choosing(a, b)).want(200).bulkForm()
	other := v.get(choosing(a, b)).want(200).bulkForm() // the second tab
	var wait sync.WaitGroup
	for range 5 {
		browser := h.as(v.id)
		wait.Go(func() { browser.post("/sales/cancellations", form).want(303) })
	}
	wait.Wait()
	if got := h.count(`SELECT count(*) FROM cancellations`); got != 2 {
		t.Fatalf("%d cancellations of five presses, want 2", got)
	}
	if form.Get("click") == other.Get("click") {
		t.Fatal("two pages carry the same click")
	}
	late := v.follow(v.post("/sales/cancellations", other)).want(200)
	late.says("Se solicitó la cancelación de 0 de 2 ventas")
	late.says("Ya hay una cancelación en curso")
	if got := len(late.byTestID("again")); got != 0 {
		t.Errorf("%d ways to ask again for what is under way, want none", got)
	}
	if got := h.count(`SELECT count(*) FROM cancellations`); got != 2 {
		t.Errorf("%d cancellations after the second tab, want 2", got)
	}
	// Back, and the same form once more: the same outcome.
	v.follow(v.post("/sales/cancellations", form)).says("Se solicitó la cancelación de 2 de 2 ventas")
}

func TestBulkWhenSomeChangedMeanwhile(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.as(h.user("Saul", models.Supervisor, h.Store)) // of this store only
	free, corrected, colleague, retired := h.Sale(100), h.Sale(200), h.Sale(300), h.Sale(400)
	form := v.get(choosing(free, corrected, colleague, retired)).want(200).bulkForm()
	// The press has begun, as if the server had died on the way: before that an amount
	// that changed holds all of them back, see TestBulkOfAnotherAmount.
	v.post("/sales/cancellations", url.Values{"sale": form["sale"][:1], "click": form["click"], "reason": form["reason"]}).want(303)
	form["sale"][1] = fmt.Sprintf("%d:199", corrected.ID) // as it was before its terminal corrected it
	h.Request(colleague)
	form.Add("sale", fmt.Sprintf("%d:%d", h.theirs.ID, theirAmount))
	form.Add("sale", "555000111:1")
	result := v.follow(v.post("/sales/cancellations", form)).want(200)
	want := []string{
		free.OrderID + " requested", corrected.OrderID + " error.amountChanged", colleague.OrderID + " error.caseOpen",
		retired.OrderID + " requested",
		" error.notFound", " error.notFound",
	}
	if got := h.outcomes(result.page); !slices.Equal(got, want) {
		t.Errorf("rows = %q, want %q", got, want)
	}
	result.says("Se solicitó la cancelación de 2 de 6 ventas")
	result.says("Viste $1.99 y ahora es $2.00: mírala antes de solicitarla de nuevo.")
	result.hides(h.marks(h.there.ID)...)
	again := attr(result.one("again"), "href")
	if !strings.Contains(again, fmt.Sprintf("sale=%d", corrected.ID)) || strings.Count(again, "sale=") != 1 {
		t.Errorf("asking again leads to %q, want the corrected sale only", again)
	}
	if got := h.count(`SELECT count(*) FROM audit_entries WHERE actor_id = $1 AND outcome = 'denied'`, v.id); got != 2 {
		t.Errorf("%d denials, want one for each that is not there for them", got)
	}
	// The page beforehand is as silent about them.
	page := v.get(choosing(free, h.theirs, corrected)).want(200)
	page.hides(h.marks(h.there.ID)...)
	page.says("2 de las elegidas no se pueden solicitar")
	v.get(choosing(h.theirs, h.theirs)).want(303)
	v.get(fmt.Sprintf("/sales/cancellations/new?sale=%d&sale=555000111", h.theirs.ID)).want(404)
	v.post(
		"/sales/cancellations",
		url.Values{"reason": {"chargedTwice"}, "click": {"x"}, "sale": {fmt.Sprintf("%d:1", h.theirs.ID), "5000000:1"}},
	).want(404)
	// Nor does another person's click show anything.
	stranger := h.supervisor().get("/sales/cancellations/" + form.Get("click") + fmt.Sprintf("?sale=%d", free.ID)).want(200)
	stranger.says("Se solicitó la cancelación de 0 de 1 venta")
}

func TestBulkAtTheCutoff(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, b := h.Sale(100), h.Sale(200)
	v := h.supervisor()
	form := v.get(choosing(a, b)).want(200).bulkForm()
	h.Clock.Set(modelstest.At(t, "2026-11-20T20:00:00-06:00"))
	v.jar["veinte_session"] = h.session(v.id)
	result := v.follow(v.post("/sales/cancellations", form)).want(200)
	result.says("Se solicitó la cancelación de 0 de 2 ventas")
	result.says("Pasó la hora límite")
	if len(result.byTestID("again")) != 0 {
		t.Error("what is too late is offered again")
	}
	if page := v.get(choosing(a, b)).want(200); len(page.byTestID("several-form")) != 0 {
		t.Error("the confirmation is still offered")
	}
	list := v.get("/sales").want(200)
	list.hides(`form=several`, `id="several"`)
	if got := h.count(`SELECT count(*) FROM cancellations`); got != 0 {
		t.Errorf("%d cancellations, want none", got)
	}
}

// The database fails in the middle: the response lists what was requested and what
// was not.
func TestBulkEndsInTheMiddle(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, b, c := h.Sale(100), h.Sale(200), h.Sale(300)
	v := h.supervisor()
	form := v.get(choosing(a, b, c)).want(200).bulkForm()
	h.exec(fmt.Sprintf(`CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF NEW.sale_id = %d THEN RAISE EXCEPTION 'gone' USING ERRCODE = '58030'; END IF; RETURN NEW; END $$`, b.ID))
	h.exec(`CREATE TRIGGER broken BEFORE INSERT ON cancellations FOR EACH ROW EXECUTE FUNCTION broken()`)
	result := v.follow(v.post("/sales/cancellations", form)).want(200)
	want := []string{a.OrderID + " requested", b.OrderID + " ", c.OrderID + " "}
	if got := h.outcomes(result.page); !slices.Equal(got, want) {
		t.Errorf("rows = %q, want %q", got, want)
	}
	result.says("No se llegó a solicitar")
	if n := strings.Count(result.body, "/slip"); n != 1 {
		t.Errorf("%d customer slips are offered, want one for what was requested", n)
	}
	if again := attr(result.one("again"), "href"); strings.Count(again, "sale=") != 2 {
		t.Errorf("asking again leads to %q, want the two others", again)
	}
	h.exec(`DROP TRIGGER broken ON cancellations`)
	v.follow(v.post("/sales/cancellations", form)).says("Se solicitó la cancelación de 3 de 3 ventas")
}

func TestBulkRefusesInvalidChoices(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, b := h.Sale(100), h.Sale(200)
	v := h.supervisor()
	var many []string
	for i := range bulk.Max + 1 {
		many = append(many, fmt.Sprint("sale=", i+1))
	}
	for path, words := range map[string]string{
		"/sales/cancellations/new":                                    "No elegiste ninguna venta",
		"/sales/cancellations/new?from=https://evil.example":          "No elegiste ninguna venta",
		"/sales/cancellations/new?from=/users":                        "No elegiste ninguna venta",
		"/sales/cancellations/new?" + strings.Join(many, "&"):         fmt.Sprintf("hasta %d", bulk.Max),
		"/sales/cancellations/new?sale=&from=%2Fsales%3Fstate%3Dsent": "No elegiste ninguna venta",
	} {
		if a := v.get(path).want(303); !strings.HasPrefix(a.header.Get("Location"), "/sales") {
			t.Errorf("%s leads to %q, want the list", path, a.header.Get("Location"))
		}
		v.get("/sales").says(words)
	}
	v.get(fmt.Sprintf("/sales/cancellations/new?sale=%d&sale=%d", a.ID, a.ID)).wantTo(fmt.Sprintf("/sales/%d/cancellation/new", a.ID))
	for _, path := range []string{
		"/sales/cancellations/x", "/sales/cancellations/x?sale=abc", "/sales/cancellations/" + strings.Repeat("x", 65) + "?sale=1",
	} {
		v.get(path).want(404)
	}
	good := v.get(choosing(a, b)).want(200).bulkForm()
	for _, sale := range []string{"", "x", "1", "1:", ":1", "-1:5", "0:5", "1:-5", "1:1.5", "99999999999999999999:1", " 1:1"} {
		form := url.Values{"reason": {"chargedTwice"}, "click": {"c"}, "sale": {sale}}
		v.post("/sales/cancellations", form).want(400)
	}
	for name, change := range map[string]func(url.Values){
		"twice":    func(f url.Values) { f.Add("sale", f.Get("sale")) },
		"click":    func(f url.Values) { f.Del("click") },
		"long one": func(f url.Values) { f.Set("click", strings.Repeat("x", 65)) },
	} {
		form := url.Values{"sale": slices.Clone(good["sale"]), "click": good["click"], "reason": good["reason"]}
		change(form)
		if a := v.post("/sales/cancellations", form); a.status != 400 {
			t.Errorf("%s = %d, want 400", name, a.status)
		}
	}
	// An error of a field is shown beside it, and nothing typed is lost.
	wrong := url.Values{"sale": good["sale"], "click": good["click"], "reason": {"other"}, "note": {" "}, "from": {"/sales?q=V-"}}
	page := v.post("/sales/cancellations", wrong).want(422)
	page.says("Explica el motivo en la nota.")
	if got := page.bulkForm(); got.Get("click") != good.Get("click") || len(got["sale"]) != 2 || got.Get("receipt") != "" ||
		got.Get("from") != "/sales?q=V-" {
		t.Errorf("the form that came back sends %v", got)
	}
	stale := url.Values{"csrf": {"of another session"}, "sale": good["sale"], "click": good["click"], "reason": {"chargedTwice"}}
	v.post("/sales/cancellations", stale).want(403)
	if got := h.count(`SELECT count(*) FROM cancellations`); got != 0 {
		t.Errorf("%d cancellations, want none", got)
	}
}

func TestManagersChooseOneByOne(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.Sale(100)
	for _, v := range []*visitor{h.manager(), h.administrator()} {
		v.get("/sales").want(200).hides(`form=several`, `id="several"`)
	}
	h.supervisor().get("/sales?date=2026-11-19").want(200).hides(`id="several"`)
}
