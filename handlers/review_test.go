package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/static"
)

// TestInbox goes through a supervisor's morning: what waits, the age, the next
// step, the mark, and the second supervisor who comes too late.
func TestInbox(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v, other := h.supervisor(), h.as(h.user("Otra Supervisora", models.Supervisor))
	v.get("/review").want(200).says("No hay nada por revisar")
	doubted, _ := h.StateOf(models.Unknown)
	h.CancelByHand(h.SaleAt(h.NewTerminal(h.Store), 7000))
	stray := h.strayResult(h.Terminal.SerialNumber)
	h.Clock.Advance(20 * time.Minute)

	p := v.get("/review").want(200)
	if got := p.attrs("review-item", "data-kind"); fmt.Sprint(got) != "[doubt conflict result]" {
		t.Errorf("the inbox holds %v, want a doubt, a conflict and a result", got)
	}
	p.says("hace 20 min")
	p.says("Por revisar 3")
	p.neverSaysFailed()
	if links := p.attrs("review-item", "data-why"); len(links) != 3 || links[1] != "withoutCase" {
		t.Errorf("the items say %v, want withoutCase among them", links)
	}
	if got := v.get("/review?kind=conflict").want(200).attrs("review-item", "data-kind"); fmt.Sprint(got) != "[conflict]" {
		t.Errorf("the conflicts hold %v", got)
	}
	v.get("/review?kind=zzz").want(422).says("Elige un valor de la lista")
	v.get(fmt.Sprintf("/sales/%d", doubted.ID)).want(200).says("Mira la terminal. Si todavía muestra la cancelación")

	p.holds(fmt.Sprintf(`href="/results?id=%d"`, stray))
	if got := v.get(fmt.Sprintf("/results?id=%d", stray)).want(200).attrs("result", "data-status"); fmt.Sprint(got) != "[unmatched]" {
		t.Errorf("the page of the result shows %v, want it alone", got)
	}
	path := fmt.Sprintf("/review/results/%d", stray)
	v.follow(
		v.post(path, url.Values{"note": {"es de la otra caja"}, "inbox": {"result"}, "seen": {"noSuchSale"}}).wantTo("/review?kind=result"),
	).says("quedó como atendida")
	other.post(path, url.Values{"note": {"yo también"}, "seen": {"noSuchSale"}}).want(409).says("Ya estaba atendida")
	refused := other.post(path, url.Values{"note": {"a\tb"}}).want(422)
	refused.says("no se pueden guardar")
	if !strings.Contains(refused.body, static.URL("office.css")) {
		t.Error("the page of a refused form has no styles of the office")
	}
	other.post(path, url.Values{"seen": {"noSuchSale"}}).want(422) // without a note nobody knows what became of the money
	if n := h.count(
		`SELECT count(*) FROM audit_entries WHERE action = 'review.done' AND reason = 'es de la otra caja' AND actor_id = $1`, v.id,
	); n != 1 {
		t.Errorf("the trail holds %d reviews, want 1", n)
	}
	if got := v.get("/review").want(200).attrs("review-item", "data-kind"); fmt.Sprint(got) != "[doubt conflict]" {
		t.Errorf("the inbox then holds %v, want the doubt and the conflict", got)
	}
}

// Of a posted amount that contradicts, the supervisor and whoever looks at the sale
// see both.
func TestBothAmountsOfAContradiction(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	given := modelstest.GivenSale(h.Office, "ORDEN-1")
	given.Amount = "90000.00"
	told := modelstest.Record(t, h.Office, modelstest.RequestKey(), modelstest.ByAPI, given)[0]
	post := h.SalePost(h.Terminal.SerialNumber, 100)
	post.OrderID = given.OrderID
	h.Post(post)
	v, sale := h.supervisor(), fmt.Sprintf("/sales/%d", told.SaleID)
	p := v.get("/review").want(200)
	p.says("$90,000.00")
	p.says("lo publicado dice $1.00")
	v.get(sale).want(200).says("Dice $1.00; la venta tiene $90,000.00.")
	post.OwnAddress = true
	h.Post(post)
	v.get("/review").want(200).says("Corrigió la venta")
	v.get(sale).want(200).says("De $90,000.00 a $1.00.")
}

