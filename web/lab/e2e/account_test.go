package e2e

import (
	"strings"
	"testing"
)

// TestAnInvitedPersonComesIn: the administrator hands a link over, and the person chooses
// their password in their own browser; the link does not open again.
func TestAnInvitedPersonComesIn(t *testing.T) {
	t.Parallel()
	admin := shared.openAs(t, administrator, desk)
	admin.goTo("/users/new")
	admin.fill("input[name=name]", "Nora Invitada")
	admin.fill("input[name=email]", "nora.invitada@demo.mx")
	admin.press("input[name=stores]")
	admin.press("form[action='/users'] button[type=submit]")
	admin.see(id("account-link"))
	link := eval[string](admin, `document.querySelector("[data-testid=account-link]").textContent`)
	_, path, _ := strings.Cut(strings.TrimPrefix(link, "http://"), "/")
	path = "/" + path

	nora := shared.open(t, phone)
	nora.watch.allow("status of 422")
	nora.goTo(path)
	nora.fill("input[name=password]", "una frase de Nora")
	nora.fill("input[name=again]", "una frase de Mora")
	nora.press(id("password-form") + " button[type=submit]")
	nora.see("[data-error-summary]")
	nora.fill("input[name=password]", "una frase de Nora")
	nora.fill("input[name=again]", "una frase de Nora")
	nora.press(id("password-form") + " button[type=submit]")
	nora.see("form[action='/login']")
	nora.see(id("flash"))
	nora.fill("input[name=email]", "nora.invitada@demo.mx")
	nora.fill("input[name=password]", "una frase de Nora")
	nora.press("form[action='/login'] button[type=submit]")
	nora.at("/sales")

	late := shared.open(t, phone)
	late.watch.allow("status of 410")
	late.goTo(path)
	late.see(id("link-refused"))
}

// TestPeopleLookAfterTheirAccount on a phone: their name leads there, a browser that they
// forget is signed out, what an administrator did to their account is told in one line until
// they have read it, and the language is theirs.
func TestPeopleLookAfterTheirAccount(t *testing.T) {
	t.Parallel()
	const email, secret = "berta.cuenta@demo.mx", "una frase de Berta"
	admin := shared.openAs(t, administrator, desk)
	admin.goTo("/users/new")
	admin.fill("input[name=name]", "Berta Cuenta")
	admin.fill("input[name=email]", email)
	admin.press("input[name=stores]")
	admin.press("form[action='/users'] button[type=submit]")
	admin.see(id("account-link"))
	link := eval[string](admin, `new URL(document.querySelector("[data-testid=account-link]").textContent).pathname`)
	signIn := func(p *page) {
		p.goTo("/login")
		p.fill("input[name=email]", email)
		p.fill("input[name=password]", secret)
		p.press("form[action='/login'] button[type=submit]")
		p.at("/sales")
	}
	berta, counter := shared.open(t, phone), shared.open(t, desk)
	berta.goTo(link)
	berta.fill("input[name=password]", secret)
	berta.fill("input[name=again]", secret)
	berta.press(id("password-form") + " button[type=submit]")
	berta.see("form[action='/login']")
	signIn(berta)
	signIn(counter)

	berta.press("[popovertarget=me]")
	berta.press(".me a.me-who")
	berta.at("/account")
	other := id("device") + ":not(:has(.state-confirmed)) button"
	berta.until("two browsers and two sign-ins", `document.querySelectorAll("[data-testid=device]").length === 2 &&
		document.querySelectorAll("[data-testid=sign-in]").length === 2`)
	berta.press(other)
	berta.see(id("flash"))
	berta.until("one browser", `document.querySelectorAll("[data-testid=device]").length === 1`)
	counter.watch.allow("status of 401")
	counter.watch.allow("Response Status Error Code 401") // htmx logs it too
	counter.goTo("/sales")
	counter.at("/login")

	admin.goTo("/users")
	admin.press(`[data-email="` + email + `"] a`)
	admin.press(id("user-link") + " button[type=submit]")
	admin.see(id("account-link"))
	berta.goTo("/sales")
	berta.see(id("own-notice") + "[data-kind=linkMade]")
	if height := eval[float64](berta, `document.querySelector("[data-testid=own-notice]").getBoundingClientRect().height`); height > 60 {
		t.Errorf("the line about her account is %.0f px high, want at most 60", height)
	}
	berta.press(id("own-notice") + " a")
	berta.at("/account")
	if found := berta.axe(); len(found) > 0 {
		t.Errorf("axe finds %+v", found)
	}
	berta.press(id("account-notice") + " button")
	berta.until("that it was read", `!document.querySelector("[data-testid=account-notice]")`)
	berta.goTo("/sales")
	berta.until("no line above the list", `!document.querySelector("[data-testid=own-notice]")`)

	berta.goTo("/account")
	berta.press(id("own-language") + " input[value=en]")
	berta.press(id("own-language") + " button[type=submit]")
	berta.until("her language", `document.documentElement.lang === "en"`)
}
