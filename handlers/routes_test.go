package handlers_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"veinte/handlers"
	"veinte/models"
	"veinte/views/gallery"
)

// persona is somebody who tries every route.
type persona struct {
	name    string
	role    string // m, s, a, u; "" when nobody is signed in
	here    bool   // sees the first store
	there   bool   // sees the other
	browser func(*house) *visitor
}

func signedInAs(name string, role models.Role, stores func(*house) []*models.Store) func(*house) *visitor {
	return func(h *house) *visitor { return h.as(h.user(name, role, stores(h)...)) }
}

func onlyHere(h *house) []*models.Store  { return []*models.Store{h.Store} }
func onlyThere(h *house) []*models.Store { return []*models.Store{h.there} }
func everywhere(*house) []*models.Store  { return nil }

var personas = []persona{
	{name: "nobody", browser: func(h *house) *visitor { return h.visitor() }},
	{name: "a manager of the store", role: "m", here: true, browser: signedInAs("Marta", models.Manager, onlyHere)},
	{name: "a manager of another store", role: "m", there: true, browser: signedInAs("Mario", models.Manager, onlyThere)},
	{name: "a supervisor of the store", role: "s", here: true, browser: signedInAs("Sara", models.Supervisor, onlyHere)},
	{name: "a supervisor of another store", role: "s", there: true, browser: signedInAs("Saul", models.Supervisor, onlyThere)},
	{name: "a supervisor of every store", role: "s", here: true, there: true, browser: signedInAs("Sofia", models.Supervisor, everywhere)},
	{name: "an administrator", role: "a", here: true, there: true, browser: signedInAs("Ada", models.Administrator, everywhere)},
	{name: "an auditor", role: "u", here: true, there: true, browser: signedInAs("Aurora", models.Auditor, everywhere)},
	{name: "an auditor of another store", role: "u", there: true, browser: signedInAs("Aurelio", models.Auditor, onlyThere)},
	{name: "an auditor after the last day", browser: func(h *house) *visitor {
		v := h.as(h.user("Aurelia", models.Auditor))
		h.exec(`UPDATE users SET access_until = '2026-11-19' WHERE id = $1`, v.id)
		v.over = true
		return v
	}},
	{name: "a disabled person with an old cookie", browser: func(h *house) *visitor {
		id := h.user("Dario", models.Supervisor)
		h.exec(`UPDATE users SET disabled_at = now() WHERE id = $1`, id)
		v := h.as(id)
		v.over = true
		return v
	}},
	{name: "somebody whose session is over", browser: func(h *house) *visitor {
		v := h.as(h.user("Elena", models.Administrator))
		v.jar["veinte_session"], v.over = h.sessionUntil(v.id, h.Clock.Now()), true
		return v
	}},
}

// TestMatrix asks every route as everybody.
func TestMatrix(t *testing.T) {
	t.Parallel()
	letters := map[string]bool{}
	for _, who := range personas {
		letters[who.role] = true
	}
	if len(letters)-1 != len(models.Roles) { // one is nobody's
		t.Errorf("the personas have the roles %v, want one for each of %v", letters, models.Roles)
	}
	for _, who := range personas {
		t.Run(who.name, func(t *testing.T) {
			t.Parallel()
			// A demo, because only there is every route.
			h := newHouse(t, func(c *handlers.Config) { c.Demo, c.Gallery = true, gallery.GalleryPage }).withNeighbours()
			on, v := h.targets(), who.browser(h)
			for _, line := range handlers.Lines() {
				if who.role != "" {
					v.jar["veinte_session"] = h.session(v.id) // the last route may have ended it
				}
				h.tryRoute(line, who, v, on)
			}
		})
	}
}

func (h *house) tryRoute(line handlers.Line, who persona, v *visitor, on *targets) {
	h.tb.Helper()
	route := line.Method + " " + line.Path
	e, ok := expectations[route]
	if !ok {
		h.tb.Errorf("nobody has said who may ask for %s: add it to expectations", route)
		return
	}
	denials, refusals := h.denials(v), h.refusals(v)
	a := v.ask(line.Method, e, on)
	want, to := who.owed(line, e, a)
	// Whoever comes with a cookie is told that its session has ended.
	location := strings.Replace(a.header.Get("Location"), "ended=page&", "", 1)
	if a.status != want || !strings.HasPrefix(location, to) {
		h.tb.Errorf("%s for %s = %d to %q, want %d to %q…\n%s", a.what, who.name, a.status, a.header.Get("Location"), want, to, a.words())
	}
	if !who.here {
		a.hides(h.marks(h.Store.ID)...)
	}
	if !who.there {
		a.hides(h.marks(h.there.ID)...)
	}
	denied, refused := h.denials(v)-denials, h.refusals(v)-refusals
	switch {
	case a.status == http.StatusNotFound && who.here && who.there:
		// What is not there is out of nobody's reach who sees every store.
		if denied != 0 || refused != 1 {
			h.tb.Errorf(
				"%s for %s = %d left %d denials and %d refusals in the trail, want 0 and 1", a.what, who.name, a.status, denied, refused,
			)
		}
	case (a.status == http.StatusForbidden || a.status == http.StatusNotFound) != (denied == 1):
		h.tb.Errorf("%s for %s = %d left %d denials in the trail", a.what, who.name, a.status, denied)
	}
}

