package e2e

import (
	"strings"
	"testing"
	"time"
)

// An administrator moves a terminal; its sales follow it from then on, and what
// it sold before stays where it was sold.
func TestTerminalMovesToAnotherStore(t *testing.T) {
	t.Parallel()
	moved := shared.newTerminal(t, romaNorte)
	before := shared.box.sell(t, moved.serial, "210.00", nil)

	p := shared.openAs(t, administrator, desk)
	p.goTo("/terminals?q=" + moved.serial)
	p.press("[data-testid=terminal][data-serial='" + moved.serial + "'] " + id("move"))
	p.at("/terminals/" + moved.id + "/moves/new")
	p.choose(id("move-form")+" select[name=store]", shared.storeID(t, tijuana))
	p.press(id("move-form") + " button[type=submit]")
	p.until("that it is done", says(id("moved-panel"), "ya está en Tijuana Río"))
	p.at("/terminals/" + moved.id)

	history := eval[[]string](p, `[...document.querySelectorAll("[data-testid=assignment]")].map(e => e.innerText)`)
	if len(history) != 2 {
		t.Fatalf("assignments = %q, want two", history)
	}
	both := strings.Join(history, "\n")
	if !strings.Contains(both, "Roma Norte") || !strings.Contains(both, "Tijuana Río") || strings.Count(both, "Sigue ahí") != 1 {
		t.Errorf("assignments = %q, want Roma Norte, ended, and Tijuana Río, still there", both)
	}

	// An order number tells the second of its sale, no more.
	shared.box.waitUntil(t, shared.box.now(t).Truncate(time.Second).Add(time.Second))
	after := shared.box.sell(t, moved.serial, "220.00", nil)
	for _, tt := range []struct{ store, has, lacks string }{
		{romaNorte, before, after},
		{tijuana, after, before},
	} {
		p := shared.openAs(t, supervisor, desk)
		p.goTo("/sales?terminal=" + moved.id + "&store=" + shared.storeID(t, tt.store))
		p.see("#sales-list")
		if p.count(sale(tt.has)) != 1 || p.count(sale(tt.lacks)) != 0 {
			t.Errorf("sales of %s in %s = %q, want %s only", moved.serial, tt.store, p.orders(), tt.has)
		}
	}
	ana := shared.openAs(t, manager, desk)
	ana.goTo("/sales?terminal=" + moved.id)
	ana.see(sale(before))
	if ana.count(sale(after)) != 0 {
		t.Errorf("the manager of %s sees %q, want nothing that was sold elsewhere", romaNorte, ana.orders())
	}

	trail := shared.openAs(t, supervisor, desk)
	trail.goTo("/audit?action=terminal.moved&q=" + moved.serial)
	trail.see(id("audit-entry") + "[data-action='terminal.moved'][data-outcome=success]")
	if got := trail.text(id("audit-entry")); !strings.Contains(got, "Diego Luna") || !strings.Contains(got, "Roma Norte") ||
		!strings.Contains(got, "Tijuana Río") {
		t.Errorf("entry of the move = %q, want who, from where and to where", got)
	}
}

// orders are those of the rows on the page.
func (p *page) orders() []string {
	p.t.Helper()
	return eval[[]string](p, `[...document.querySelectorAll("[data-testid=sale]")].map(e => e.dataset.orderId)`)
}
