package handlers_test

import (
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
