package e2e

import (
	"fmt"
	"testing"
)

// place is one page in one state, and how to come to it.
type place struct {
	name   string
	role   string // "" for nobody
	path   string
	status string // allowed in the console: the browser logs an error page's status
	then   func(p *page)
}

// everyPage lists each page of the day's work and of its settings, in each state
// worth looking at. trailPages, picturePages and paperPages have the others.
func everyPage(t testing.TB, s *server, sales map[string]string) []place {
	t.Helper()
	story := func(state string) string { return "/sales/" + sales[state] }
	tid := s.newTerminal(t, romaNorte).id
	sid := s.storeID(t, tijuana)
	endpoint, delivery := s.newEndpoint(t)
	const bulk = "/sales/cancellations"
	both := "?sale=" + sales["cancelable"] + "&sale=" + sales["rejected"]
	typed := s.typedSale(t)
	asked := s.bulkRequested(t, sales["confirmed"], sales["accepted"])
	return []place{
		{name: "login", path: "/login"},
		{name: "login-wrong", path: "/login", status: "422", then: func(p *page) {
			p.fill("input[name=email]", "nadie@tiendas.example")
			p.fill("input[name=password]", "no la recuerdo")
			p.press("form[action='/login'] button[type=submit]")
			p.see("[data-error-summary]")
		}},
		{name: "sales", role: manager, path: "/sales"},
		{name: "sales-all-stores", role: supervisor, path: "/sales"},
		{name: "sales-filtered", role: supervisor, path: "/sales?state=confirmed&store=" + s.storeID(t, romaNorte)},
		{name: "sales-none-match", role: manager, path: "/sales?q=999999999999"},
		{name: "sales-empty-day", role: manager, path: "/sales?date=2026-11-18"},
		{name: "sales-chips", role: manager, path: "/sales?terminal=1&state=cancelable&q=2611"},
		{name: "sales-shortcuts", role: manager, path: "/sales", then: func(p *page) {
			p.hit(question)
			p.see("dialog[open] " + id("shortcuts"))
		}},
		{name: "shortcuts", role: manager, path: "/shortcuts"},
		{name: "sale-views", role: supervisor, path: "/sales/views"},
		{name: "sale-view-new", role: supervisor, path: "/sales/views/new?state=unknown&date=2026-11-19"},
		{name: "sale-view-wrong", role: supervisor, path: "/sales/views/new?state=unknown", status: "422", then: func(p *page) {
			p.press(id("view-form") + " button[type=submit]")
			p.see("[data-error-summary]")
		}},
		{name: "sale-new", role: manager, path: "/sales/new"},
		{name: "sale-new-wrong", role: manager, path: "/sales/new", then: func(p *page) {
			p.press(id("entry-form") + " button[type=submit]")
			p.see("[data-error-summary]")
		}},
		{name: "sale-typed", role: manager, path: "/sales/" + typed},
		{name: "sale-correction", role: manager, path: "/sales/" + typed + "/correction"},
		{name: "sale-correction-wrong", role: manager, path: "/sales/" + typed + "/correction", status: "422", then: func(p *page) {
			p.fill("input[name=last4]", "x")
			p.press(id("correction-form") + " button[type=submit]")
			p.see("[data-error-summary]")
		}},
		{name: "sheet-dialog", role: manager, path: "/sales?q=" + sales["order"], then: func(p *page) {
			p.press("#sale-" + sales["cancelable"] + " " + id("cancel"))
			p.see("dialog[open] " + id("cancel-form"))
		}},
		{name: "sheet-page", role: manager, path: story("cancelable") + "/cancellation/new"},
		{name: "sheet-without-note", role: manager, path: story("cancelable") + "/cancellation/new", status: "422", then: func(p *page) {
			p.press("input[name=reason][value=other]")
			p.sendsAsIs()
			p.see("[data-error-summary]")
		}},
		{name: "sheet-amount-changed", role: manager, path: story("cancelable") + "/cancellation/new", status: "409", then: func(p *page) {
			p.until("the sheet of another amount", `(document.querySelector("[name=seen]").value = "1.00", true)`)
			p.press("input[name=reason][value=wrongAmount]")
			p.press(id("confirm"))
			p.see(id("amount-changed"))
		}},
		{name: "sheet-refused", role: manager, path: story("confirmed") + "/cancellation/new"},
		{name: "sales-chosen", role: supervisor, path: "/sales?state=cancelable", then: func(p *page) {
			p.press("[name=sale]")
			p.see("[form=several]:checked")
			p.do(step("scrollTo(0, 0)")) // nothing lies half below what sticks
		}},
		{name: "several", role: supervisor, path: bulk + "/new" + both},
		{name: "several-without-note", role: supervisor, path: bulk + "/new" + both, status: "422", then: func(p *page) {
			p.press("input[name=reason][value=other]")
			p.sendsAsIs()
			p.see("[data-error-summary]")
		}},
		{name: "several-amount-changed", role: supervisor, path: bulk + "/new" + both, status: "409", then: func(p *page) {
			p.until("a bulk of another amount", `(document.querySelector("[name=sale]").value =
				document.querySelector("[name=sale]").value.replace(/:.*/, ":100"), true)`)
			p.press("input[name=reason][value=wrongAmount]")
			p.press(id("confirm"))
			p.see(id("amount-was"))
		}},
		{name: "several-refused", role: supervisor, path: bulk + "/new?sale=" + sales["confirmed"] + "&sale=" + sales["accepted"]},
		{name: "several-outcome", role: supervisor, path: asked},
		{name: "story-cancelable", role: manager, path: story("cancelable")},
		{name: "story-accepted", role: manager, path: story("accepted")},
		{name: "story-confirmed", role: manager, path: story("confirmed")},
		{name: "story-rejected", role: manager, path: story("rejected")},
		{name: "story-unknown", role: manager, path: story("unknown")},
		{name: "story-unknown-supervisor", role: supervisor, path: story("unknown")},
		{name: "story-requested", role: manager, path: story("requested")},
		{name: "story-withdrawn", role: manager, path: story("withdrawn")},
		{name: "story-conflict", role: supervisor, path: story("conflict")},
		{name: "story-ticket", role: supervisor, path: story("rejected"), then: func(p *page) {
			p.press("#ticket summary")
			p.see("#ticket[open] " + id("resolution-form"))
		}},
		{name: "story-ticket-refused", role: supervisor, path: "/sales", status: "422", then: func(p *page) {
			p.goTo("/sales/" + s.accepted(p.t, s.newTerminal(p.t, romaNorte))) // in three minutes it is in doubt
			p.press("#ticket summary")
			p.press("#ticket button[type=submit]")
			p.see("#ticket[open] [data-error-summary]")
		}},
		{name: "story-not-canceled", role: supervisor, path: story("notCanceled")},
		{name: "today", role: supervisor, path: "/today"},
		{name: "today-administrator", role: administrator, path: "/today"},
		{name: "today-no-store", role: supervisor, path: "/today?q=Saltillo"},
		{name: "review", role: supervisor, path: "/review"},
		{name: "review-conflicts", role: supervisor, path: "/review?kind=conflict"},
		{name: "review-not-found", role: supervisor, path: "/review?q=Saltillo"},
		{name: "review-refused", role: supervisor, path: "/review?kind=none", status: "422"},
		{name: "reconciliations", role: supervisor, path: "/reconciliations"},
		{name: "reconciliation-new", role: supervisor, path: "/reconciliations/new"},
		{name: "reconciliation-without-file", role: supervisor, path: "/reconciliations/new", status: "422", then: func(p *page) {
			p.press(id("report-form") + " button[type=submit]")
			p.see("[data-error-summary]")
		}},
		{name: "profiles", role: administrator, path: "/settings/reconciliation"},
		{name: "profile-new", role: administrator, path: "/settings/reconciliation/new"},
		{name: "profile", role: administrator, path: "/settings/reconciliation/1"},
		{name: "settings", role: administrator, path: "/settings"},
		{name: "settings-refused", role: administrator, path: "/settings", status: "422", then: func(p *page) {
			p.press(id("pause-form") + " button[type=submit]")
			p.see("[data-error-summary]")
		}},
		{name: "rules", role: administrator, path: "/settings/rules"},
		{name: "rules-refused", role: administrator, path: "/settings/rules", status: "422", then: func(p *page) {
			p.press("details:has(#f-margin) summary")
			p.fill("#f-margin", "diez")
			p.press(id("rules-form") + " button[type=submit]")
			p.see("[data-error-summary]")
		}},
		{name: "rules-preview", role: administrator, path: "/settings/rules", then: func(p *page) {
			p.fill("#f-note", "se ve y no se confirma")
			p.press("details:has(#f-margin) summary")
			p.fill("#f-margin", "6")
			p.press(id("rules-form") + " button[type=submit]")
			p.see(id("rules-apply"))
		}},
		{name: "rules-history", role: administrator, path: "/settings/rules/history"},
		{name: "reasons", role: administrator, path: "/settings/reasons"},
		{name: "reason", role: administrator, path: "/settings/reasons/wrongAmount"},
		{name: "sso", role: administrator, path: "/settings/sso"},
		{name: "sso-refused", role: administrator, path: "/settings/sso", status: "422", then: func(p *page) {
			p.press(id("sso-group-form") + " button[type=submit]")
			p.see("[data-error-summary]")
		}},
		{name: "keys", role: administrator, path: "/settings/keys"},
		{name: "key-new", role: administrator, path: "/settings/keys/new"},
		{name: "key-refused", role: administrator, path: "/settings/keys/new", status: "422", then: func(p *page) {
			p.press("form[action='/settings/keys'] button[type=submit]")
			p.see("[data-error-summary]")
		}},
		{name: "api-docs", role: administrator, path: "/api/docs"},
		{name: "connection", role: administrator, path: "/settings/connection"},
		{name: "imports", role: administrator, path: "/imports"},
		{name: "import-new", role: administrator, path: "/imports/new"},
		{name: "import-new-terminals", role: administrator, path: "/imports/new?kind=terminals"},
		{name: "import-new-refused", role: administrator, path: "/imports/new", status: "422", then: func(p *page) {
			p.upload("<html>")
			p.see("[data-error-summary]")
		}},
		{name: "import-status", role: administrator, path: "/imports/new", then: func(p *page) {
			p.upload("Ventas de hoy\nserie;orden;importe;fecha;hora;estado\n" +
				"149;UNA;1250.00;20/11/2026;10:00;En proceso\n149;DOS;1;20/11/2026;10:00;Declinada\n")
			p.see("#import[data-state=checked] [data-testid=import-words]")
		}},
		{name: "import-checked", role: administrator, path: "/imports/new", then: func(p *page) {
			p.upload("serie;orden;importe;fecha\n149;UNA;1250.00;11/20/2026 10:00\n")
			p.see("#import[data-state=checked] [data-testid=remark]")
		}},
		{name: "results", role: supervisor, path: "/results"},
		{name: "terminals", role: administrator, path: "/terminals"},
		{name: "terminals-refused", role: administrator, path: "/terminals?state=none", status: "422"},
		{name: "terminals-health", role: administrator, path: "/terminals/health"},
		{name: "terminals-moving", role: administrator, path: "/terminals/moves/new?store=1&terminal=" + tid},
		{name: "terminals-moved", role: administrator, path: "/terminals/moves?terminal=" + tid},
		{name: "terminal-new", role: administrator, path: "/terminals/new"},
		{name: "terminal", role: administrator, path: "/terminals/" + tid},
		{name: "terminal-move", role: administrator, path: "/terminals/" + tid + "/moves/new"},
		{name: "terminal-edit", role: administrator, path: "/terminals/" + tid + "/edit"},
		{name: "terminal-address", role: administrator, path: "/terminals/" + tid, then: func(p *page) {
			p.press(id("address-form") + " button[type=submit]")
			p.see(id("qr"))
		}},
		{name: "addresses", role: administrator, path: "/terminals/addresses"},
		{name: "stores", role: administrator, path: "/stores"},
		{name: "store-new", role: administrator, path: "/stores/new"},
		{name: "store", role: administrator, path: "/stores/" + sid},
		{name: "users", role: administrator, path: "/users"},
		{name: "user-new", role: administrator, path: "/users/new"},
		{name: "user", role: administrator, path: "/users/1"},
		{name: "user-edit", role: administrator, path: "/users/1/edit"},
		{name: "user-link", role: administrator, path: "/users/1", then: func(p *page) {
			p.press(id("user-link") + " button[type=submit]")
			p.see(id("account-link"))
		}},
		{name: "link-unknown", role: manager, path: "/password/QJ3W6T5R4E3W2Q1AZSXDCFVGBH", status: "404"},
		{name: "endpoints", role: administrator, path: "/endpoints"},
		{name: "endpoint-new", role: administrator, path: "/endpoints/new?kind=webhook"},
		{name: "endpoint-refused", role: administrator, path: "/endpoints/new?kind=relay", status: "422", then: func(p *page) {
			p.fill("input[name=name]", "Caja")
			p.fill("input[name=url]", "https://169.254.169.254/")
			p.press(id("endpoint-form") + " button[type=submit]")
			p.see("[data-error-summary]")
		}},
		{name: "endpoint", role: administrator, path: "/endpoints/" + endpoint},
		{name: "endpoint-edit", role: administrator, path: "/endpoints/" + endpoint + "/edit"},
		{name: "delivery", role: administrator, path: "/deliveries/" + delivery},
		{name: "account", role: manager, path: "/account"},
		{name: "factors", role: manager, path: "/account/factors"},
		{name: "factors-app", role: manager, path: "/account/factors", then: func(p *page) {
			p.press("details:has(" + id("app") + ") > summary")
			p.see(id("app") + " [name=proof]")
		}},
		{name: "help-manager", role: manager, path: "/help"},
		{name: "help-supervisor", role: supervisor, path: "/help"},
		{name: "help-administrator", role: administrator, path: "/help"},
		{name: "help-auditor", role: auditor, path: "/help"},
		{name: "help-none", role: manager, path: "/help/nadie", status: "404"},
		{name: "error-404", role: manager, path: "/nowhere", status: "404"},
		{name: "error-403", role: manager, path: "/users", status: "403"},
	}
}

