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
