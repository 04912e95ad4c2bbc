package handlers_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/modelstest"
	"veinte/models/savedviews"
)

// entryOf is the first entry of a sale.
func (h *house) entryOf(sale int64) (id int64) {
	h.tb.Helper()
	h.must(h.Owner.QueryRow(`SELECT min(id) FROM audit_entries WHERE sale_id = $1`, sale).Scan(&id))
	return id
}

// sharedView is a view of somebody who left it to everybody.
func (h *house) sharedView(f models.ViewFilter) int64 {
	h.tb.Helper()
	owner := models.Actor{
		UserID: h.user(fmt.Sprint("Duena ", h.count(`SELECT count(*) FROM users`)), models.Supervisor), Name: "Dueña",
		Role: models.Supervisor, AllStores: true, Address: "192.0.2.8", RequestID: "r",
	}
	v, err := h.SavedViews.SaveView(h.tb.Context(), owner,
		savedviews.Input{Name: fmt.Sprint("Negadas ", h.count(`SELECT count(*) FROM saved_views`)), Shared: true}, f)
	h.must(err)
	return v.ID
}

func TestASearchIsSavedUnderAName(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v, other := h.supervisor(), h.as(h.user("Otra", models.Supervisor))
	filter := "action=cancellation.moved&q=ca%C3%B1%C3%B3n"
	list := v.get("/audit?" + filter).want(200)
	list.says("Guardar esta búsqueda")
	v.get("/audit/views/new?"+filter).want(200).saysAll("Guardar búsqueda", "Acción", "cañón")
	v.get("/audit/views/new").wantTo("/audit?")
	v.get("/audit/views/new?min=x").wantTo("/audit?min=x")

	v.follow(
		v.post("/audit/views", url.Values{"name": {"  Movidas  "}, "filter": {filter}}),
	).saysAll("Movidas", "Guardado con su nombre", "Tuya")
	path := fmt.Sprintf("/audit/views/%d", h.count(`SELECT max(id) FROM saved_views`))
	if to := v.get(path).want(303).header.Get("Location"); to != "/audit?"+filter {
		t.Errorf("the view opens %q, want %q", to, "/audit?"+filter)
	}
	for _, p := range []string{path, path + "/edit"} {
		other.get(p).want(404)
	}
	if strings.Contains(other.get("/audit/views").want(200).body, "Movidas") {
		t.Error("a view that is not shared is in another person's list")
	}

	v.post("/audit/views", url.Values{"name": {"MOVIDAS"}, "filter": {filter}}).want(422).says("Ya usas ese nombre")
	v.post("/audit/views", url.Values{"name": {""}, "filter": {filter}}).want(422).says("cañón")
	v.post("/audit/views", url.Values{"name": {strings.Repeat("n", 81)}, "filter": {filter}}).want(422).says("Es demasiado largo")
	v.post("/audit/views", url.Values{"name": {"Vacía"}, "filter": {""}}).want(422).says("No hay ningún filtro")
	for _, bad := range []string{"min=x", "%zz", strings.Repeat("q=x&", 3) + "store=0"} {
		v.post("/audit/views", url.Values{"name": {"Mala"}, "filter": {bad}}).want(400)
	}

	// Shared, it is everybody's to open and nobody else's to change.
	v.follow(v.post(path, url.Values{"name": {"Movidas hoy"}, "shared": {"on"}, "version": {"1"}})).saysAll("Movidas hoy", "compartida")
	other.get(path).want(303)
	other.get("/audit/views").want(200).saysAll("Movidas hoy", "Sara")
	other.post(path, url.Values{"name": {"Mía"}, "version": {"2"}}).want(404)
	other.post(path+"/removal", url.Values{"version": {"2"}}).want(404)

	// Another tab still shows version 1.
	v.post(path, url.Values{"name": {"Vieja"}, "version": {"1"}}).want(409).says("Vieja")
	v.post(path+"/removal", url.Values{"version": {"1"}}).want(409)
	v.post(path+"/removal", url.Values{"version": {"x"}}).want(400)
	v.follow(v.post(path+"/removal", url.Values{"version": {"2"}})).says("ya no está entre lo guardado")
	v.post(path+"/removal", url.Values{"version": {"2"}}).want(404)
	if got := h.text(`SELECT string_agg(action || ' ' || coalesce(before->>'shared', '-') || coalesce(after->>'shared', '-'), ', '
		ORDER BY id) FROM audit_entries
		WHERE action LIKE 'auditView.%'`); got != "auditView.created -false, auditView.changed falsetrue, auditView.removed true-" {
		t.Errorf("the trail says %q", got)
	}
}

