package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// reloadUntil loads the page again until something is on it: for what another
// process does in its own time.
func (p *page) reloadUntil(what, condition string) {
	p.t.Helper()
	p.until(what, fmt.Sprintf(`(() => {
		if (window.reloading) return false;
		if (%s) return true;
		window.reloading = true;
		location.reload();
		return false;
	})()`, condition))
}

// canceled is a sale of a terminal of its own that a manager canceled.
func (s *server) canceled(t testing.TB) (order, saleID string) {
	t.Helper()
	order = s.box.sell(t, s.newTerminal(t, romaNorte).serial, "1250.00", nil)
	saleID = s.saleID(t, order)
	ana := s.as(t, manager)
	ana.cancel(t, saleID)
	ana.waitFor(t, saleID, "confirmed")
	return order, saleID
}

// An auditor can read and export, and sees no other action; requests that no page
// would send are refused.
func TestAuditorOnlyReads(t *testing.T) {
	t.Parallel()
	_, saleID := shared.canceled(t)
	open := shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "89.50", nil)
	p := shared.open(t, desk)
	p.signInByForm(shared.logins[auditor])
	p.at("/audit")
	for _, path := range []string{
		"/audit", "/audit/views", "/audit/exports", "/oversight", "/oversight/patterns", "/closings", "/review", "/results",
		"/sales", "/sales/" + saleID, "/sales/" + shared.saleID(t, open),
	} {
		p.goTo(path)
		acts := eval[string](p, `[...document.querySelectorAll("form[method=post]")].map(f => f.getAttribute("action"))
			.filter(a => !["/logout", "/language", "/shortcuts", "/help/first/dismissal"].includes(a)).join(" ")`)
		if acts != "" {
			t.Errorf("an auditor can press on %s: %s", path, acts)
		}
	}
	for _, path := range []string{"/users", "/settings", "/settings/alerts", "/terminals"} {
		if status, _ := shared.as(t, auditor).get(t, path); status != http.StatusForbidden {
			t.Errorf("GET %s by an auditor = %d, want 403", path, status)
		}
	}
	elena := shared.as(t, auditor)
	if status, _ := elena.post(t, "", "/sales/"+shared.saleID(t, open)+"/cancellation",
		shared.as(t, manager).cancelForm(t, shared.saleID(t, open))); status != http.StatusForbidden {
		t.Errorf("POST of a cancellation by an auditor = %d, want 403", status)
	}
	shared.box.wantNoCancel(t, open)
}

// A supervisor finds who requested a cancellation, sees its result, and gets its
// proof.
func TestFromFilterToProof(t *testing.T) {
	t.Parallel()
	order, saleID := shared.canceled(t)
	for _, sc := range []screen{desk, phone} {
		p := shared.openAs(t, supervisor, sc)
		p.goTo("/audit")
		p.fill("#f-q", order)
		p.hit(enter)
		p.until("the filter in the address", "location.search.includes('q=')")
		if got := eval[string](p, "location.search"); strings.Contains(got, "store=") || strings.Contains(got, "min=") {
			t.Errorf("the address to share = %q, want only what is filtered", got)
		}
		p.press(".switch a:not([aria-current])")
		p.until("requests only", "document.querySelectorAll('[data-testid=audit-entry]').length === 1")
		p.see(id("came-of") + "[data-state=confirmed]")
		p.press(id("audit-entry") + " .folded summary")
		p.until("its steps", "document.querySelectorAll('[data-testid=step]').length >= 3")
		p.see(id("step"))
		p.press(id("audit-entry") + " th a")
		p.see(id("permalink"))
		if got, want := p.text(id("permalink")), eval[string](p, "location.href"); got != want {
			t.Errorf("the permalink = %q, want this page: %q", got, want)
		}
		p.reloadUntil("the proof", has(id("proof")+"[data-proof=holds]"))
		p.see("[data-testid=audit-entry][aria-current=true]")

		p.press("a[href='/audit?sale=" + saleID + "']")
		p.until("the sale's timeline", "document.querySelectorAll('.timeline .lapse').length >= 3")
		if got := p.text(".timeline"); !strings.Contains(got, "Cancelación: Cancelada") {
			t.Errorf("the timeline = %q, want what came of it", got)
		}
	}
	if status, text := shared.as(t, auditor).get(t, "/audit/999999999"); status != http.StatusNotFound ||
		!strings.Contains(text, `href="/audit"`) {
		t.Errorf("an entry that is not there = %d, want 404 and the way to the list", status)
	}
}

