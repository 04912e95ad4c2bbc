package api_test

import (
	"strings"
	"testing"
	"time"

	"veinte/handlers/api/shapes"
	"veinte/models/rules"
)

// TestReceiptOfTheRules: a program that says nothing of the receipt gets what the
// rules say, as a person's sheet does; what it says holds.
func TestReceiptOfTheRules(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	for i, tt := range []struct {
		general      bool
		store        string
		body         string
		omitsReceipt bool
	}{
		{true, rules.ReceiptGeneral, `{"reason":"chargedTwice"}`, false},
		{false, rules.ReceiptGeneral, `{"reason":"chargedTwice"}`, true},
		{false, rules.ReceiptPrint, `{"reason":"chargedTwice"}`, false},
		{true, rules.ReceiptOmit, `{"reason":"chargedTwice"}`, true},
		{true, rules.ReceiptOmit, `{"reason":"chargedTwice","omitReceipt":false}`, false},
		{true, rules.ReceiptPrint, `{"reason":"chargedTwice","omitReceipt":true}`, true},
	} {
		d.Clock.Advance(time.Second)
		in := d.RulesInput(func(in *rules.Input) {
			in.PrintReceipt, in.Receipts = tt.general, []rules.ReceiptInput{{StoreID: d.Store.ID, Print: tt.store}}
		})
		if err := d.Rules.Change(t.Context(), d.Admin, in); err != nil && !strings.Contains(err.Error(), "rules.nothing") {
			t.Fatalf("ChangeRules() = %v", err)
		}
		sale := d.SaleAt(d.NewTerminal(d.Store), 125000)
		got := into[shapes.Cancellation](p.post(cancelPath(sale), tt.body).want(202))
		if got.OmitReceipt != tt.omitsReceipt {
			t.Errorf("%d: omitReceipt of %s = %t, want %t", i, tt.body, got.OmitReceipt, tt.omitsReceipt)
		}
	}
	null := p.post(cancelPath(d.Sale(100)), `{"reason":"chargedTwice","omitReceipt":null}`).problem(422, "validation")
	if places(null.Errors) != "body.omitReceipt:api.boolean" {
		t.Errorf("omitReceipt null: %s", places(null.Errors))
	}
}
