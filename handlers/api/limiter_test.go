package api_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"veinte/models/apikeys"
)

func TestPace(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.keyed(apikeys.Input{Name: "Lento", Scopes: apikeys.Scopes, AllStores: true, Pace: apikeys.PaceSlow, Days: 30})
	other := d.any()
	var sales []string
	for i := range 599 {
		sales = append(sales, d.sale(fmt.Sprintf("S-%d", i)))
	}
	a := p.post("/api/v1/sales", "["+strings.Join(sales, ",")+"]").want(201)
	if got := a.header.Get("RateLimit"); !strings.HasPrefix(got, `"key";r=1;`) || a.header.Get("RateLimit-Policy") != `"key";q=600;w=60` {
		t.Errorf("RateLimit = %q of %q, want one left of 600", got, a.header.Get("RateLimit-Policy"))
	}
	p.get("/api/v1/sales").want(200)
	over := p.get("/api/v1/sales")
	over.problem(429, "rate-limited")
	if over.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After = %q, want 1", over.header.Get("Retry-After"))
	}
	other.get("/api/v1/sales").want(200)
	before := d.count("SELECT count(*) FROM sales")
	d.Clock.Advance(2 * time.Second) // twenty operations
	many := p.post("/api/v1/sales", "["+strings.Join(sales[:30], ",")+","+d.sale("NEW")+"]")
	many.problem(429, "rate-limited")
	if many.header.Get("Retry-After") == "" || d.count("SELECT count(*) FROM sales") != before {
		t.Errorf(
			"a batch beyond the pace: Retry-After %q, %d new sales", many.header.Get("Retry-After"),
			d.count("SELECT count(*) FROM sales")-before,
		)
	}
	d.Clock.Advance(time.Minute)
	p.post("/api/v1/sales", "["+strings.Join(sales[:30], ",")+"]").want(200)
}

// list is a list of so many sales.
func (d *desk) list(n int) string {
	d.tb.Helper()
	sales := make([]string, n)
	for i := range sales {
		sales[i] = d.sale(fmt.Sprintf("L-%d", i))
	}
	return "[" + strings.Join(sales, ",") + "]"
}

// TestAListOverThePace: a list that the key's pace can never pay for is told so, with
// how to split it; one that it can pay for passes after the wait that it was told.
func TestAListOverThePace(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.keyed(apikeys.Input{Name: "Lento", Scopes: apikeys.Scopes, AllStores: true, Pace: apikeys.PaceSlow, Days: 30})
	over := p.post("/api/v1/sales", d.list(1000))
	got := over.problem(413, "list-over-pace")
	if over.header.Get("Retry-After") != "" || !strings.Contains(got.Detail, "1000") || !strings.Contains(got.Detail, "600") {
		t.Errorf("a list over the pace: %q, Retry-After %q", got.Detail, over.header.Get("Retry-After"))
	}
	p.post("/api/v1/sales", d.list(601)).problem(413, "list-over-pace")
	for range 3 {
		// A key without any operation left cannot have its list read: that wait comes
		// first, and then the one for the list, which is enough.
		a := p.post("/api/v1/sales", d.list(600))
		for waits := 0; a.status == 429; waits++ {
			wait, err := strconv.Atoi(a.header.Get("Retry-After"))
			d.must(err)
			if waits == 2 {
				t.Fatalf("a list that fits is told to wait again, %d s", wait)
			}
			d.Clock.Advance(time.Duration(wait) * time.Second)
			a = p.post("/api/v1/sales", d.list(600))
		}
		if a.status != 200 && a.status != 201 {
			t.Fatalf("a list that fits = %d %s", a.status, a.body)
		}
	}
}
