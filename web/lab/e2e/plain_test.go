package e2e

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// withoutScripts turns JavaScript off for the tab's pages.
func (p *page) withoutScripts() {
	p.t.Helper()
	p.plain = true
	call(p, func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
}

// The whole job works without scripts: forms post, links work, and a reload shows
// the state; in each language.
func TestWithoutJavaScript(t *testing.T) {
	t.Parallel()
	for lang, words := range map[string]struct{ byItself, reload string }{
		"es-MX": {"se actualiza sola", "Vuelve a cargar la página"},
		"en":    {"updates by itself", "Load the page again"},
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			plainly(t, lang, words.byItself, words.reload)
		})
	}
}

func plainly(t *testing.T, lang, byItself, reload string) {
	t.Helper()
	order := shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "1250.00", nil)
	saleID := shared.saleID(t, order)
	shared.box.withhold(t, order)
	p := shared.open(t, phone)
	p.setCookie("veinte_language", lang)
	p.withoutScripts()
	p.signInByForm(shared.logins[manager])
	p.at("/sales")
	if got := p.text(id("cutoff")); !strings.Contains(got, "20:00") || !strings.Contains(got, "min") {
		t.Errorf("countdown without scripts = %q, want the hour and the time left in it", got)
	}
	p.fill("#f-q", order)
	p.press("form[role=search] button[type=submit]")
	p.until("the one sale", "document.querySelectorAll('tr[id^=sale-]').length === 1")

	p.press("#sale-" + saleID + " a[href$='/cancellation/new']")
	p.at("/sales/" + saleID + "/cancellation/new")
	p.press(id("receipt"))
	p.press(id("confirm")) // the browser asks for the reason, and nothing is sent
	p.at("/sales/" + saleID + "/cancellation/new")
	p.until("that a reason is asked for", has("input[name=reason]:invalid"))
	p.watch.allow("status of 422")
	p.press("input[name=reason][value=other]")
	p.press(id("confirm")) // without the required note: an error is shown, and nothing is lost
	p.see("[data-error-summary]")
	p.until("the receipt as it was left: off", has(id("receipt")+":not(:checked)"))
	p.press("input[name=reason][value=customerRequest]")
	p.press(id("confirm"))
	p.at("/sales/" + saleID)
	p.see(id("flash"))
	switch text := p.text("main"); {
	case strings.Contains(text, byItself):
		t.Errorf("the page says that it updates by itself, which it does not without scripts: %q", text)
	case !strings.Contains(text, reload):
		t.Errorf("the page does not say how to see the result: %q", text)
	}
	p.press("main .flash a[href='/sales/" + saleID + "']")
	p.until("the same page without the flash", "!"+has(id("flash")))
	shared.as(t, manager).waitFor(t, saleID, "accepted") // a terminal reports what it was sent
	shared.box.report(t, order)
	shared.as(t, manager).waitFor(t, saleID, "confirmed")
	p.reload()
	p.wantState("confirmed")
	shared.box.wantOneCancel(t, order, true)
	p.endSession()
	p.at("/login")
}
