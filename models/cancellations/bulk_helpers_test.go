package cancellations_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/bulk"
	"veinte/models/modelstest"
)

// bulkOf returns a valid request for the sales, with a click of its own.
func bulkOf(o *modelstest.Office, sales ...*models.Sale) bulk.Request {
	r := bulk.Request{Reason: "chargedTwice", Click: "varias-" + o.CancelRequest(sales[0]).Click}
	for _, s := range sales {
		r.Sales = append(r.Sales, bulk.Sale{SaleID: s.ID, Amount: s.Amount})
	}
	return r
}

func chosenIDs(r bulk.Request) []int64 {
	ids := make([]int64, len(r.Sales))
	for i, s := range r.Sales {
		ids[i] = s.SaleID
	}
	return ids
}

// came returns one line per sale with its outcome: the state and position of its
// cancellation, why there is none, or nothing at all.
func came(t *testing.T, b *bulk.Service, actor models.Actor, r bulk.Request) string {
	t.Helper()
	rows, err := b.Outcomes(t.Context(), actor, r.Click, chosenIDs(r))
	if err != nil {
		t.Fatalf("Outcomes() = %v", err)
	}
	var lines []string
	for _, row := range rows {
		switch {
		case row.Cancellation != nil:
			lines = append(lines, fmt.Sprintf("%s %d", row.Cancellation.State, row.QueuePosition))
		case row.Refusal != "":
			lines = append(lines, row.Refusal)
		default:
			lines = append(lines, "-")
		}
	}
	return strings.Join(lines, ", ")
}

// held locks the sale's row until it is released.
func held(t *testing.T, o *modelstest.Office, sale *models.Sale) (letGo func()) {
	t.Helper()
	tx, err := o.Owner.Begin()
	if err != nil {
		t.Fatalf("begin: %v", err)
	}
	if _, err := tx.Exec(`SELECT FROM sales WHERE id = $1 FOR UPDATE`, sale.ID); err != nil {
		t.Fatalf("lock sale: %v", err)
	}
	return func() { _ = tx.Rollback() }
}

// inTheMiddle requests the sales, and calls a function between the first and the
// second request.
func inTheMiddle(t *testing.T, o *modelstest.Office, b *bulk.Service, r bulk.Request, happens func()) (int,
	error,
) {
	t.Helper()
	letGo := held(t, o, o.FindSale(o.SaleDetail(r.Sales[1].SaleID).Sale.OrderID))
	type answer struct {
		reached int
		err     error
	}
	done := make(chan answer, 1)
	go func() {
		reached, err := b.Request(context.WithoutCancel(t.Context()), o.Supervisor, r)
		done <- answer{reached, err}
	}()
	modelstest.WaitFor(t, "the first case", func() bool { return o.SaleDetail(r.Sales[0].SaleID).Latest() != nil })
	happens()
	letGo()
	a := <-done
	return a.reached, a.err
}
