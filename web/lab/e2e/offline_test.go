package e2e

import (
	"context"
	"fmt"
	"net/url"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// offline cuts the tab's connection, or mends it, and waits until the page knows.
func (p *page) offline(is bool) {
	p.t.Helper()
	p.connection(network.Conditions{Offline: is})
	p.until(fmt.Sprintf("offline: %v", is), fmt.Sprintf("navigator.onLine !== %v", is))
}

// connection has the tab's requests fail, or take longer.
func (p *page) connection(as network.Conditions) {
	p.t.Helper()
	as.DownloadThroughput, as.UploadThroughput = -1, -1
	call(p, func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{&as},
		})
		if err != nil {
			return err
		}
		_, err = chromedp.Call(ctx, network.OverrideNetworkState, network.OverrideNetworkStateParams{
			Offline: as.Offline, DownloadThroughput: -1, UploadThroughput: -1,
		})
		return err
	})
}

// allowLoss allows what the browser and htmx write about a lost connection.
func (p *page) allowLoss() {
	for _, text := range []string{"ERR_INTERNET_DISCONNECTED", "htmx:sendError", "htmx:afterRequest"} {
		p.watch.allow(text)
	}
}

// A lost connection is shown, loses nothing on the page, and recovers automatically.
func TestLostConnection(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	order := shared.box.sell(t, place.serial, "70.00", nil)
	p := shared.openAs(t, manager, phone)
	p.goTo("/sales?terminal=" + place.id) // others sell in this store meanwhile
	p.see(sale(order))
	p.do(markLoaded)
	p.allowLoss()

	p.offline(true)
	missed := shared.box.sell(t, place.serial, "71.00", nil)
	p.see("[data-stale]")
	p.see(sale(order)) // what was known stays readable
	p.press(sale(order) + " " + id("cancel"))
	p.see("#sheet-says")

	p.offline(false)
	p.press(id("new-sales"))
	p.see(sale(missed))
	p.until("no word of a lost connection", "!"+has("[data-stale]")+"?.checkVisibility()")
	p.wantNotReloaded()
	p.press(sale(order) + " " + id("cancel"))
	p.see("dialog[open] " + id("cancel-form"))

	// A request that cannot leave is not sent, the sheet stays, and another click
	// sends it later.
	p.press("dialog[open] input[name=reason][value=wrongAmount]")
	p.offline(true)
	p.press("dialog[open] " + id("confirm"))
	p.see("dialog[open] [data-sheet-offline]")
	shared.box.wantNoCancel(t, order)
	p.offline(false)
	p.press("dialog[open] " + id("confirm"))
	p.wantState("confirmed")
	shared.box.wantOneCancel(t, order, false)
}

// A detail page that waits for its result survives a lost connection too.
func TestLostConnectionWhileWaiting(t *testing.T) {
	t.Parallel()
	order := shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "72.00", nil)
	saleID := shared.saleID(t, order)
	shared.box.withhold(t, order)
	ana := shared.as(t, manager)
	ana.cancel(t, saleID)
	p := shared.openAs(t, manager, desk)
	p.goTo("/sales/" + saleID)
	p.wantState("accepted")
	p.allowLoss()
	p.offline(true)
	shared.box.report(t, order)
	ana.waitFor(t, saleID, "confirmed")
	p.wantState("accepted") // it cannot have a newer state
	p.offline(false)
	p.wantState("confirmed")
}

// A user whose session has ended is led to the sign-in page and back.
func TestSessionGone(t *testing.T) {
	t.Parallel()
	who := shared.signIn(t, shared.logins[manager])
	p := shared.open(t, desk)
	p.setCookie(sessionCookie, who.session())
	p.goTo("/sales")
	p.see("#sales-list")
	p.watch.allow("status of 401")
	p.watch.allow("Response Status Error Code 401") // htmx logs it too
	who.post(t, "/sales", "/logout", url.Values{})
	p.at("/login")
	p.fill("input[name=email]", shared.logins[manager].email)
	p.fill("input[name=password]", shared.logins[manager].password)
	p.press("form[action='/login'] button[type=submit]")
	p.at("/sales")
}