// What else the trail can be filtered by waits behind a button that says how much of
// it is in use: on a phone and a desk, with scripts and without.
func TestTheTrailsFiltersWaitBehindAButton(t *testing.T) {
	t.Parallel()
	for _, sc := range []screen{phone, desk} {
		for _, scripts := range []bool{true, false} {
			p := shared.openAs(t, auditor, sc)
			if !scripts {
				p.withoutScripts()
			}
			p.goTo("/audit")
			if eval[bool](p, has("#f-outcome")+".checkVisibility()") {
				t.Errorf("%d px: the filters stand open before anybody asks for them", sc.width)
			}
			first, filters, send := p.top(".entries > .entry"), id("trail-filters"), "#trail-fields > button[type=submit]"
			if sc == desk {
				filters, send = id("trail-more-filters"), "#trail-rest button[type=submit]"
			}
			p.press(filters)
			p.see("#f-outcome")
			if got := p.top(".entries > .entry"); got != first {
				t.Errorf("%d px: the filters moved the first entry from %.0f to %.0f px", sc.width, first, got)
			}
			if scripts {
				report(t, "the trail's filters", p.axe())
				p.hit(escape)
				p.until("the filters closed", "!"+has("#f-outcome")+".checkVisibility()")
				p.press(filters)
			}
			p.choose("#f-outcome", "success")
			p.choose("#f-action", "session.started")
			p.press(send)
			p.until("the filters in the address", "location.search.includes('outcome=success')")
			if got := p.text(filters); !strings.Contains(got, "2") {
				t.Errorf("%d px: the button says %q, want that 2 filters are in use", sc.width, got)
			}
		}
	}
}

// A filter that is wrong is not behind a button.
func TestAWrongFilterIsInSight(t *testing.T) {
	t.Parallel()
	p := shared.openAs(t, auditor, phone)
	p.watch.allow("status of 422")
	p.goTo("/audit?min=mil")
	p.see("#e-min")
	p.press("[data-error-summary] a")
	p.until("the way to the field", "location.hash === '#f-min'")
	if !eval[bool](p, has("#f-min")+".checkVisibility()") {
		t.Error("the summary leads to a field that is not shown")
	}
}

// The first steps of an auditor stand below the trail, one press away.
func TestTheFirstStepsAreOnePressAway(t *testing.T) {
	t.Parallel()
	s := ownServer(t, noon)
	for _, sc := range []screen{phone, desk} {
		p := s.openAs(t, auditor, sc)
		p.goTo("/audit")
		if sc == phone {
			p.press("[popovertarget=trail-more]")
		}
		p.press("#trail-more a[href='#first-steps']")
		p.until("the first steps in sight", `(() => {
			const r = document.querySelector("#first-steps summary").getBoundingClientRect();
			return r.top >= 0 && r.bottom <= innerHeight && !!document.elementFromPoint(r.left + 20, r.top + 10).closest("#first-steps") })()`)
	}
}

// A supervisor adds a note to a finding; others can read it.
func TestFindingIsMarked(t *testing.T) {
	t.Parallel()
	s := ownServer(t, noon)
	for range 3 {
		s.canceled(t)
	}
	p := s.openAs(t, supervisor, phone)
	p.goTo("/oversight/patterns?kind=quick")
	p.see(id("finding"))
	p.press(id("finding") + " a")
	p.see(id("unlooked"))
	p.watch.allow("status of 422")
	p.press(id("mark-form") + " button[type=submit]") // without a note
	p.see("[data-error-summary]")
	p.see(".subnav a[aria-current=true][href='/oversight/patterns']")
	p.fill("#f-note", "Eran pruebas con el cliente enfrente; los tickets están en la caja.")
	p.press(id("mark-form") + " button[type=submit]")
	p.see(id("mark"))
	p.see(id("looked"))

	elena := s.openAs(t, auditor, desk)
	elena.goTo("/oversight/patterns?kind=quick")
	elena.press(id("finding") + " a")
	if got := elena.text(id("mark")); !strings.Contains(got, "los tickets están en la caja") || !strings.Contains(got, "Sofía") {
		t.Errorf("the mark as an auditor reads it = %q, want the note and whose it is", got)
	}
	elena.see(id("reads-only"))
	if n := elena.count(id("mark-form")); n != 0 {
		t.Errorf("forms to mark, for an auditor = %d, want none", n)
	}
}

