package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"veinte/handlers/api/shapes"
	"veinte/models/apikeys"
)

func TestOneSale(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	first := into[shapes.Outcome](p.post("/api/v1/sales", d.sale("ORDER-1")).want(http.StatusCreated))
	if first.Status != "created" || first.SaleID == 0 || first.OrderID != "ORDER-1" {
		t.Errorf("outcome = %+v, want created", first)
	}
	again := into[shapes.Outcome](p.post("/api/v1/sales", d.sale("ORDER-1", "soldAt", `"2026-11-20T17:59:30Z"`)).want(http.StatusOK))
	if again.Status != "known" || again.SaleID != first.SaleID {
		t.Errorf("sent again = %+v, want known of %d", again, first.SaleID)
	}
	other := p.post(
		"/api/v1/sales", d.sale("ORDER-1", "amount", `"1250.01"`, "last4", `"1111"`),
	).problem(http.StatusConflict, "sale-differs")
	if got := places(other.Errors); got != "body.amount:sale.differs body.last4:sale.differs" {
		t.Errorf("sent with other values: %s, want the two fields that differ", got)
	}
	warned := into[shapes.Outcome](p.post("/api/v1/sales", d.sale("261120115930-9999999999")).want(http.StatusCreated))
	if len(warned.Warnings) != 1 || warned.Warnings[0].Code != "sale.orderSerialDiffers" || warned.Warnings[0].Detail == "" {
		t.Errorf("warnings = %+v, want that the order number names another terminal", warned.Warnings)
	}
}

// places writes errors as location and code.
func places(errs []shapes.FieldError) string {
	var all []string
	for _, e := range errs {
		all = append(all, e.Location+":"+e.Code)
	}
	return strings.Join(all, " ")
}

func TestBatch(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	all := into[shapes.Batch](p.post("/api/v1/sales", "["+d.sale("A")+","+d.sale("B")+"]").want(http.StatusCreated))
	if all.Created != 2 || len(all.Items) != 2 {
		t.Errorf("two new ones = %+v", all)
	}
	mixed := into[shapes.Batch](p.post("/api/v1/sales", "["+strings.Join([]string{
		d.sale("C"), d.sale("A"), d.sale("B", "amount", `"1.00"`), d.sale("D", "amount", `12.5`), `7`, d.sale("E", "amuont", `"1"`),
		d.sale("F"), d.sale("G", "serialNumber", `"0000000000"`),
	}, ",")+"]").want(http.StatusOK))
	var got []string
	for i, item := range mixed.Items {
		if item.Index != i {
			t.Errorf("item %d has index %d", i, item.Index)
		}
		got = append(got, strings.TrimSpace(item.Status+" "+places(item.Errors)))
	}
	want := []string{
		"created", "known", "conflict body[2].amount:sale.differs", "refused body[3].amount:amount.notText",
		"refused body[4]:api.item.notSale",
		"refused body[5].amuont:api.field.unknown", "created", "refused body[7].serialNumber:sale.unknownTerminal",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("outcomes\n%q, want\n%q", got, want)
	}
	if mixed.Created != 2 || mixed.Known != 1 || mixed.Conflict != 1 || mixed.Refused != 4 {
		t.Errorf("counts = %+v", mixed)
	}
	if n := d.count("SELECT count(*) FROM sales"); n != 4 {
		t.Errorf("sales = %d, want A, B, C and F", n)
	}
}

func TestAllOrNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	for _, wrong := range []string{d.sale("X", "amount", `"x"`), d.sale("X", "amount", "1"), "null"} {
		none := into[shapes.Batch](p.post("/api/v1/sales?allOrNothing=true", "["+d.sale("A")+","+wrong+"]").want(http.StatusOK))
		if none.Items[0].Status != "skipped" || none.Items[0].SaleID != 0 || none.Items[1].Status != "refused" || none.Skipped != 1 {
			t.Errorf("with %s: %+v, want the good one skipped", wrong, none.Items)
		}
	}
	if n := d.count("SELECT count(*) FROM sales"); n != 0 {
		t.Errorf("sales = %d, want none", n)
	}
	p.post("/api/v1/sales?allOrNothing=true", "["+d.sale("A")+"]").want(http.StatusCreated)
	p.post("/api/v1/sales?allOrNothing=yes", d.sale("B")).problem(http.StatusUnprocessableEntity, "validation")
}

// TestFiftyAtOnce: one sale reported by fifty concurrent calls is one sale.
func TestFiftyAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	var mu sync.Mutex
	statuses := map[int]int{}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			a := p.post("/api/v1/sales", d.sale("ORDER-1"))
			mu.Lock()
			statuses[a.status]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if statuses[http.StatusCreated] != 1 || statuses[http.StatusOK] != 49 || d.count("SELECT count(*) FROM sales") != 1 {
		t.Errorf("answers = %v with %d sales, want one 201, the others 200, one sale", statuses, d.count("SELECT count(*) FROM sales"))
	}
}

func TestOtherStores(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	there := d.Branch(t)
	p := d.program(apikeys.Scopes, there.Store)
	got := p.post("/api/v1/sales", d.sale("ORDER-1")).problem(http.StatusUnprocessableEntity, "validation")
	if places(got.Errors) != "body.serialNumber:sale.unknownTerminal" {
		t.Errorf("a sale of another store: %s, want a terminal that the key does not know", places(got.Errors))
	}
}
