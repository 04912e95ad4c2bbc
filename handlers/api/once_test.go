package api_test

import (
	"fmt"
	"testing"

	"veinte/handlers/api/shapes"
	"veinte/models/terminals"
)

// TestABatchWithRefusalsIsJudgedAgain: an answer is only repeated when everything
// was done; what was mended meanwhile counts at once.
func TestABatchWithRefusalsIsJudgedAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	first := into[shapes.Batch](
		p.post("/api/v1/sales", "["+d.sale("A")+","+d.sale("B", "amount", `"x"`)+"]", "Idempotency-Key", "k1").want(200),
	)
	if first.Created != 1 || first.Refused != 1 {
		t.Fatalf("batch = %+v", first)
	}
	serial := "0999000001"
	later := "[" + d.sale("A") + "," + d.sale("C", "serialNumber", `"`+serial+`"`) + "]"
	for i, query := range []string{"", "?allOrNothing=true"} {
		name := fmt.Sprintf("again-%d", i)
		if got := into[shapes.Batch](p.post("/api/v1/sales"+query, later, "Idempotency-Key", name).want(200)); got.Refused != 1 {
			t.Errorf("batch with an unknown terminal = %+v", got)
		}
	}
	_, err := d.Terminals.CreateTerminal(
		t.Context(), d.Admin, terminals.Input{SerialNumber: serial, Label: "Nueva", MerchantID: "M", StoreID: d.Store.ID},
	)
	d.must(err)
	for i, query := range []string{"", "?allOrNothing=true"} {
		again := p.post("/api/v1/sales"+query, later, "Idempotency-Key", fmt.Sprintf("again-%d", i)).want(200)
		if got := into[shapes.Batch](again); got.Refused != 0 || got.Created+got.Known != 2 ||
			again.header.Get("Idempotency-Replayed") != "" {
			t.Errorf("the same batch once its terminal is registered = %+v, %v", got, again.header)
		}
	}
	if again := p.post(
		"/api/v1/sales", later, "Idempotency-Key", "again-0",
	).want(200); again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("a batch of which everything was done is not repeated: %v", again.header)
	}
}