// TestPause stops everybody, says why on every page and on the open ones too.
func TestPause(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin, manager, supervisor := h.administrator(), h.manager(), h.supervisor()
	sale := h.Sale(7000)
	tag := manager.get("/sales?fragment=list").want(200).header.Get("ETag")
	manager.get("/sales?fragment=list", "If-None-Match", tag).want(304)

	admin.post("/settings/pause", url.Values{"reason": {" "}}).want(422).says("Llena este campo")
	admin.follow(admin.post("/settings/pause", url.Values{"reason": {"mantenimiento <b>hasta</b> las 18"}}).wantTo("/settings")).
		says("Cancelaciones en pausa: todos ven el motivo.")
	admin.post("/settings/pause", url.Values{"reason": {"otra vez"}}).want(409).says("ya estaban en pausa")
	for _, v := range []*visitor{admin, manager, supervisor} {
		v.get("/sales").want(200).says("escribió: «mantenimiento <b>hasta</b> las 18»")
	}
	part := manager.get("/sales?fragment=list", "If-None-Match", tag).want(200)
	part.says("Cancelaciones en pausa desde")
	if got := attr(part.one("notices"), "hx-swap-oob"); got != "morph" {
		t.Errorf("the polled list's notices have hx-swap-oob=%q, want morph", got)
	}
	manager.get(fmt.Sprintf("/sales/%d?fragment=story", sale.ID)).want(200).says("Cancelaciones en pausa desde")

	sheet := fmt.Sprintf("/sales/%d/cancellation", sale.ID)
	manager.get(sheet + "/new").want(200).says("no se admiten solicitudes nuevas")
	refused := manager.post(sheet, url.Values{"reason": {"chargedTwice"}, "note": {"dos tickets iguales"}, "click": {"1"}}).want(409)
	refused.says("no se admiten solicitudes nuevas")
	if got := refused.field("note"); got != "dos tickets iguales" {
		t.Errorf("the note after the refusal is %q, want it still there for when the pause ends", got)
	}
	if n := h.count(`SELECT count(*) FROM cancellations`); n != 0 {
		t.Errorf("%d cancellations during the pause, want none", n)
	}

	p := admin.get("/settings").want(200)
	pause := p.formTo("/settings/resumption")["pause"]
	admin.follow(admin.post("/settings/resumption", url.Values{"pause": {pause}}).wantTo("/settings")).says("Cancelaciones reanudadas")
	admin.post("/settings/resumption", url.Values{"pause": {pause}}).want(409).says("no están en pausa")
	manager.get("/sales").want(200).hides("mantenimiento")
	manager.post(sheet, url.Values{"reason": {"chargedTwice"}, "click": {"1"}}).wantTo(fmt.Sprintf("/sales/%d", sale.ID))
}

// TestManagersResolve lets a manager resolve a doubt once the rules say so.
func TestManagersResolve(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	manager, admin := h.manager(), h.administrator()
	sale, c := h.StateOf(models.Unknown)
	detail, path := fmt.Sprintf("/sales/%d", sale.ID), fmt.Sprintf("/cancellations/%d/resolution", c.ID)
	evidence := url.Values{"outcome": {"canceled"}, "folio": {"C-9"}}
	manager.get(detail).want(200).says("díselo a un supervisor")
	manager.post(path, evidence).want(403)

	admin.changeRules(url.Values{"managersSettle": {"on"}})
	p := manager.get(detail).want(200)
	p.says("Resolver con evidencia")
	p.hides("díselo a un supervisor")
	manager.post(path, nil).want(422).says("Elige qué dice la evidencia")
	manager.follow(manager.post(path, evidence).wantTo(detail)).says("la dio por cancelada")
	admin.changeRules(url.Values{"managersSettle": nil})
	if got := h.text(
		`SELECT string_agg(after->>'managersSettle', ' ' ORDER BY id) FROM audit_entries WHERE action = 'rules.changed'`,
	); got != "true false" {
		t.Errorf("the trail says the rule became %q, want true false", got)
	}
}

// TestResolveTwice: another person's evidence came too late, and the page says so.
func TestResolveTwice(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale, c := h.StateOf(models.Unknown)
	one, two := h.supervisor(), h.as(h.user("Otra Supervisora", models.Supervisor))
	detail, path := fmt.Sprintf("/sales/%d", sale.ID), fmt.Sprintf("/cancellations/%d/resolution", c.ID)
	said := url.Values{"outcome": {"canceled"}, "folio": {"C-9"}}
	for range 2 {
		one.follow(one.post(path, said).wantTo(detail)).says("Caso resuelto")
	}
	same := two.post(path, url.Values{"outcome": {"canceled"}, "folio": {"C-10"}}).want(409)
	same.says("ya estaba resuelto así")
	same.says("C-10")
	late := two.post(path, url.Values{"outcome": {"notCanceled"}, "note": {"no salió comprobante"}}).want(409)
	late.one("not-stored")
	for _, words := range []string{"ya no está por verificar", "Lo que escribiste no se guardó", "no salió comprobante"} {
		late.says(words)
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'cancellation.moved' AND actor_role = 'supervisor'`); n != 1 {
		t.Errorf("the trail holds %d settlements, want 1", n)
	}
}

// TestOutages: what is wrong is said in words, on the page and to the operator.
func TestOutages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v, sale := h.manager(), h.Sale(7000)
	h.exec(`REVOKE INSERT ON audit_entries FROM ` + modelstest.AppRole)
	h.exec(`REVOKE INSERT (canonical) ON audit_entries FROM ` + modelstest.AppRole)
	if found := h.Operations.Health(t.Context()); len(found) == 0 || found[0].Code != "outage.trail" {
		t.Errorf("what is out = %+v, want the trail", found)
	}
	v.get("/sales").want(200).says("No se puede escribir en la bitácora")
	path := fmt.Sprintf("/sales/%d/cancellation", sale.ID)
	form := url.Values{"reason": {"chargedTwice"}, "click": {"1"}}
	a := v.post(path, form).want(503)
	a.says("No se puede escribir en la bitácora")
	a.hides("permission denied", "SQLSTATE")
	h.exec(`GRANT INSERT ON audit_entries TO ` + modelstest.AppRole)
	refuse := func(body string) {
		h.exec(`CREATE OR REPLACE FUNCTION refuse_other_time() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN ` + body + ` END'`)
	}
	refuse(`RAISE EXCEPTION ''another time'' USING ERRCODE = ''VT001'';`)
	a = v.post(path, form).want(503)
	a.says("difieren por más de diez minutos")
	a.hides("another time", "SQLSTATE")
	refuse(`RETURN NEW;`)
	v.post(path, form).wantTo(fmt.Sprintf("/sales/%d", sale.ID))
}
