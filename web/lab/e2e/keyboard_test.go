package e2e

import (
	"fmt"
	"testing"
)

// The whole job by keyboard alone, in each language.
func TestByKeyboard(t *testing.T) {
	t.Parallel()
	for lang, turnOn := range map[string]string{"es-MX": "Activar atajos", "en": "Turn shortcuts on"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			byKeyboard(t, lang, turnOn)
		})
	}
}

func byKeyboard(t *testing.T, lang, turnOn string) {
	t.Helper()
	order := shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "1250.00", nil)
	who := shared.logins[manager]
	p := shared.open(t, desk)
	p.setCookie("veinte_language", lang)
	p.goTo("/login")
	p.tabTo("input[name=email]")
	p.write(who.email)
	p.hit(tab)
	p.write(who.password)
	p.hit(enter)
	p.at("/sales")

	p.hit(slash)
	p.until("the focus in the search", "document.activeElement.id === 'f-q'")
	if got := eval[string](p, has("#f-q")+".value"); got != "" {
		t.Errorf("the search field = %q after the shortcut, want nothing typed into it", got)
	}
	p.write(order)
	p.hit(enter)
	p.until("the one sale", "document.readyState === 'complete' && document.querySelectorAll('[data-testid=sale]').length === 1")

	// The sheet opens on the safe button; Escape and Enter keep the sale.
	row := sale(order) + " " + id("cancel")
	p.tabTo(row)
	for _, safe := range []key{escape, enter} {
		p.hit(enter)
		p.see("dialog[open] " + id("cancel-form"))
		p.until("the focus on the safe button", "document.activeElement.matches('dialog .safe')")
		p.hit(safe)
		p.until("a closed sheet", "!"+has("dialog[open]"))
		p.until("the focus back on the row", fmt.Sprintf("document.activeElement.matches(%q)", row))
	}
	shared.box.wantNoCancel(t, order)

	p.hit(enter)
	p.see("dialog[open] " + id("cancel-form"))
	p.tabTo("dialog input[name=reason]")
	p.hit(space)
	p.tabTo("dialog textarea")
	p.write("por teclado")
	p.tabTo("dialog " + id("receipt"))
	p.hit(space)
	p.tabTo("dialog " + id("confirm"))
	p.hit(enter)
	p.wantState("confirmed")
	p.until("the language", fmt.Sprintf("document.documentElement.lang === %q", lang))
	shared.box.wantOneCancel(t, order, true)

	// Shortcuts can be turned off, and stay off.
	p.goTo("/sales")
	p.tabTo("[data-keys-toggle]")
	p.hit(enter)
	p.reload()
	p.until("the way to turn them on", says("[data-keys-toggle]", turnOn))
	p.hit(slash)
	if eval[bool](p, "document.activeElement.id === 'f-q'") {
		t.Error("the shortcut works after it was turned off")
	}
}