// denials counts what the person was denied so far.
func (h *house) denials(v *visitor) int {
	h.tb.Helper()
	h.endMinute()
	return h.count(`SELECT count(*) FROM audit_entries WHERE actor_id = $1 AND outcome = 'denied'`, v.id)
}

// refusals counts what was refused to the person for another reason than who
// they are.
func (h *house) refusals(v *visitor) int {
	h.tb.Helper()
	h.endMinute()
	return h.count(`SELECT count(*) FROM audit_entries WHERE actor_id = $1 AND action = 'act.refused'`, v.id)
}

// ask sends the request of an expectation as our own pages would.
func (v *visitor) ask(method string, e expectation, on *targets) *answer {
	v.h.tb.Helper()
	var form url.Values
	if e.form != nil {
		form = e.form(on)
	}
	switch {
	case method == "GET":
		return v.get(e.path(on))
	case strings.HasPrefix(e.path(on), "/results/"):
		return v.send("POST", e.path(on), `{"hello":"there"}`, "Content-Type", "application/json")
	}
	return v.post(e.path(on), form)
}

// owed is the status, and where it sends, that a route owes to somebody.
func (who persona) owed(line handlers.Line, e expectation, a *answer) (status int, to string) {
	switch {
	case line.Path == "/login" && line.Method == "GET" && who.role != "":
		return http.StatusSeeOther, "/"
	case line.Path == "/login/oidc/callback" && who.role != "":
		return http.StatusSeeOther, "/" // whoever goes back to it is in already
	case line.Path == "/login/passkey" && line.Method == "GET" && who.role == "":
		return http.StatusOK, "" // they have the cookie of the sign-in page
	case e.may == "*":
		return e.ok, ""
	case who.role == "" && line.Method == "GET" && line.Path != "/":
		return http.StatusSeeOther, "/login?next=" + url.QueryEscape(strings.TrimPrefix(a.what, "GET "))
	case who.role == "":
		return http.StatusSeeOther, "/login"
	case !strings.Contains(e.may, who.role):
		return http.StatusForbidden, ""
	case e.scoped && !who.here:
		return http.StatusNotFound, ""
	}
	return e.ok, ""
}

// marks are texts that only people of a store may read.
func (h *house) marks(storeID int64) []string {
	h.tb.Helper()
	marks := []string{h.text(`SELECT name FROM stores WHERE id = $1`, storeID)}
	if storeID == h.there.ID {
		marks = append(
			marks, "$9,876.54", "987654", h.theirs.OrderID, h.theirs.Folio, "7777777777", "Mostrador ajeno", "MAJENO", "Gerente Ajeno",
			"nota ajena",
		)
	} else {
		marks = append(marks, "$1,250.00", "$4,312.98", string(h.Terminal.SerialNumber), h.Terminal.Label)
	}
	rows, err := h.Owner.Query(`SELECT order_id FROM sales WHERE store_id = $1`, storeID)
	h.must(err)
	defer rows.Close()
	for rows.Next() {
		var order string
		h.must(rows.Scan(&order))
		marks = append(marks, order)
	}
	h.must(rows.Err())
	return marks
}

// TestEveryRouteIsExpected fails when a route was added, or taken away, without
// saying here who may ask for it.
func TestEveryRouteIsExpected(t *testing.T) {
	t.Parallel()
	var routes []string
	for _, line := range handlers.Lines() {
		routes = append(routes, line.Method+" "+line.Path)
	}
	for _, route := range routes {
		if _, ok := expectations[route]; !ok {
			t.Errorf("route %s has no expectation", route)
		}
	}
	for route := range expectations {
		if !slices.Contains(routes, route) {
			t.Errorf("expectation of %s has no route", route)
		}
	}
}
