package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// tabTo presses Tab until something has the focus, as somebody without a mouse.
func (p *page) tabTo(selector string) {
	p.t.Helper()
	var way []string
	for range 80 {
		p.keys(kb.Tab)
		if eval[bool](p, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
			if !eval[bool](p, `(() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle !== "none" || s.boxShadow !== "none" })()`) {
				p.t.Errorf("%s has the focus and does not show it", selector)
			}
			return
		}
		way = append(way, p.focused())
	}
	p.t.Fatalf("Tab did not come to %s in %d steps: %q", selector, len(way), way)
}

// The whole job by keyboard alone.
func TestByKeyboard(t *testing.T) {
	t.Parallel()
	order := shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "1250.00", nil)
	who := shared.logins[manager]
	p := shared.open(t, desk)
	p.goTo("/login")
	p.tabTo("input[name=email]")
	p.keys(who.email, kb.Tab, who.password, kb.Enter)
	p.at("/sales")

	p.keys("/")
	p.until("the focus in the search", "document.activeElement.id === 'f-q'")
	if got := eval[string](p, has("#f-q")+".value"); got != "" {
		t.Errorf("the search field = %q after the shortcut, want nothing typed into it", got)
	}
	p.keys(order, kb.Enter)
	p.until("the one sale", "document.readyState === 'complete' && document.querySelectorAll('[data-testid=sale]').length === 1")

	// The sheet opens on the safe button; Escape and Enter keep the sale.
	row := sale(order) + " " + id("cancel")
	p.tabTo(row)
	for _, safe := range []string{kb.Escape, kb.Enter} {
		p.keys(kb.Enter)
		p.see("dialog[open] " + id("cancel-form"))
		p.until("the focus on the safe button", "document.activeElement.matches('dialog .safe')")
		p.keys(safe)
		p.until("a closed sheet", "!"+has("dialog[open]"))
		p.until("the focus back on the row", fmt.Sprintf("document.activeElement.matches(%q)", row))
	}
	shared.box.wantNoCancel(t, order)

	p.keys(kb.Enter)
	p.see("dialog[open] " + id("cancel-form"))
	p.tabTo("dialog input[name=reason]")
	p.keys(" ")
	p.tabTo("dialog textarea")
	p.keys("por teclado")
	p.tabTo("dialog " + id("receipt"))
	p.keys(" ")
	p.tabTo("dialog " + id("confirm"))
	p.keys(kb.Enter)
	p.wantState("confirmed")
	shared.box.wantOneCancel(t, order, true)

	// Shortcuts can be turned off, and stay off.
	p.goTo("/sales")
	p.tabTo("[data-keys-toggle]")
	p.keys(kb.Enter)
	p.reload()
	p.until("the way to turn them on", says("[data-keys-toggle]", "Activar"))
	p.keys("/")
	if eval[bool](p, "document.activeElement.id === 'f-q'") {
		t.Error("the shortcut works after it was turned off")
	}
}
