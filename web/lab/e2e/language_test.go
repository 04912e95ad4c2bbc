package e2e

import "testing"

// A visitor chooses a language, and keeps it.
func TestLanguageSwitch(t *testing.T) {
	t.Parallel()
	p := shared.open(t, phone)
	p.goTo("/login")
	p.until("Spanish", says("main", "Iniciar sesión"))
	p.press("form.languages button[value=en]")
	p.until("English", says("main", "Sign in"))
	p.goTo("/login?next=/audit")
	if got := p.attribute("html", "lang"); got != "en" {
		t.Errorf("language of the next page = %s, want en", got)
	}
	p.press("form.languages button[value=es-MX]")
	p.until("Spanish again", says("main", "Iniciar sesión"))
	if got := eval[string](p, "location.search"); got != "?next=/audit" && got != "?next=%2Faudit" {
		t.Errorf("query after the switch = %q, want the page it was pressed on", got)
	}
}
