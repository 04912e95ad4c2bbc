package terminals_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/terminals"
	"veinte/models/wiring"
)

func TestTwoAdministratorsMoveTheSameTerminal(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	stores := []*models.Store{modelstest.Store(t, o.DB, o.Clock.Now(), "A"), modelstest.Store(t, o.DB, o.Clock.Now(), "B")}
	offices := []*wiring.Services{o.Services, o.SecondServer()}
	errs := make([]error, 8)
	o.Clock.Advance(time.Minute)
	modelstest.AtOnce(len(errs), func(i int) {
		move := terminals.MoveInput{StoreID: stores[i%2].ID, MerchantID: "M"}
		errs[i] = offices[i%2].Terminals.MoveTerminal(t.Context(), o.Admin, o.Terminal.ID, 1, move)
	})
	moved := 0
	for _, err := range errs {
		if err == nil {
			moved++
		} else if !errors.Is(err, models.ErrStale) {
			t.Errorf("MoveTerminal() at once with another = %v, want %v", err, models.ErrStale)
		}
	}
	if _, lines := history(t, o); moved != 1 || len(lines) != 2 {
		t.Errorf("%d moves, %d lines, want 1 and 2", moved, len(lines))
	}
}

// TestSalesWhileTheirTerminalMovesIntoThePast: whichever comes first, the other
// takes it into account.
func TestSalesWhileTheirTerminalMovesIntoThePast(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for round := range 12 {
		o := office.Branch(t)
		there := office.Branch(t).Store
		o.Clock.Advance(time.Minute)
		from, sold := modelstest.Field(o, o.Clock.Now().Add(-time.Minute)), o.Clock.Now().Add(-time.Second).Format(time.RFC3339Nano)
		var moved error
		modelstest.AtOnce(5, func(i int) {
			switch {
			case i == 0:
				moved = modelstest.MoveTo(t, o, 1, there, from)
			case round%2 == 0:
				if err := o.Results.Receive(t.Context(), o.SalePost(o.Terminal.SerialNumber, 100)); err != nil {
					t.Errorf("Receive() = %v", err)
				}
			default:
				in := modelstest.GivenSale(o, fmt.Sprintf("ORDER-%d-%d", round, i))
				in.SoldAt = sold
				modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, in)
			}
		})
		if moved != nil && !modelstest.IsError(moved, &models.Error{Kind: models.KindConflict, Code: "move.salesElsewhere"}) {
			t.Errorf("MoveTerminal() = %v, want nil or move.salesElsewhere", moved)
		}
		n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM sales s WHERE terminal_id = $1 AND NOT EXISTS (SELECT FROM assignments a
			WHERE a.terminal_id = s.terminal_id AND a.store_id = s.store_id AND a.valid_from <= s.sold_at
				AND (a.valid_to IS NULL OR a.valid_to > s.sold_at))`, o.Terminal.ID)
		if n != 0 {
			t.Errorf("%d sales stand where their terminal did not", n)
		}
	}
}

// TestToldSalesAroundAMove: sales reported by programs have a fraction of a second.
func TestToldSalesAroundAMove(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := modelstest.Store(t, o.DB, o.Clock.Now(), "THERE")
	planned := o.Clock.Now().Add(time.Hour)
	if err := modelstest.MoveTo(t, o, 1, there, modelstest.Field(o, planned)); err != nil {
		t.Fatalf("MoveTerminal() = %v", err)
	}
	o.Clock.Set(planned.Add(time.Hour))
	var stores []int64
	for i, after := range []time.Duration{-time.Microsecond, 0, time.Microsecond} {
		in := modelstest.GivenSale(o, fmt.Sprintf("ORDER-%d", i))
		in.SoldAt = planned.Add(after).Format(time.RFC3339Nano)
		stores = append(stores, o.SaleDetail(modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, in)[0].SaleID).Sale.StoreID)
	}
	modelstest.Equal(t, "stores of the sales around the instant", stores, []int64{o.Store.ID, there.ID, there.ID})
	// A sale before the move does not conflict with an earlier move that comes
	// after it.
	third := modelstest.Store(t, o.DB, o.Clock.Now(), "THIRD")
	err := modelstest.MoveTo(t, o, 2, third, modelstest.Field(o, planned.Add(time.Second)))
	if err != nil {
		t.Errorf("MoveTerminal() after the last sale = %v, want nil", err)
	}
}
