package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"veinte/handlers"
	"veinte/models"
)

const firstSteps = `data-testid="first-steps"`

// Everybody sees the first steps of their role on the page that they come to,
// and there alone, until they dismiss them: in every browser, and until they
// want them again.
func TestOnboardingUntilDismissed(t *testing.T) {
	t.Parallel()
	const practice = "https://practica.tiendas.example"
	h := newHouse(t, func(c *handlers.Config) { c.PracticeURL = practice })
	for _, who := range []struct {
		role        models.Role
		home, other string
		leads       []string
	}{
		{
			models.Manager, "/sales", "/sales?q=1",
			[]string{"/sales#f-q", "/help/manager#about-cancel", "/help/manager#about-states", practice},
		},
		{models.Supervisor, "/today", "/sales", []string{"/review", "/help/supervisor#about-settle", "/audit", "/audit/verification"}},
		{
			models.Administrator, "/today", "/terminals",
			[]string{"/stores", "/terminals/new", "/users", "/settings/rules", "/settings/connection"},
		},
		{models.Auditor, "/audit", "/sales", []string{"/help/auditor#about-trail", "/audit/verification", "/audit/exports"}},
	} {
		t.Run(string(who.role), func(t *testing.T) {
			t.Parallel()
			var stores []*models.Store
			if who.role == models.Manager {
				stores = append(stores, h.Store)
			}
			id := h.user("Nueva "+string(who.role), who.role, stores...)
			here, there := h.as(id), h.as(id)
			shown := func(v *visitor, path string) (part string, ok bool) {
				t.Helper()
				_, part, ok = strings.Cut(v.get(path).want(http.StatusOK).body, firstSteps)
				part, _, _ = strings.Cut(part, "</details>")
				return part, ok
			}
			part, ok := shown(here, who.home)
			for _, to := range who.leads {
				if !strings.Contains(part, `href="`+to+`"`) {
					t.Errorf("the first steps (shown: %t) do not lead to %s: %s", ok, to, part)
				}
			}
			if _, ok := shown(here, who.other); ok {
				t.Errorf("%s shows the first steps, want them on %s alone", who.other, who.home)
			}
			guide := "/help/" + string(who.role)
			here.get("/help").wantTo(guide)
			const again = `action="/help/first/restoration"`
			if strings.Contains(here.get(guide).body, again) {
				t.Error("the guide offers what is shown already")
			}
			here.post("/help/first/dismissal", url.Values{"next": {who.home}}).wantTo(who.home)
			here.post("/help/first/dismissal", url.Values{"next": {"https://evil.example"}}).wantTo("/")
			for _, v := range []*visitor{here, there} {
				if _, ok := shown(v, who.home); ok {
					t.Error("the first steps are shown although they were dismissed")
				}
			}
			if !strings.Contains(there.get(guide).body, again) {
				t.Error("the guide does not offer the first steps again")
			}
			there.post("/help/first/restoration", nil).wantTo(who.home + "#first-steps")
			if _, ok := shown(here, who.home); !ok {
				t.Error("the first steps are not shown although they were wanted again")
			}
			const changes = `SELECT count(*) FROM audit_entries WHERE actor_id = $1 AND action = 'user.firstSteps'`
			if n := h.count(changes, id); n != 2 {
				t.Errorf("entries of what was dismissed and shown again = %d, want 2: once more is no change", n)
			}
		})
	}
	if a := h.visitor().get("/sales"); a.status != http.StatusSeeOther || strings.Contains(a.body, firstSteps) {
		t.Errorf("the list for nobody = %d, want the sign-in page first", a.status)
	}
}

// An administrator's steps say how things stand.
func TestOnboardingShowsProgress(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.administrator()
	stores, terminals := h.count(`SELECT count(*) FROM stores`), h.count(`SELECT count(*) FROM terminals`)
	if stores != 2 || terminals != 2 {
		t.Fatalf("stores, terminals = %d, %d, want 2 of each", stores, terminals)
	}
	h.exec(`UPDATE users SET disabled_at = now() WHERE id <> $1`, v.id) // those of whom the test made rows
	words := v.get("/today").words()
	for _, want := range []string{
		"Hecho: 2 sucursales", "Hecho: 2 terminales", "Falta: 1 persona", "Falta: Reglas: revisa las iniciales",
		"Falta: Conexión: sin probar",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("the first steps do not say %q: %s", want, words)
		}
	}
	h.user("Marta", models.Manager, h.Store)
	h.exec(`UPDATE terminals SET retired_at = now() WHERE id = $1`, h.terminal.ID)
	v.testsConnection()
	words = v.get("/today").words()
	for _, want := range []string{"Hecho: 1 terminal ", "Hecho: 2 personas", "Falta: Conexión: con problemas en la prueba del"} {
		if !strings.Contains(words, want) {
			t.Errorf("the first steps do not say %q: %s", want, words)
		}
	}
}

// testsConnection tests the way to the service, where nobody listens.
func (v *visitor) testsConnection() {
	v.h.tb.Helper()
	v.post("/settings/connection/test", nil).want(http.StatusSeeOther)
}
