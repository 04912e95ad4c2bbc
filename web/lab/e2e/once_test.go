package e2e

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

// openSheet opens the dialog of a sale from the list.
func (p *page) openSheet(order string) {
	p.t.Helper()
	p.goTo("/sales?q=" + order)
	p.press(sale(order) + " " + id("cancel"))
	p.see("dialog[open] " + id("cancel-form"))
}

// wantOneCancellation checks that a sale ended with one cancellation and one request.
func wantOneCancellation(t *testing.T, s *server, order, saleID string) {
	t.Helper()
	sofia := s.as(t, supervisor)
	sofia.waitFor(t, saleID, "confirmed")
	s.box.wantOneCancel(t, order, false)
	p := s.openAs(t, supervisor, desk)
	p.goTo("/audit?action=cancellation.requested&q=" + order)
	p.see(id("audit-entry"))
	if got := p.count(id("audit-entry")); got != 1 {
		t.Errorf("requests in the trail of %s = %d, want 1", order, got)
	}
}

// refused is a condition: the page says why a sale is not canceled again.
var refused = says("#sheet, #story", "en curso") + " || " + says("#sheet, #story", "Cancelada") + " || " +
	says("#sheet", "No se puede cancelar esta venta")

// Any number of clicks makes one cancellation and one request.
func TestPressedTwice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		press func(t *testing.T, p *page, order, saleID string)
	}{
		{"two clicks as fast as a hand can", func(_ *testing.T, p *page, order, saleID string) {
			p.openSheet(order)
			p.press("dialog input[name=reason][value=chargedTwice]")
			p.doubleClick("dialog " + id("confirm"))
			p.at("/sales/" + saleID)
		}},
		{"two clicks on the page without scripts", func(_ *testing.T, p *page, order, saleID string) {
			p.withoutScripts()
			p.goTo("/sales/" + saleID + "/cancellation/new")
			p.press("input[name=reason][value=chargedTwice]")
			p.doubleClick(id("confirm"))
			p.at("/sales/" + saleID)
		}},
		{"the sheet in two tabs", func(t *testing.T, p *page, order, saleID string) {
			second := p.another()
			for _, tab := range []*page{p, second} {
				tab.openSheet(order)
				tab.press("dialog input[name=reason][value=chargedTwice]")
			}
			p.press("dialog " + id("confirm"))
			p.at("/sales/" + saleID)
			second.until("why it is not canceled again", refused)
		}},
		{"going back and pressing again", func(t *testing.T, p *page, order, saleID string) {
			p.goTo("/sales/" + saleID + "/cancellation/new")
			p.press("input[name=reason][value=chargedTwice]")
			p.press(id("confirm"))
			p.at("/sales/" + saleID)
			p.watch.allow("status of 409")
			p.do(chromedp.NavigateBack())
			p.at("/sales/" + saleID + "/cancellation/new")
			// The form may still be there, or the page may show that it is under
			// way.
			if p.count(id("cancel-form")) == 0 {
				return
			}
			p.press("input[name=reason][value=chargedTwice]")
			p.press(id("confirm"))
			p.until("the story or why not", has(id("story"))+" || "+has("#sheet .warning .icon + strong"))
		}},
		{"the same form sent by hand five times at once", func(t *testing.T, _ *page, _, saleID string) {
			ana := shared.as(t, manager)
			form := ana.cancelForm(t, saleID)
			answers := make(chan int)
			for range 5 {
				go func() {
					resp, err := ana.client.PostForm(shared.url+"/sales/"+saleID+"/cancellation", form)
					if err != nil {
						answers <- 0
						return
					}
					resp.Body.Close()
					answers <- resp.StatusCode
				}()
			}
			for range 5 {
				if got := <-answers; got != http.StatusSeeOther {
					t.Errorf("the same click = %d, want 303 like the first", got)
				}
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			order := shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "300.00", nil)
			saleID := shared.saleID(t, order)
			tt.press(t, shared.openAs(t, manager, desk), order, saleID)
			wantOneCancellation(t, shared, order, saleID)
		})
	}
}
