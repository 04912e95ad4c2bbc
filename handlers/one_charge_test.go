package handlers_test

import (
	"fmt"
	"net/url"
	"testing"

	"veinte/models"
)

// twin posts the sale's order from another terminal as well.
func (h *house) twin(s *models.Sale) *models.Sale {
	h.tb.Helper()
	other := h.NewTerminal(h.Store)
	p := h.SalePost(other.SerialNumber, s.Amount)
	p.OrderID = s.OrderID
	r := h.Post(p)
	if r.SaleID == nil || r.Status != models.ResultApplied {
		h.tb.Fatalf("the post of %s by another terminal is %s (%s), want a sale", s.OrderID, r.Status, r.Note)
	}
	return &h.SaleDetail(*r.SaleID).Sale
}

// TestSheetOfOneChargeTwice: the refusal shows both sales of the charge.
func TestSheetOfOneChargeTwice(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.Sale(hereAmount)
	other := h.Sale(100)
	twin := h.twin(sale)
	h.Request(sale)
	v := h.manager()
	sent := v.post(cancelPath(twin), url.Values{"reason": {"chargedTwice"}, "click": {"c"}, "seen": {"4312.98"}}).want(409)
	for _, p := range []*answer{v.get(sheetPath(twin)).want(200), sent} {
		p.says("es el mismo cobro")
		shown := p.one("other-sale")
		if attr(shown, "data-serial") != string(sale.SerialNumber) || attr(shown, "data-order-id") != sale.OrderID {
			t.Errorf("%s shows another sale than %s of %s", p.what, sale.OrderID, sale.SerialNumber)
		}
		p.says("S/N " + string(twin.SerialNumber))
		p.says("S/N " + string(sale.SerialNumber))
		if n := len(p.byTestID("confirm")); n != 0 {
			t.Errorf("%s still offers to confirm", p.what)
		}
	}
	s := h.supervisor()
	page := s.get(choosing(twin, other)).want(200)
	if got := attr(page.one("other-sale"), "data-serial"); got != string(sale.SerialNumber) {
		t.Errorf("the bulk shows the other sale of terminal %s, want %s", got, sale.SerialNumber)
	}
	form := page.bulkForm()
	form.Add("sale", fmt.Sprintf("%d:%d", twin.ID, twin.Amount))
	result := s.follow(s.post("/sales/cancellations", form)).want(200)
	result.one("other-sale")
	result.says("es el mismo cobro")
	if n := h.count(`SELECT count(*) FROM cancellations WHERE sale_id = $1`, twin.ID); n != 0 {
		t.Errorf("%d cancellations of the twin, want none", n)
	}
}
