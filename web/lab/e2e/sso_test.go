package e2e

import (
	"strings"
	"testing"

	"veinte/web/lab/sso"
)

// TestSingleSignOn goes in by the company's account, as a browser does: to a provider that
// runs as a process of its own, and back, with the role and the stores of the groups there,
// and out again, here and there. The same without scripts. While passwords are off, it is
// the only way.
func TestSingleSignOn(t *testing.T) {
	t.Parallel()
	s := sso.Open(t, binary)
	if err := s.Provider.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.AddGroups()
	nora := sso.Person{Email: "nora@shop.example", Verified: true, Name: "Nora Nueva", Groups: []string{"gerentes"}, Session: "s-1"}
	s.Put("nora", nora)
	here := &server{url: s.Server.URL, log: &lockedBuffer{}}
	enter := func(p *page, path string) {
		t.Helper()
		p.watch.allow("request outside the origin: http://" + s.Provider.Addr + "/")
		p.goTo(path)
		p.at("/login")
		if !p.plain { // axe is a script
			p.wantFit("the sign-in page")
		}
		p.press(id("sso"))
		p.until("the provider's page", `location.host === "`+s.Provider.Addr+`"`)
		p.fill("[name=username]", "nora")
		p.fill("[name=password]", sso.Password)
		p.press("button[type=submit]")
		p.at(path)
		if got := p.header(); !strings.Contains(got, "Nora Nueva") {
			t.Errorf("after the provider the page is of %q, want Nora Nueva", got)
		}
	}
	leave := func(p *page) {
		t.Helper()
		p.endSession()
		p.at("/login")
		p.wantSays(id("sso-left"), "La de tu empresa puede seguir abierta")
		if !p.plain {
			p.wantFit("the page after the sign-out")
		}
		p.press(id("sso-end")) // to the provider, which leads back
		p.until("the sign-in page, from the provider", `location.pathname === "/login" && location.search === "" && !`+has(id("sso-left")))
		p.goTo("/sales")
		p.at("/login")
	}

	p := here.open(t, phone)
	enter(p, "/sales")
	if got := p.header(); !strings.Contains(got, "Encargado") {
		t.Errorf("whom the group gerentes makes a manager is called %q", got)
	}
	if n := p.count("select[name=store]"); n != 0 {
		t.Error("who has one store by her group chooses among several")
	}
	p.goTo("/account")
	leave(p)

	nora.Groups = []string{"gerentes", "supervision"}
	s.Put("nora", nora)
	plain := here.open(t, desk)
	plain.withoutScripts()
	enter(plain, "/sales")
	if n := plain.count("select[name=store] option"); n != 3 {
		t.Errorf("who has all stores by another group chooses among %d, want the two and all", n)
	}
	plain.goTo("/audit") // which a manager may not read
	plain.see(id("audit-entry"))
	leave(plain)

	nora.Groups = []string{"sistemas"}
	s.Put("nora", nora)
	enter(p, "/settings/sso")
	p.wantFit("the page of the single sign-on")
	ada := eval[string](p, `[...document.querySelector("[name=keeper]").options].find((o) => o.text.startsWith("Ada")).value`)
	p.choose("[name=keeper]", ada)
	p.press(id("sso-password-form") + " button[type=submit]")
	p.see(id("flash"))
	p.wantSays(id("sso-password-form"), "Las contraseñas no sirven para entrar. La excepción es Ada")
	p.wantFit("the page while passwords are off")
	email, password := s.Managers[0].Login()
	plain.watch.allow("status of 422")
	plain.signInByForm(login{email, password})
	plain.wantSays("[data-error-summary]", "se entra con la cuenta de la empresa")
	enter(plain, "/users")
}

// header is what stands on top of a page, also in a menu that is closed.
func (p *page) header() string {
	p.t.Helper()
	return eval[string](p, `document.querySelector("header.top").textContent`)
}