func TestAViewIsOfWhoReadsTheTrail(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	manager := h.as(h.user("Gala", models.Manager, h.Store))
	view := fmt.Sprintf("/audit/views/%d", h.sharedView(&audit.Filter{Outcome: models.OutcomeDenied}))
	for _, path := range []string{"/audit/views", view, view + "/edit", "/audit/views/new?q=x"} {
		manager.get(path).want(403)
	}
	manager.post("/audit/views", url.Values{"name": {"x"}, "filter": {"q=x"}}).want(403)
	reader := h.supervisor()
	for _, rubbish := range []string{"0", "-1", "abc", "99999999999999999999", "1e3", "%20"} {
		reader.get("/audit/views/" + rubbish).want(404)
		reader.get("/audit/" + rubbish).want(404)
	}
}

func TestAFilterOfSalesIsSaved(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v, boss := h.manager(), h.supervisor()
	filter := fmt.Sprintf("state=confirmed&terminal=%d", h.Terminal.ID)
	v.get("/sales?"+filter).want(200).saysAll("Estatus:", "Cancelada", "Guardar este filtro")
	v.get("/sales/views/new?"+filter).want(200).hides("Compartir", "Siempre el")
	v.get("/sales/views/new").wantTo("/sales?")
	v.get("/sales/views/new?state=x").wantTo("/sales?state=x")
	v.follow(v.post("/sales/views", url.Values{"name": {"Canceladas"}, "filter": {filter}})).saysAll("Canceladas", h.Terminal.Label)
	path := fmt.Sprintf("/sales/views/%d", h.count(`SELECT max(id) FROM saved_views`))
	v.get(path).wantTo("/sales?" + filter)
	v.get("/sales").want(200).saysAll("Mis filtros", "Canceladas")
	boss.get("/sales").want(200).hides("Mis filtros")
	boss.get(path).want(404)
	boss.get("/audit/views" + strings.TrimPrefix(path, "/sales/views")).want(404) // of another list
	v.post("/sales/views", url.Values{"name": {"Para todos"}, "shared": {"on"}, "filter": {filter}}).want(403)
	v.post("/sales/views", url.Values{"name": {"canceladas"}, "filter": {filter}}).want(422).says("Ya usas ese nombre")
	v.post("/sales/views", url.Values{"name": {"x"}, "filter": {"q=4111111111111111"}}).want(400)

	// The day is saved only where it is chosen.
	v.get("/sales/views/new?date=2026-11-16&q=99").want(200).says("Siempre el 16 nov 2026")
	for day, want := range map[string]string{"": "q=99", "on": "date=2026-11-16&q=99"} {
		v.post("/sales/views", url.Values{"name": {"Día " + day}, "day": {day}, "filter": {"date=2026-11-16&q=99"}}).want(303)
		if got := h.text(`SELECT filter FROM saved_views ORDER BY id DESC LIMIT 1`); got != want {
			t.Errorf("with day=%q the view has %q, want %q", day, got, want)
		}
	}
	v.post("/sales/views", url.Values{"name": {"Solo el día"}, "filter": {"date=2026-11-16"}}).want(422).says("No hay ningún filtro")

	// What supervisors share is seen, but nothing of a store that is another's.
	boss.post("/sales/views", url.Values{"name": {"De todos"}, "shared": {"on"}, "filter": {"state=unknown"}}).want(303)
	boss.post(
		"/sales/views", url.Values{"name": {"De la otra"}, "shared": {"on"}, "filter": {fmt.Sprintf("store=%d", h.there.ID)}},
	).want(303)
	theirs := fmt.Sprintf("/sales/views/%d", h.count(`SELECT max(id) FROM saved_views`))
	for _, p := range []string{"/sales", "/sales/views"} {
		v.get(p).want(200).says("De todos")
		v.get(p).hides("De la otra")
	}
	v.get(theirs).want(404)
	v.post(path+"/removal", url.Values{"version": {"1"}}).want(303)
	v.get(path).want(404)
}

