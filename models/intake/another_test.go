package intake_test

import (
	"fmt"
	"sync"
	"testing"

	"veinte/models"
	"veinte/models/intake"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// TestAnOrderOfAnotherTerminalIsRefusedAtEveryDoor: told under two serial numbers, one
// charge could be canceled twice.
func TestAnOrderOfAnotherTerminalIsRefusedAtEveryDoor(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for door, in := range map[string]intake.Options{
		"a program": modelstest.ByAPI, "a file": {Source: models.SourceImport, BatchID: 7},
		"a file, looked at first": {Source: models.SourceImport, DryRun: true},
	} {
		t.Run(door, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			other, elsewhere := o.NewTerminal(o.Store), o.Branch(t)
			posted, theirs := o.SaleAt(other, 125000), elsewhere.Sale(125000)
			actor := modelstest.RequestKey(o.Store)
			actor.Grants = []models.Permission{models.RecordSales, models.ImportSales}
			own := "261120113000-" + string(o.Terminal.SerialNumber)
			for _, tt := range []struct {
				fact, order, want string
				sale              int64
			}{
				{"posted by another terminal", posted.OrderID, "refused orderId:sale.orderOfAnother", posted.ID},
				{"posted by one of another store", theirs.OrderID, "refused orderId:sale.orderOfAnother", 0},
				{"names another terminal", "261120113001-" + string(other.SerialNumber), "refused orderId:sale.orderOfAnother", 0},
				{"names one of another store", "X-" + string(elsewhere.Terminal.SerialNumber), "refused orderId:sale.orderOfAnother", 0},
				{"names one with more behind it", "A-" + string(other.SerialNumber) + "-2", "refused orderId:sale.orderOfAnother", 0},
				{"names its own terminal", own, "created", 0},
				{"names its own and another", "B-" + string(other.SerialNumber) + "-" + string(o.Terminal.SerialNumber), "created", 0},
				{"names no registered terminal", o.Store.Code + "-9999999999", "created", 0},
				{"carries more digits than a serial number has", "C-" + string(other.SerialNumber) + "7", "created", 0},
			} {
				sale := modelstest.GivenSale(o, tt.order)
				got := modelstest.Record(t, o, actor, in, sale)[0]
				if modelstest.Said(got) != tt.want || tt.want != "created" && got.SaleID != tt.sale {
					t.Errorf("an order number that %s: %q of sale %d, want %q of %d", tt.fact, modelstest.Said(got), got.SaleID, tt.want, tt.sale)
				}
			}
		})
	}
	office.CheckInvariants(t)
}

// TestOneOrderUnderTwoTerminalsInOneCall: the first is a sale, the second is refused.
func TestOneOrderUnderTwoTerminalsInOneCall(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	other := o.NewTerminal(o.Store)
	first, second := modelstest.GivenSale(o, "ORDER-1"), modelstest.GivenSale(o, "ORDER-1")
	second.SerialNumber = string(other.SerialNumber)
	got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, first, second, second)
	for i, want := range []string{"created", "refused orderId:sale.orderOfAnother", "refused orderId:sale.orderOfAnother"} {
		if modelstest.Said(got[i]) != want {
			t.Errorf("sale %d of the call: %q, want %q", i, modelstest.Said(got[i]), want)
		}
	}
	// What is recorded under both since before is still known under each.
	p := o.SalePost(other.SerialNumber, 125000)
	p.OrderID = "ORDER-1"
	if r := o.Post(p); r.Status != models.ResultApplied {
		t.Errorf("the terminal's own post of order ORDER-1 is %s (%s), want it believed", r.Status, r.Note)
	}
	if got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, first)[0]; modelstest.Said(got) != "known" {
		t.Errorf("the first sale told again: %q, want known", modelstest.Said(got))
	}
	o.CheckInvariants(t)
}

// TestOneOrderUnderTwoTerminalsAtOnce: the calls wait for each other.
func TestOneOrderUnderTwoTerminalsAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	other := o.NewTerminal(o.Store)
	doors := []*wiring.Services{o.Services, o.SecondServer()}
	var wg sync.WaitGroup
	for i := range 20 {
		for d, serial := range []models.SerialNumber{o.Terminal.SerialNumber, other.SerialNumber} {
			wg.Go(func() {
				in := modelstest.GivenSale(o, fmt.Sprintf("ORDER-%d", i))
				in.SerialNumber = string(serial)
				_, err := doors[d].Intake.RecordSales(t.Context(), modelstest.RequestKey(), modelstest.ByAPI, []models.SaleInput{in})
				if err != nil {
					t.Errorf("RecordSales(%s of %s) = %v", in.OrderID, serial, err)
				}
			})
		}
	}
	wg.Wait()
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM sales`); n != 20 {
		t.Errorf("sales = %d, want one for each of 20 orders", n)
	}
	o.CheckInvariants(t)
}
