package api_test

import (
	"fmt"
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