// A chip names what it filters by; what the reader may not see it does not name.
func TestSalesAreFilteredInChips(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	h.Sale(hereAmount)
	v := h.manager()
	p := v.get(fmt.Sprintf("/sales?terminal=%d&state=cancelable&q=zzz&date=2026-11-19", h.Terminal.ID)).want(200)
	p.saysAll(
		"Terminal:", "Estatus:", "Ventas del 19 nov 2026", "Nada coincide con «zzz»",
		"Días revisados: del 12 nov 2026 al 20 nov 2026, "+h.Store.Name+".", "Capturar un ticket",
	)
	if got := strings.Count(p.body, `class="filter-chip"`); got != 2 {
		t.Errorf("two filters of a day, and a text, have %d chips", got)
	}
	v.get(fmt.Sprintf("/sales?terminal=%d", h.terminal.ID)).want(200).hides(string(h.terminal.SerialNumber), theirName)
	v.get("/sales?store=abc&state=x&terminal=-1&date=2026-02-30").want(422).saysAll(
		"Elige un valor de la lista", "Escribe una fecha válida",
	)
	one := v.get("/sales?q=" + url.QueryEscape(moneyText(hereAmount))).want(200)
	if strings.Count(one.body, "data-found autofocus") != 1 {
		t.Error("the one sale that was looked for does not take the focus")
	}
	if strings.Contains(v.get("/sales?fragment=list&q="+url.QueryEscape(moneyText(hereAmount))).body, "autofocus") {
		t.Error("the part that changes by itself takes the focus")
	}
}

// A whole card number is in no address, no page and no entry.
func TestACardNumberIsNotLookedFor(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.manager()
	for _, q := range []string{"q=4111111111111111", "q=4111+1111+1111+1111", "card=1"} {
		a := v.get("/sales?state=confirmed&" + q).wantTo("/sales?state=confirmed")
		v.follow(a).says("Parece un número de tarjeta completo")
	}
	h.visitor().get("/sales?q=4111111111111111").wantTo("/login?next=%2Fsales")
	if n := h.count(`SELECT count(*) FROM audit_entries e WHERE e::text LIKE '%1111111%'`); n != 0 {
		t.Errorf("%d entries hold the number", n)
	}
}

// Today's sale of an amount is not yesterday's: what a search finds stands under its day,
// and each other day that has it is a press away.
func TestASearchSaysOfWhichDay(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.Sale(16490)
	h.Clock.Set(modelstest.At(t, "2026-11-21T12:00:00-06:00"))
	h.Sale(16490)
	h.Sale(30000)
	v := h.manager()
	p := v.get("/sales?q=164").want(200)
	p.saysAll("Hoy, 21 nov 2026:", "1 venta", "$164.90", "Ayer, 20 nov 2026: 1 venta")
	p.hides("$300.00")
	p.one("beside")
	// Which of them is on the ticket is asked before one can be canceled with the large button.
	p.one("which-day")
	p.saysAll("Hay en más de un día. ¿Qué fecha tiene el ticket?")
	if strings.Contains(p.body, " alone") || strings.Contains(p.body, "data-found") {
		t.Error("today's of two days is offered as the one that was looked for")
	}
	if one := v.get("/sales?q=300").want(200); !strings.Contains(one.body, " alone") || !strings.Contains(one.body, "data-found") {
		t.Error("what no other day has is not offered as the one that was looked for")
	}
	if !strings.Contains(p.body, `href="/sales?date=2026-11-20&amp;q=164"`) {
		t.Error("nothing leads to yesterday's")
	}
	v.get("/sales?date=2026-11-20&q=164").want(200).saysAll("Ayer, 20 nov 2026:", "Hoy, 21 nov 2026: 1 venta", "Ayer 12:")
	v.get("/sales?date=2026-11-20").want(200).hides("última venta recibida")
	if n := len(v.get("/sales?q=300").want(200).byTestID("beside")); n != 0 {
		t.Errorf("a sale of today alone is said to be on %d other days", n)
	}
	links := v.get("/sales?q=164&terminal=1").want(200).all(func(n *html.Node) bool { return attr(n.Parent, "class") == "near-days" })
	var to []string
	for _, n := range links {
		if n.Data == "a" {
			to = append(to, attr(n, "href")+" "+attr(n, "aria-current"))
		}
	}
	if want := []string{"/sales?q=164&terminal=1 true", "/sales?date=2026-11-20&q=164&terminal=1 "}; !slices.Equal(to, want) {
		t.Errorf("today and yesterday lead to %q, want %q", to, want)
	}
}
