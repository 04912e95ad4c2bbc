package models_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/intake"
	"veinte/models/modelstest"
	"veinte/models/sales"
	"veinte/models/terminals"
)

// TestWholeNumbers: order numbers and merchant ids of 250 characters, of any form,
// come in at every door, match each other, and are found.
func TestWholeNumbers(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	merchant := strings.Repeat("ab/9 ñ#", 35) + "12345"
	order := func(n int) string { return fmt.Sprintf("%03d", n) + strings.Repeat("Ñ.o rden", 30) + "1234567" }
	if n := len([]rune(merchant)); n != models.MaxMerchantID || len([]rune(order(1))) != models.MaxOrderID {
		t.Fatalf("the merchant id has %d characters, the order %d, want the most", n, len([]rune(order(1))))
	}
	terminal, err := o.Terminals.CreateTerminal(t.Context(), o.Admin, terminals.Input{
		SerialNumber: modelstest.NextSerial(), Label: "Caja", MerchantID: merchant, StoreID: o.Store.ID,
	})
	if err != nil {
		t.Fatalf("CreateTerminal() = %v", err)
	}
	post := o.SalePost(terminal.SerialNumber, 125000)
	post.OrderID, post.MerchantID = order(1), merchant
	if r := o.Post(post); r.Status != models.ResultApplied {
		t.Errorf("the post is %s %s, want applied", r.Status, r.Note)
	}
	in := modelstest.GivenSale(o, order(2))
	in.SerialNumber, in.MerchantID = string(terminal.SerialNumber), merchant
	got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, in)[0]
	if got.Status != intake.Created || !slices.Equal(got.Warnings, []string{"sale.orderOdd"}) {
		t.Errorf("a program's sale is %s %v, want created, with a warning of its order's shape", modelstest.Said(got), got.Warnings)
	}
	file := fmt.Sprintf("serialNumber,merchantId,orderId,amount,soldAt\n%s,%s,%s,1250.00,2026-11-20 11:59\n",
		terminal.SerialNumber, merchant, order(3))
	if got := modelstest.Confirm(t, o, modelstest.Give(t, o, file), false); got.NewCount != 1 {
		t.Errorf("%d rows of the file are new, want 1", got.NewCount)
	}
	typed := intake.ManualSale{
		TerminalID: terminal.ID, SaleInput: models.SaleInput{OrderID: order(4), Amount: "1250.00"}, Date: "2026-11-20", Time: "11:59",
		Reviewed: []string{"sale.orderOdd", "sale.similar"},
	}
	if got, err := o.Intake.RecordManual(t.Context(), o.Manager, typed); err != nil || got.Status != intake.Created {
		t.Errorf("RecordManual() = %+v, %v, want created", got, err)
	}
	for n := 1; n <= 4; n++ {
		given := map[string]string{"q": order(n)}
		f, _ := sales.ParseFilter(func(name string) string { return given[name] }, o.Clock.Now())
		f.Day = modelstest.SalesToday
		page, err := o.Sales.DaySales(t.Context(), o.Manager, f)
		if err != nil || len(page.Sales) != 1 || page.Sales[0].OrderID != order(n) || page.Sales[0].MerchantID != merchant {
			t.Errorf("the list finds %+v, %v, want the sale of door %d", page, err, n)
		}
	}
	given := map[string]string{"q": strings.Repeat("9", models.MaxOrderID)}
	if _, wrong := audit.ParseFilter(func(name string) string { return given[name] }, o.Clock.Now()); len(wrong) > 0 {
		t.Errorf("the trail is not looked through for a whole order number: %v", wrong[0])
	}
	again := o.SalePost(terminal.SerialNumber, 125000)
	again.OrderID, again.MerchantID = order(2), merchant
	if r := o.Post(again); r.Status != models.ResultDuplicate {
		t.Errorf("the post of a program's sale is %s %s, want a duplicate", r.Status, r.Note)
	}
	o.CheckInvariants(t)
}
