package handlers_test

import (
	"fmt"
	"net/url"
	"testing"

	"veinte/models"
	"veinte/models/intake"
	"veinte/models/modelstest"
)

// typedSale is a sale that the manager typed from its ticket.
func (h *house) typedSale(order string) *models.Sale {
	h.tb.Helper()
	in := modelstest.GivenSale(h.Office, order)
	in.Reference = ""
	got, err := h.Intake.RecordSales(h.tb.Context(), h.Manager, intake.Options{Source: models.SourceManual}, []models.SaleInput{in})
	h.must(err)
	if got[0].Status != intake.Created {
		h.tb.Fatalf("a typed sale is %s", modelstest.Said(got[0]))
	}
	return h.FindSale(order)
}

// TestATypedSaleIsCorrectedOnItsPage: with a form that needs no script, keeps what was
// typed, and is offered only while the sale can be corrected.
func TestATypedSaleIsCorrectedOnItsPage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.as(h.user("Mara", models.Manager, h.Store))
	sale := h.typedSale("TECLEADA")
	page := fmt.Sprintf("/sales/%d", sale.ID)
	v.get(page).want(200).saysAll("Corregir o retirar")
	p := v.get(page + "/correction").want(200)
	p.saysAll("TECLEADA", "Retirar la venta")
	if got := p.field("amount"); got != "1250.00" {
		t.Errorf("the form has the amount %q, want 1250.00", got)
	}
	form := url.Values{"amount": {"mil"}, "last4": {"42"}, "folio": {"F2"}, "note": {"El ticket dice otra cosa"}}
	refused := v.post(page+"/correction", form).want(422)
	for name := range form {
		if got := refused.field(name); got != form.Get(name) {
			t.Errorf("the refused form has %s = %q, want what was typed, %q", name, got, form.Get(name))
		}
	}
	form.Set("amount", "$1,205.00")
	form.Set("last4", "4243")
	v.post(page+"/correction", form).wantTo(page)
	v.get(page).want(200).saysAll("$1,205.00", "4243", "F2")
	if s := h.FindSale("TECLEADA"); s.Amount != 120500 || s.Last4 != "4243" || s.AuthCode != "" {
		t.Errorf("the sale is now %+v", s)
	}
	v.post(page+"/undoing", url.Values{"undoNote": {"4111 1111 1111 1111"}}).want(422).saysAll("tarjeta")
	v.post(page+"/undoing", url.Values{"undoNote": {"La orden está mal"}}).wantTo("/sales")
	v.get(page).want(404)
	// One that somebody asked to cancel stays, and the page says why.
	asked := h.typedSale("PEDIDA")
	h.Request(asked)
	page = fmt.Sprintf("/sales/%d", asked.ID)
	v.get(page).want(200).hides("Corregir o retirar")
	v.get(page + "/correction").wantTo(page)
	v.post(page+"/correction", form).wantTo(page)
	v.post(page+"/undoing", nil).wantTo(page)
	v.get(page).want(200).saysAll("Ya se solicitó cancelar esta venta")
	if s := h.FindSale("PEDIDA"); s.Amount != 125000 {
		t.Errorf("the sale is now %+v", s)
	}
}
