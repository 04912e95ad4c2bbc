package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"veinte/handlers"
	"veinte/models"
	"veinte/models/modelstest"
)

// TestABlockedNameIsOnNoPage: whoever asks for whichever page reads a neutral word
// instead. Most of what is in the house was made by people of these names.
func TestABlockedNameIsOnNoPage(t *testing.T) {
	t.Parallel()
	const blocked = "Persona de prueba ("
	for _, who := range personas {
		if who.role == "" {
			continue
		}
		t.Run(who.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t).withNeighbours()
			on, v, seen := h.targets(), who.browser(h), 0
			for _, role := range append(models.Roles, models.SystemRole) {
				h.exec(`INSERT INTO blocked_names SELECT id, $1 FROM users ORDER BY id LIMIT 1`, modelstest.Person(role).Name)
			}
			for _, line := range handlers.Lines() {
				e := expectations[line.Method+" "+line.Path]
				if line.Method != "GET" || e.path == nil {
					continue
				}
				a := v.ask(line.Method, e, on)
				if a.status != 200 || !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
					continue
				}
				a.hides(blocked)
				seen += strings.Count(a.words(), "Persona 1 ")
			}
			if who.role == "s" && seen == 0 {
				t.Error("no page has the neutral word")
			}
		})
	}
}

// TestANameIsBlocked by an administrator, once the person is gone, and shown again. What
// is stored stays as it was.
func TestANameIsBlocked(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const name = "Ramona Quiñones & Hija"
	ramona := h.user(name, models.Manager, h.Store)
	as := h.Manager
	as.UserID, as.Name = ramona, name
	c := h.CancelRequest(h.Sale(125000))
	c.Note = "la vio " + name + ", no Ramona Quiñones"
	if _, err := h.Cancellations.Request(t.Context(), as, c); err != nil {
		t.Fatal(err)
	}
	stored := func() string {
		return h.text(`SELECT md5(string_agg(canonical::text || actor_name, '' ORDER BY id)) FROM audit_entries
			WHERE actor_id = ` + fmt.Sprint(ramona))
	}
	was, v, s := stored(), h.administrator(), h.supervisor()
	at := fmt.Sprintf("/users/%d", ramona)
	act := func(path string) *answer {
		return v.post(at+path, url.Values{"version": {v.get(at + "/edit").want(200).formTo(at)["version"]}})
	}
	word := fmt.Sprintf("Persona %d", ramona)
	act("/blocking").want(409).says("Primero desactiva su acceso")
	form := v.get(at + "/edit").want(200).formTo(at)
	v.post(at+"/disabling", url.Values{"version": {form["version"]}, "keep": {"on"}}).wantTo(at) // her request goes on
	namesake := h.user("Doña "+name, models.Manager, h.Store)
	act("/blocking").want(409).says("Otra persona")
	h.exec(`UPDATE users SET name = 'Otra' WHERE id = $1`, namesake)
	act("/blocking").wantTo(at)
	act("/enabling").want(409).says("está bloqueado")
	modelstest.WaitFor(t, "pages to hide it", func() bool { return strings.Contains(s.get("/sales").want(200).words(), word) })
	for _, path := range []string{"/sales", "/audit", "/audit?person=" + fmt.Sprint(ramona), "/sales/1"} {
		p := s.get(path).want(200)
		p.says(word)
		if strings.Contains(p.words(), name) {
			t.Errorf("%s says the name:\n%s", path, p.words())
		}
	}
	s.get("/sales/1").says("no Ramona Quiñones") // who is somebody else
	if p := v.get(at + "/edit").want(200); p.formTo(at)["name"] != name || strings.Contains(p.words(), name) {
		t.Errorf("the form holds %q, its page says %s", p.formTo(at)["name"], p.words())
	}
	if p := v.get(at).want(200); strings.Contains(p.words(), name) || !strings.Contains(p.words(), word) {
		t.Errorf("the person's page says %s", p.words())
	}
	v.post("/users", url.Values{
		"name": {name}, "email": {"r@veinte.test"}, "role": {"supervisor"}, "allStores": {"on"}, "password": {"una clave larga"},
	}).want(422).says("Ese nombre está bloqueado")
	act("/unblocking").wantTo(at)
	modelstest.WaitFor(t, "pages to show it", func() bool { return strings.Contains(s.get("/sales/1").want(200).words(), name) })
	if got := stored(); got != was {
		t.Error("what the trail has of the person changed")
	}
}

// TestNothingIsCalledByABlockedName: a store, a terminal, a reason and a saved filter are
// found by their names, and pages would show a neutral word there. Who has the name in
// the form is told so.
func TestNothingIsCalledByABlockedName(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	on, v := h.targets(), h.administrator()
	ramona := h.user("Ramona Quiñones", models.Manager, h.Store)
	h.exec(`INSERT INTO blocked_names VALUES ($1, 'Ramona Quiñones')`, ramona)
	v.post("/audit/views", url.Values{"name": {"Negados"}, "filter": {"outcome=denied"}}).want(303)
	view := h.text(`SELECT '/audit/views/' || max(id) FROM saved_views`)
	for _, line := range []string{
		"/stores name", "/stores/:id name", "/terminals label", "/terminals/:id label", "/settings/reasons labelEs",
		"/settings/reasons labelEn", "/settings/reasons/:code labelEs", "/audit/views name",
	} {
		path, field, _ := strings.Cut(line, " ")
		e := expectations["POST "+path]
		for _, name := range []string{"Tienda Ramona Quiñones", "Ramona Quiñones", "Ramona  Quiñones-2", "(Ramona Quiñones)"} {
			form := e.form(on)
			form.Set(field, name)
			v.post(e.path(on), form).want(422).says("Ese nombre está bloqueado")
		}
	}
	for i, name := range []string{"Tienda Ramona", "Ramona Quiñonesa"} {
		v.post("/stores", url.Values{"code": {fmt.Sprintf("N-%d", i)}, "name": {name}, "timeZone": {"America/Cancun"}}).want(303)
	}
	v.post(view, url.Values{"name": {"De Ramona Quiñones"}, "version": {"1"}}).want(422).says("Ese nombre está bloqueado")
}
