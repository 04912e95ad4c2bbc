package cancellations_test

import (
	"errors"
	"sync"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

func TestManyManagersOneSaleOneDelivery(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	processes := []*wiring.Services{o.Services, o.SecondServer()}
	sale := o.Sale(125000)
	cases := make([]*models.Cancellation, 16)
	errs := make([]error, len(cases))
	modelstest.AtOnce(len(cases), func(i int) {
		manager := modelstest.Person(models.Manager, o.Store)
		cases[i], errs[i] = processes[i%2].Cancellations.Request(t.Context(), manager, o.CancelRequest(sale))
	})
	opened := 0
	for i, err := range errs {
		switch {
		case err == nil:
			opened++
			modelstest.AtOnce(12, func(j int) {
				if _, err := processes[j%2].Cancellations.Dispatch(t.Context(), cases[i].ID); err != nil {
					t.Errorf("Dispatch() = %v", err)
				}
			})
		case !errors.Is(err, models.ErrCancellationOpen):
			t.Errorf("Request() of another = %v, want %v", err, models.ErrCancellationOpen)
		}
	}
	if got := len(o.API.Orders()); opened != 1 || got != 1 {
		t.Errorf("cases opened = %d, orders delivered = %d, want 1 and 1", opened, got)
	}
	o.CheckInvariants(t)
}

func TestOneClickFromManyTabsIsOneCase(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	processes := []*wiring.Services{o.Services, o.SecondServer()}
	r := o.CancelRequest(o.Sale(125000))
	ids := make([]int64, 12)
	modelstest.AtOnce(len(ids), func(i int) {
		c, err := processes[i%2].Cancellations.Request(t.Context(), o.Manager, r)
		if err != nil {
			t.Errorf("Request() with the same click = %v", err)
			return
		}
		ids[i] = c.ID
	})
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("cases of one click = %v, want one", ids)
			break
		}
	}
	o.CheckInvariants(t)
}

func TestOneClickOnTwoSalesAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sales := []*models.Sale{o.Sale(100), o.Sale(200), o.Sale(300), o.Sale(400)}
	badRequest := models.Invalid("click", "error.badRequest")
	var mu sync.Mutex
	opened := 0
	modelstest.AtOnce(len(sales), func(i int) {
		r := o.CancelRequest(sales[i])
		r.Click = "the very same"
		_, err := o.Cancellations.Request(t.Context(), o.Manager, r)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			opened++
		} else if !modelstest.IsError(err, badRequest) {
			t.Errorf("Request() = %v, want %v", err, badRequest)
		}
	})
	if opened != 1 {
		t.Errorf("cases opened = %d, want 1", opened)
	}
	o.CheckInvariants(t)
}

func TestManyCasesOfOneTerminalLeaveOneByOne(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	processes := []*wiring.Services{o.Services, o.SecondServer()}
	var ids []int64
	for range 6 {
		ids = append(ids, o.Request(o.Sale(500)).ID)
	}
	modelstest.AtOnce(24, func(i int) {
		if _, err := processes[i%2].Cancellations.Dispatch(t.Context(), ids[i%len(ids)]); err != nil {
			t.Errorf("Dispatch() = %v", err)
		}
	})
	if got := len(o.API.Orders()); got != 1 {
		t.Errorf("orders delivered = %d, want 1 until its result comes", got)
	}
	o.CheckInvariants(t)
}

func TestAResultAndTheAnswerAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	twin := o.SecondServer()
	for range 8 {
		sale := o.SaleAt(o.NewTerminal(o.Store), 500)
		c := o.Request(sale)
		var results sync.WaitGroup
		o.API.Arrived = func(order models.Order) {
			for range 3 { // the terminal's user presses Retry
				results.Go(func() {
					if err := twin.Results.Receive(t.Context(), modelstest.CancelPost(sale, order.Key.Hash())); err != nil {
						t.Errorf("Receive() = %v", err)
					}
				})
			}
		}
		o.Dispatch(c.ID)
		results.Wait()
		if got := o.Cancellation(c.ID); got.State != models.Confirmed || got.Conflict != "" {
			t.Errorf("case is %s, conflict %q; want confirmed without any", got.State, got.Conflict)
		}
	}
	o.CheckInvariants(t)
}

func TestAResultIsReadOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	processes := []*wiring.Services{o.Services, o.SecondServer()}
	modelstest.Exec(t, o.Owner, `ALTER TABLE sales RENAME TO sales_away`)
	if err := o.Results.Receive(t.Context(), modelstest.CancelPost(&models.Sale{SerialNumber: "1", OrderID: "X"}, "")); err != nil {
		t.Fatalf("Receive() = %v", err)
	}
	modelstest.Exec(t, o.Owner, `ALTER TABLE sales_away RENAME TO sales`)
	modelstest.AtOnce(12, func(i int) {
		if err := processes[i%2].Results.Interpret(t.Context(), 1); err != nil {
			t.Errorf("Interpret() = %v", err)
		}
	})
	if got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'result.unmatched'`); got != 1 {
		t.Errorf("entries of the unmatched result = %d, want 1", got)
	}
}