// evening lists the pages that look otherwise after the cut-off, for the sales
// that there are.
func evening(sales map[string]string) []place {
	story := "/sales/" + sales["cancelable"]
	places := []place{
		{name: "evening-sales", role: manager, path: "/sales"},
		{name: "evening-sheet", role: manager, path: story + "/cancellation/new"},
		{name: "evening-story", role: manager, path: story},
		{name: "evening-slip", role: manager, path: story + "/slip"},
		{name: "evening-pending", role: manager, path: "/sales/pending"},
		{name: "evening-day", role: manager, path: "/sales/day"},
		{name: "evening-closings", role: supervisor, path: "/closings", then: func(p *page) {
			p.reloadUntil("the day's closing", has("tbody a"))
		}},
		{name: "evening-closing", role: supervisor, path: "/closings", then: func(p *page) {
			p.reloadUntil("the day's closing", has("tbody a"))
			p.press("tbody a")
			p.see(id("closing-hash"))
		}},
	}
	if id := sales["rejected"]; id != "" {
		places = append(places, place{name: "evening-story-rejected", role: manager, path: "/sales/" + id})
	}
	if id := sales["requested"]; id != "" {
		places = append(places, place{
			name: "evening-story-expired", role: supervisor, path: "/sales/" + id, then: func(p *page) { p.wantState("expired") },
		})
	}
	return places
}

// visit comes to a place in a tab of its person.
func (p *page) visit(to place) {
	p.t.Helper()
	if to.status != "" {
		p.watch.allow("status of " + to.status)
	}
	p.goTo(to.path)
	if to.then != nil {
		to.then(p)
	}
}

// upload chooses a file of the content on the page's form, and sends it.
func (p *page) upload(content string) {
	p.t.Helper()
	p.until("a file is chosen", fmt.Sprintf(`(() => {
		const chosen = new DataTransfer();
		chosen.items.add(new File([%q], "ventas.csv"));
		document.getElementById("f-file").files = chosen.files;
		return document.getElementById("f-file").files.length === 1;
	})()`, content))
	p.press("form[enctype] button[type=submit]")
}