// The page verifies the trail, shows the result without a reload, and shows who
// requested it.
func TestVerifyOnThePage(t *testing.T) {
	t.Parallel()
	s := ownServer(t, noon)
	s.canceled(t)
	p := s.openAs(t, auditor, desk)
	p.goTo("/audit/verification")
	p.press(id("verify-form") + " button[type=submit]")
	p.until("the verdict", has(id("verdict")+"[data-state=intact]"))
	if got := p.text(id("verdict")); !strings.Contains(got, "Íntegra") || !strings.Contains(got, "Elena") {
		t.Errorf("the verdict = %q, want it in words and who asked", got)
	}
	p.see(id("verification-row") + "[data-state=intact]")
	p.until("what comparing the tables came to", has(id("comparison-verdict")+"[data-state=intact]"))
	p.press("details:has(" + id("public-key") + ") > summary")
	p.see(id("public-key"))
	report(t, "a verification that found nothing", p.axe())
}

// The page's link leads to the file: marked as UTF-8, with its content and the
// checkpoint; and the page shows that it was downloaded.
func TestExportFromThePage(t *testing.T) {
	t.Parallel()
	order, _ := shared.canceled(t)
	p := shared.openAs(t, auditor, phone)
	p.goTo("/audit/exports?q=" + order)
	file := p.attribute(".formats a[href^='/audit.csv']", "href")
	status, text := shared.as(t, auditor).get(t, file)
	if status != http.StatusOK || !strings.HasPrefix(text, "\ufeff#n,id,at,") {
		t.Fatalf("GET %s = %d and %.40q, want 200 and a file that begins with the mark of UTF-8", file, status, text)
	}
	for _, want := range []string{
		order, "Zona horaria de todas las horas,America/Mexico_City", "Suma de sus montos,1250.00 MXN",
		"Punto de control firmado", "Fin del archivo,completo",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the file lacks %q", want)
		}
	}
	p.until("the export in the list", says("#exports", "Completa"))
}

// All of it works where no script runs.
func TestTrailWithoutJavaScript(t *testing.T) {
	t.Parallel()
	order, _ := shared.canceled(t)
	p := shared.open(t, phone)
	p.withoutScripts()
	p.signInByForm(shared.logins[supervisor])
	p.at("/today")
	p.goTo("/audit?action=cancellation.requested")
	p.fill("#f-q", order)
	p.press("form[role=search] button[type=submit]")
	p.until("the one request", "location.search.includes('q=') && document.querySelectorAll('[data-testid=audit-entry]').length === 1")
	p.press(id("keep-view"))
	p.at("/audit/views/new")
	p.fill("#f-name", "Orden "+order)
	p.press(id("view-form") + " button[type=submit]")
	p.at("/audit/views")
	p.do(step(fmt.Sprintf(`[...document.querySelectorAll("[data-testid=view] th a")].find((a) => a.innerText.includes(%q)).id = "its-view"`,
		order))) // others store filters too
	p.press("#its-view")
	p.at("/audit")
	p.press(id("audit-entry") + " .folded summary") // a heading that needs no script
	p.see(id("step"))
	p.press(id("audit-entry") + " th a")
	p.see(id("proof"))

	p.goTo("/audit/verification")
	p.do(step("window.asked = true"))
	p.press(id("verify-form") + " button[type=submit]")
	p.until("the page that answers", "!window.asked && document.readyState === 'complete'")
	p.reloadUntil("the verdict", has(id("verdict")))
	p.goTo("/audit/exports")
	p.see(".formats a[href^='/audit.csv']")
	p.see(".formats a[href^='/audit/print']")
}
