package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"veinte/models"
)

// entryOf is the first entry of a sale.
func (h *house) entryOf(sale int64) (id int64) {
	h.tb.Helper()
	h.must(h.Owner.QueryRow(`SELECT min(id) FROM audit_entries WHERE sale_id = $1`, sale).Scan(&id))
	return id
}

// sharedView is a view of the trail of somebody who left it to everybody.
func (h *house) sharedView() int64 {
	h.tb.Helper()
	owner := models.Actor{UserID: h.user(fmt.Sprint("Duena ", h.count(`SELECT count(*) FROM users`)), models.Supervisor), Name: "Dueña", Role: models.Supervisor, AllStores: true, Address: "192.0.2.8", RequestID: "r"}
	v, err := h.DB.SaveAuditView(h.tb.Context(), owner, h.Clock.Now(),
		models.AuditViewInput{Name: fmt.Sprint("Negadas ", h.count(`SELECT count(*) FROM audit_views`)), Shared: true}, models.AuditFilter{Outcome: models.OutcomeDenied})
	h.must(err)
	return v.ID
}

func TestASearchIsKeptUnderAName(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v, other := h.supervisor(), h.as(h.user("Otra", models.Supervisor))
	filter := "action=cancellation.moved&q=ca%C3%B1%C3%B3n"
	list := v.get("/audit?" + filter).want(200)
	list.says("Guardar esta búsqueda")
	v.get("/audit/views/new?"+filter).want(200).saysAll("Guardar búsqueda", "Acción", "cañón")
	v.get("/audit/views/new").wantTo("/audit?")
	v.get("/audit/views/new?min=x").wantTo("/audit?min=x")

	v.follow(v.post("/audit/views", url.Values{"name": {"  Movidas  "}, "filter": {filter}})).saysAll("Movidas", "Búsqueda guardada", "Tuya")
	path := fmt.Sprintf("/audit/views/%d", h.count(`SELECT max(id) FROM audit_views`))
	if to := v.get(path).want(303).header.Get("Location"); to != "/audit?"+filter {
		t.Errorf("the view opens %q, want %q", to, "/audit?"+filter)
	}
	for _, p := range []string{path, path + "/edit"} {
		other.get(p).want(404)
	}
	if strings.Contains(other.get("/audit/views").want(200).body, "Movidas") {
		t.Error("a view that is not shared is in another person's list")
	}

	v.post("/audit/views", url.Values{"name": {"MOVIDAS"}, "filter": {filter}}).want(422).says("Ya tienes una búsqueda con ese nombre")
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
	v.follow(v.post(path+"/removal", url.Values{"version": {"2"}})).says("Búsqueda borrada")
	v.post(path+"/removal", url.Values{"version": {"2"}}).want(404)
	if got := h.text(`SELECT string_agg(action || ' ' || coalesce(before->>'shared', '-') || coalesce(after->>'shared', '-'), ', ' ORDER BY id) FROM audit_entries WHERE action LIKE 'auditView.%'`); got != "auditView.created -false, auditView.changed falsetrue, auditView.removed true-" {
		t.Errorf("the trail says %q", got)
	}
}

func TestAViewIsOfWhoReadsTheTrail(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	manager := h.as(h.user("Gala", models.Manager, h.Store))
	view := fmt.Sprintf("/audit/views/%d", h.sharedView())
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
