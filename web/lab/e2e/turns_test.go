package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// clerk is a manager who has a PIN for the counter of their store.
type clerk struct {
	login
	name, pin string
}

// newClerk invites somebody for one test alone, who has chosen password and PIN.
func (s *server) newClerk(t testing.TB, name, email, pin string) clerk {
	t.Helper()
	who := clerk{s.newPerson(t, name, email), name, pin}
	form := url.Values{"pin": {pin}, "again": {pin}, "proof": {who.password}}
	if status, text := s.signIn(t, who.login).post(t, "/account/factors", "/account/factors/pin", form); status != http.StatusSeeOther {
		t.Fatalf("choose a PIN = %d: %s", status, firstError(text))
	}
	return who
}

// digits are the keys of a PIN.
func digits(pin string) (keys []key) {
	for _, d := range pin {
		keys = append(keys, key{string(d), "Digit" + string(d), string(d), int64(d)})
	}
	return keys
}

// chooseName presses the name of a clerk where people take turns.
func (p *page) chooseName(who clerk) {
	p.t.Helper()
	p.see(id("counter-form"))
	value := eval[string](p, fmt.Sprintf(`[...document.querySelectorAll("label.person")].find((l) => l.textContent.trim() === %q)
		.querySelector("input").value`, who.name))
	p.press(fmt.Sprintf("label.person:has([value='%s'])", value))
	p.until("the PIN next", `document.activeElement.id === "f-pin"`)
}

// TestTwoClerksTakeTurns at one computer: each cancels a sale under their own name, and one
// change of person takes two presses and one PIN.
func TestTwoClerksTakeTurns(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	nadia := shared.newClerk(t, "Nadia Turnos", "nadia.turnos@demo.mx", "730925")
	omar := shared.newClerk(t, "Omar Turnos", "omar.turnos@demo.mx", "518204")
	p := shared.open(t, desk)
	// The list may have asked for itself just when its session ended.
	p.watch.allow("status of 401")
	p.watch.allow("Response Status Error Code 401 from /sales?fragment=list")
	p.signInByForm(nadia.login)
	p.at("/sales")
	p.goTo("/account")
	p.press(id("counters") + " summary")
	p.fill(id("make-counter")+" [name=name]", "Caja de turnos")
	p.press(id("make-counter") + " button[type=submit]")
	p.see(id("flash"))
	report(t, "the account of who made a counter", p.axe())
	for _, who := range []clerk{omar, nadia, omar} {
		order := shared.box.sell(t, place.serial, "310.00", nil)
		p.goTo("/sales")
		begun := time.Now()
		p.press("form[action='/logout'] button")
		p.chooseName(who)
		p.hit(digits(who.pin)...)
		p.hit(enter)
		p.at("/sales")
		p.see("#sales-list")
		t.Logf("a change of person: 2 presses, %d digits, Enter; %s with a page that waits for nobody", len(who.pin),
			time.Since(begun).Round(time.Millisecond))
		if got := p.text(".me-name"); got != who.name {
			t.Errorf("the page says %q, want %q", got, who.name)
		}
		p.openSheet(order)
		p.press("dialog input[name=reason][value=chargedTwice]")
		p.press("dialog " + id("confirm"))
		p.at("/sales/" + shared.saleID(t, order))
		status, trail := shared.as(t, supervisor).get(t, "/audit?action=cancellation.requested&q="+order)
		other := nadia.name
		if who == nadia {
			other = omar.name
		}
		rows := trail[strings.Index(trail, `data-testid="audit-entry"`):]
		if status != http.StatusOK || !strings.Contains(rows, who.name) || strings.Contains(rows, other) {
			t.Errorf("the trail of %s = %d, want %s alone in it", order, status, who.name)
		}
	}
	if _, trail := shared.as(t, supervisor).get(t, "/audit?action=session.started"); !strings.Contains(trail, "Con PIN") ||
		!strings.Contains(trail, "Caja de turnos") {
		t.Error("the trail does not say that somebody came in by a PIN, and where")
	}
	p.do(chromedp.NavigateBack(), chromedp.NavigateBack(), chromedp.NavigateBack())
	p.until("that Back leads to nobody else's page", fmt.Sprintf(`document.querySelector(".me-name")?.textContent === %q`, omar.name))
}

// TestARestKeepsTheSheet: when the session of a counter has ended, its page asks who is
// there, and the same person goes on with what they had typed. With the keyboard that is a
// PIN and Enter.
func TestARestKeepsTheSheet(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	who := shared.newClerk(t, "Rita Reposo", "rita.reposo@demo.mx", "730925")
	order := shared.box.sell(t, place.serial, "420.00", nil)
	p := shared.open(t, phone)
	p.watch.allow("status of 401")
	p.watch.allow("Response Status Error Code 401") // htmx logs it too
	p.watch.allow("status of 422")
	p.signInByForm(who.login)
	p.at("/sales")
	p.goTo("/account")
	p.press(id("counters") + " summary")
	p.fill(id("make-counter")+" [name=name]", "Tablet de Rita")
	p.press(id("make-counter") + " button[type=submit]")
	p.see(id("flash"))
	p.openSheet(order)
	p.press("dialog input[name=reason][value=other]")
	p.fill("dialog [name=note]", "Lo que Rita escribió")
	elsewhere := shared.signIn(t, who.login)
	if status, text := elsewhere.post(t, "/account", "/account/sessions", url.Values{"session": {"all"}}); status != http.StatusSeeOther {
		t.Fatalf("end her session from elsewhere = %d: %s", status, firstError(text))
	}
	p.at("/counter")
	p.until("her name chosen and the PIN next", `document.querySelector("[name=person]:checked") && document.activeElement.id === "f-pin"`)
	p.wantFit("a counter after a rest")
	p.hit(digits("111222")...)
	p.hit(enter)
	p.see("#e-pin")
	p.wantFit("a counter after a wrong PIN")
	p.prefer("dark")
	p.wantFit("a counter in the dark")
	p.hit(digits(who.pin)...)
	p.hit(enter)
	p.at("/sales/" + shared.saleID(t, order) + "/cancellation/new")
	if got := eval[string](p, `document.querySelector("[name=note]").value`); got != "Lo que Rita escribió" {
		t.Errorf("the note = %q, want what she had typed", got)
	}
	shared.box.wantNoCancel(t, order)
}
