package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"veinte/models/apikeys"
)

// TestDocumentedHeadersAreSent: each header that is documented as sent sometimes is sent
// at some time. Those that are always sent are held by every request of these tests, as is
// that no other header is sent.
func TestDocumentedHeadersAreSent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	sometimes := map[string]bool{}
	for _, item := range d.book.doc["paths"].(map[string]any) {
		for _, op := range item.(map[string]any) {
			for status, r := range op.(map[string]any)["responses"].(map[string]any) {
				for name, h := range r.(map[string]any)["headers"].(map[string]any) {
					if h.(map[string]any)["required"] != true {
						sometimes[status+" "+name] = true
					}
				}
			}
		}
	}
	seen := map[string]bool{}
	note := func(a *answer) *answer {
		for name := range sometimes {
			if status, header, _ := strings.Cut(name, " "); status == fmt.Sprint(a.status) && a.header.Get(header) != "" {
				seen[name] = true
			}
		}
		return a
	}
	p := d.any()
	for range 2 {
		note(p.post("/api/v1/sales", d.sale("ONE"), "Idempotency-Key", "one").want(201))
		note(p.post("/api/v1/sales", d.sale("ONE"), "Idempotency-Key", "two").want(200))
		note(p.post("/api/v1/sales/ONE/cancellation", `{"reason":"chargedTwice"}`, "Idempotency-Key", "three").want(202))
	}
	note(d.program([]apikeys.Scope{apikeys.ScopeSalesRead}).get("/api/v1/audit").problem403(t, "audit:follow"))
	note(p.get("/api/v1/sales").want(200))
	note(p.get("/api/v1/audit/checkpoint").want(http.StatusConflict))
	slow := d.keyed(apikeys.Input{Name: "Lento", Scopes: apikeys.Scopes, AllStores: true, Pace: apikeys.PaceSlow, Days: 30})
	note(slow.post("/api/v1/sales", d.list(601)).want(http.StatusRequestEntityTooLarge))
	note(slow.post("/api/v1/sales", d.list(599)).want(http.StatusCreated))
	note(slow.get("/api/v1/sales").want(http.StatusTooManyRequests))
	d.must(d.Cancellations.Pause(t.Context(), d.Admin, "El servicio está caído."))
	note(p.post("/api/v1/sales/L-5/cancellation", `{"reason":"chargedTwice"}`).want(http.StatusServiceUnavailable))
	d.exec(`ALTER TABLE day_totals RENAME TO away`)
	note(p.get("/api/v1/sales").want(http.StatusInternalServerError))
	maps.DeleteFunc(sometimes, func(name string, _ bool) bool { return seen[name] })
	if len(sometimes) > 0 {
		t.Errorf("documented and never sent: %v", slices.Sorted(maps.Keys(sometimes)))
	}
}

// problem403 fails unless the answer says which scope is missing.
func (a *answer) problem403(t *testing.T, scope string) *answer {
	t.Helper()
	p := a.problem(http.StatusForbidden, "forbidden")
	if p.Scope != scope || !strings.Contains(p.Detail, scope) ||
		!strings.Contains(a.header.Get("WWW-Authenticate"), `error="insufficient_scope", scope="`+scope+`"`) {
		t.Errorf("%s does not name the scope %s: %s, %v", a.what, scope, a.body, a.header)
	}
	return a
}

// TestARepeatHasTheHeadersOfTheFirst: what was said besides the body, such as where to
// ask for the cancellation, is said again.
func TestARepeatHasTheHeadersOfTheFirst(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	sale := d.Sale(125000)
	ask := func() *answer {
		return p.post("/api/v1/sales/"+sale.OrderID+"/cancellation", `{"reason":"chargedTwice"}`, "Idempotency-Key", "k").want(202)
	}
	first, again := ask(), ask()
	if again.header.Get("Idempotency-Replayed") != "true" || string(first.body) != string(again.body) {
		t.Fatalf("a repeat = %s with %v, want %s", again.body, again.header, first.body)
	}
	if first.header.Get("Location") == "" {
		t.Errorf("the first answer has no Location: %v", first.header)
	}
	for _, own := range []string{"Date", "X-Request-Id", "Ratelimit", "Idempotency-Replayed"} {
		delete(first.header, own)
		delete(again.header, own)
	}
	if got, want := fmt.Sprint(again.header), fmt.Sprint(first.header); got != want {
		t.Errorf("headers of the repeat = %s, want %s", got, want)
	}
}

// TestTheFeedHasItsOwnScope: following the trail needs audit:follow, and only that.
func TestTheFeedHasItsOwnScope(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.program([]apikeys.Scope{apikeys.ScopeAuditFollow}).get("/api/v1/audit").want(200)
	d.program([]apikeys.Scope{apikeys.ScopeAuditFollow}).get("/api/v1/audit/checkpoint").problem403(t, "audit:checkpoint")
	d.program([]apikeys.Scope{apikeys.ScopeAuditRead}).get("/api/v1/audit").problem403(t, "audit:follow")
}
