package handlers_test

import (
	"fmt"
	"strings"
	"testing"

	"veinte/models"
)

// TestAThousandPeople lists people in pages, and finds them by name, address and store.
func TestAThousandPeople(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.administrator()
	zoe := h.as(h.user("Zoe Entró", models.Supervisor))
	zoe.get("/sales").want(200)
	h.exec(`INSERT INTO users (id, email, name, role, all_stores, password_hash, language, created_at) OVERRIDING SYSTEM VALUE
		SELECT 5000 + n, 'p' || n || '@tienda.example', 'Persona ' || lpad(n::text, 4, '0'), 'manager', false, '', '', now()
		FROM generate_series(1, 1000) n`)
	h.exec(`INSERT INTO user_stores SELECT id, $1 FROM users WHERE name LIKE 'Persona 000%'`, h.there.ID)

	p := v.get("/users").want(200)
	if n := len(p.byTestID("user")); n != models.PageSize || len(p.body) > 60_000 {
		t.Errorf("a page has %d people and %d bytes, want %d", n, len(p.body), models.PageSize)
	}
	seen := map[string]bool{}
	for path := "/users"; path != ""; path = p.next() {
		p = v.get(path).want(200)
		for _, email := range p.attrs("user", "data-email") {
			if seen[email] {
				t.Errorf("%s is listed twice", email)
			}
			seen[email] = true
		}
	}
	if n := h.count(`SELECT count(*) FROM users`); len(seen) != n {
		t.Errorf("the pages list %d people of %d", len(seen), n)
	}
	there := h.count(`SELECT count(*) FROM user_stores WHERE store_id = $1`, h.there.ID)
	for query, want := range map[string]int{
		"q=persona+0123": 1, "q=P77@TIENDA": 1, "q=ajena-9": there, "q=" + strings.Fields(theirName)[0]: there,
		"role=supervisor&q=zoe": 1, "role=auditor": 0, "q=%25": 0,
	} {
		if got := len(v.get("/users?" + query).want(200).byTestID("user")); got != want {
			t.Errorf("/users?%s lists %d people, want %d", query, got, want)
		}
	}
	v.get("/users?q=persona+0001").want(200).saysAll(theirName, "Sin entradas recientes")
	v.get("/users?q=zoe").want(200).hides("Sin entradas recientes")
	v.get("/users?cursor=abc").want(422)
	v.get("/users").want(200).hides("Segundo paso al entrar")
}

// TestAPersonIsAPlace shows a person with their role, their stores by name, when they last
// signed in and what they last did, in the sentences of the trail, which notes the reading.
func TestAPersonIsAPlace(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	marta := h.signUp("marta@veinte.test", models.Manager)
	h.visitor().signIn(marta.Email).wantTo("/")
	h.StateOf(models.Unknown) // somebody else's
	c, err := h.Cancellations.Request(t.Context(), marta.Actor(), h.CancelRequest(h.Sale(125000)))
	h.must(err)
	page := fmt.Sprintf("/users/%d", marta.ID)
	v := h.administrator()
	p := v.get(page).want(200)
	facts := textOf(p.one("user-facts"))
	for _, want := range []string{"Encargado de sucursal", "Activa", h.Store.Name, "hoy a las 12:00"} {
		if !strings.Contains(facts, want) {
			t.Errorf("the facts of the person are %q, want %q in them", facts, want)
		}
	}
	acts := p.byTestID("user-act")
	if len(acts) == 0 || attr(acts[0], "data-action") != string(models.ActionCancellationRequested) ||
		!strings.Contains(textOf(acts[0]), marta.Name+" solicitó cancelar") || !strings.Contains(textOf(acts[0]), "$1,250.00") {
		t.Errorf("the person's last acts are %q, want first that they asked to cancel $1,250.00 (%d)", p.words(), c.ID)
	}
	for _, act := range acts {
		if !strings.Contains(textOf(act), marta.Name) {
			t.Errorf("an act of the person is %q, which is somebody else's", textOf(act))
		}
	}
	if to := links(p.one("user-acts")); to[len(to)-1] != "/audit?person="+fmt.Sprint(marta.ID) {
		t.Errorf("the acts lead to %q, want the trail of the person", to)
	}
	read := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'audit.read' AND actor_id = $1`, v.id)
	v.get(page).want(200)
	if again := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'audit.read' AND actor_id = $1`, v.id); read != 1 || again != 1 {
		t.Errorf("the trail has %d readings of the acts and %d after another look, want one", read, again)
	}
	// What is changed has a form of its own.
	p.hides("name=\"email\"", "name=\"role\"", theirName)
	if got := attr(p.one("edit-user"), "href"); got != page+"/edit" {
		t.Errorf("Editar leads to %q", got)
	}
	form := v.get(page + "/edit").want(200)
	if got := form.formTo(page); got["email"] != marta.Email || got["role"] != "manager" {
		t.Errorf("the form is filled with %v", got)
	}
}
