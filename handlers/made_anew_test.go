package handlers_test

import (
	"strings"
	"testing"
)

// TestAPageFollowsItsReader: a page is made by what was known of its reader a moment ago,
// and is never that of somebody who is another one by now.
func TestAPageFollowsItsReader(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	h.Sale(12345)
	v := h.manager()
	sees := func(what string, own, theirs bool) {
		t.Helper()
		p := v.get("/sales").want(200)
		if strings.Contains(p.body, "$123.45") != own || strings.Contains(p.body, theirName) != theirs {
			t.Errorf("%s: the list shows the own sale: %t, the other store: %t, want %t and %t",
				what, strings.Contains(p.body, "$123.45"), strings.Contains(p.body, theirName), own, theirs)
		}
	}
	sees("before anything", true, false)
	sees("once more", true, false)
	h.exec(`UPDATE user_stores SET store_id = $1 WHERE user_id = $2`, h.there.ID, v.id)
	sees("moved to the other store", false, true)
	h.exec(`INSERT INTO user_stores (user_id, store_id) VALUES ($1, $2)`, v.id, h.Store.ID)
	sees("of both", true, true)

	h.exec(`UPDATE users SET name = 'Marta Otra', language = 'en' WHERE id = $1`, v.id)
	if p := v.get("/sales").want(200); !strings.Contains(p.body, "Marta Otra") || strings.Contains(p.body, "Marta Gerente") ||
		!strings.Contains(p.body, `lang="en"`) || p.header.Get("Content-Language") != "en" {
		t.Errorf("another name and language are not those of the page: %s", p.words())
	}

	h.exec(`UPDATE users SET role = 'supervisor', all_stores = true WHERE id = $1`, v.id)
	reads := func() int {
		return h.count(`SELECT count(*) FROM audit_entries WHERE actor_id = $1 AND action = 'audit.read'`, v.id)
	}
	if v.get("/audit").want(200); reads() != 1 {
		t.Errorf("the trail says that it was read %d times, want once", reads())
	}
	h.exec(`UPDATE users SET role = 'manager', all_stores = false WHERE id = $1`, v.id)
	refused := func() int {
		return h.count(`SELECT count(*) FROM audit_entries WHERE actor_id = $1 AND outcome = 'denied' AND actor_role = 'manager'`, v.id)
	}
	if v.get("/audit?q=otra").want(403); reads() != 1 || refused() != 1 {
		t.Errorf("read %d times and refused %d times, want once each: who may not, has read nothing", reads(), refused())
	}
	h.exec(`UPDATE users SET role = 'supervisor' WHERE id = $1`, v.id)
	if v.get("/audit?q=mas").want(200); reads() != 2 || refused() != 1 {
		t.Errorf("read %d times and refused %d times, want twice and once: who may now, was refused nothing", reads(), refused())
	}

	h.exec(`DELETE FROM sessions WHERE user_id = $1`, v.id)
	p := v.get("/sales").want(303)
	if strings.Contains(p.body, "$123.45") || !strings.HasPrefix(p.header.Get("Location"), "/login") {
		t.Errorf("who has signed out is sent to %q with %q", p.header.Get("Location"), p.body)
	}
	if p.header.Get("Content-Security-Policy") == "" || p.header.Get("Cache-Control") != "no-store" {
		t.Errorf("a page that was made anew has the headers %v", p.header)
	}
}
