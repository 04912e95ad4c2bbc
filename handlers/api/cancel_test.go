package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

const wish = `{"reason":"chargedTwice"}`

func cancelPath(s *models.Sale) string { return "/api/v1/sales/" + s.OrderID + "/cancellation" }

func TestCancel(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	sale := d.Sale(125000)
	a := p.post(cancelPath(sale), `{"reason":"other","note":"Se llevó otra","omitReceipt":true}`).want(202)
	got := into[shapes.Cancellation](a)
	if got.State != "requested" || got.Canceled != "inProgress" || !got.OmitReceipt || got.Note != "Se llevó otra" ||
		!strings.HasPrefix(got.RequestedBy, "Programa") ||
		a.header.Get("Location") != fmt.Sprintf("/api/v1/cancellations/%d", got.ID) {
		t.Errorf("the cancellation = %+v at %s", got, a.header.Get("Location"))
	}
	if n := d.count(
		`SELECT count(*) FROM audit_entries WHERE action = 'cancellation.requested' AND actor_id = $1 AND actor_role = 'integration'
			AND sale_id = $2`,
		p.id, sale.ID,
	); n != 1 {
		t.Errorf("entries of the wish = %d, want 1", n)
	}
	d.Dispatch(got.ID)
	if order := d.LastOrder(); order.OrderID != sale.OrderID || !order.OmitReceipt {
		t.Errorf("order = %+v", order)
	}
	d.CheckInvariants(t)
}

// TestCancelRefused: a program is refused whatever a person would be.
func TestCancelRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	open_ := d.Sale(100)
	c := d.Request(open_)
	if got := p.post(cancelPath(open_), wish).problem(409, "case-open"); got.CancellationID != c.ID {
		t.Errorf("the cancellation in the way is %d, want %d", got.CancellationID, c.ID)
	}
	for state, want := range map[models.State]string{models.Confirmed: "not-requestable", models.Expired: "not-requestable"} {
		branch := open(t, d.Branch(t))
		sale, _ := branch.StateOf(state)
		branch.any().post(cancelPath(sale), wish).problem(409, want)
	}
	negative := open(t, d.Branch(t))
	sale, _ := negative.StateOf(models.NotCanceled)
	negative.any().post(cancelPath(sale), wish).problem(403, "needs-supervisor")
	retired := d.NewTerminal(d.Store)
	of := d.SaleAt(retired, 100)
	d.must(d.Terminals.RetireTerminal(t.Context(), d.Admin, retired.ID, 1))
	p.post(cancelPath(of), wish).problem(409, "terminal-retired")
	fresh := d.Sale(200)
	d.must(d.Cancellations.Pause(t.Context(), d.Admin, "mantenimiento"))
	if a := p.post(cancelPath(fresh), wish); a.problem(503, "paused") == nil || a.header.Get("Retry-After") != "60" {
		t.Errorf("paused: Retry-After = %q, want 60", a.header.Get("Retry-After"))
	}
	var pause int64
	d.must(d.Owner.QueryRow(`SELECT id FROM pauses`).Scan(&pause))
	d.must(d.Cancellations.Resume(t.Context(), d.Admin, pause))
	for body, want := range map[string]string{
		`{}`:                               "body.reason:reason.required",
		`{"reason":"because"}`:             "body.reason:reason.unknown",
		`{"reason":"other"}`:               "body.note:note.required",
		`{"reason":7,"omitReceipt":"yes"}`: "body.reason:api.field.notText body.omitReceipt:api.boolean",
		`{"reason":"other","note":"4111111111111111"}`:                 "body.note:field.cardNumber",
		`{"reason":"chargedTwice","receipt":true}`:                     "body.receipt:api.field.unknown",
		`[{"reason":"chargedTwice"}]`:                                  "body:api.body.notObject",
		`{"reason":"other","note":"` + strings.Repeat("ñ", 501) + `"}`: "body.note:field.tooLong",
	} {
		if got := p.post(cancelPath(fresh), body).problem(422, "validation"); places(got.Errors) != want {
			t.Errorf("%.60s: %s, want %s", body, places(got.Errors), want)
		}
	}
	d.Clock.Set(fresh.CutoffAt.Add(-5 * time.Second))
	p.post(cancelPath(fresh), wish).problem(409, "window-closed")
	if n := d.count(`SELECT count(*) FROM cancellations WHERE requested_by = $1`, p.id); n != 0 {
		t.Errorf("%d cancellations were opened, want none", n)
	}
	if n := d.count(`SELECT count(*) FROM audit_entries WHERE action = 'cancellation.refused' AND actor_id = $1`, p.id); n < 5 {
		t.Errorf("refusals in the trail = %d, want each", n)
	}
}

// TestOneRequestIsOneCancellation: however often and however at once it is repeated.
func TestOneRequestIsOneCancellation(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	sale := d.Sale(125000)
	var mu sync.Mutex
	ids, statuses := map[int64]bool{}, map[int]int{}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			a := p.post(cancelPath(sale), wish, "Idempotency-Key", "wish-1")
			mu.Lock()
			defer mu.Unlock()
			statuses[a.status]++
			if a.status == 202 {
				ids[into[shapes.Cancellation](a).ID] = true
			} else if a.problem(409, "repeat-in-progress"); a.header.Get("Retry-After") != "1" {
				t.Errorf("Retry-After = %q, want 1", a.header.Get("Retry-After"))
			}
		})
	}
	wg.Wait()
	if len(ids) != 1 || d.count("SELECT count(*) FROM cancellations") != 1 {
		t.Errorf("answers %v, cancellations %v", statuses, ids)
	}
	// The process died before its response was stored: the repeat is the same
	// cancellation.
	d.exec(`DELETE FROM api_answers`)
	again := into[shapes.Cancellation](p.post(cancelPath(sale), wish, "Idempotency-Key", "wish-1").want(202))
	if !ids[again.ID] {
		t.Errorf("the repeat is cancellation %d, want one of %v", again.ID, ids)
	}
	// Without the name it is another wish, and another program's name is its own.
	p.post(cancelPath(sale), wish).problem(409, "case-open")
	d.any().post(cancelPath(sale), wish, "Idempotency-Key", "wish-1").problem(409, "case-open")
}

func TestRepeats(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	first := p.post("/api/v1/sales", d.sale("A"), "Idempotency-Key", "k1").want(201)
	second := p.post("/api/v1/sales", d.sale("A"), "Idempotency-Key", "k1").want(201)
	if string(first.body) != string(second.body) || second.header.Get("Idempotency-Replayed") != "true" ||
		first.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("the repeat answers %s %v, want %s", second.body, second.header, first.body)
	}
	p.post("/api/v1/sales", d.sale("B"), "Idempotency-Key", "k1").problem(422, "repeat-differs")
	p.post("/api/v1/sales?allOrNothing=false", d.sale("A"), "Idempotency-Key", "k1").problem(422, "repeat-differs")
	d.any().post("/api/v1/sales", d.sale("A"), "Idempotency-Key", "k1").want(200) // another program's name is its own
	// What was refused did nothing, so it is judged anew.
	serial := modelstest.NextSerial()
	later := d.sale("C", "serialNumber", `"`+serial+`"`)
	p.post("/api/v1/sales", later, "Idempotency-Key", "k2").problem(422, "validation")
	_, err := d.Terminals.CreateTerminal(
		t.Context(), d.Admin, terminals.Input{SerialNumber: serial, Label: "Nueva", MerchantID: "M", StoreID: d.Store.ID},
	)
	d.must(err)
	p.post("/api/v1/sales", later, "Idempotency-Key", "k2").want(201)
	// A process that died in the middle: others wait for its lease, some seconds, then do it.
	d.exec(`UPDATE api_answers SET status = NULL, body = NULL WHERE status = 201`)
	p.post("/api/v1/sales", d.sale("A"), "Idempotency-Key", "k1").problem(409, "repeat-in-progress")
	d.Clock.Advance(6 * time.Second)
	p.post("/api/v1/sales", d.sale("B"), "Idempotency-Key", "k1").problem(422, "repeat-differs")
	p.post("/api/v1/sales", d.sale("A"), "Idempotency-Key", "k1").want(200)
	for _, name := range []string{strings.Repeat("x", 256), "ñ", "\t"} {
		if a := p.post("/api/v1/sales", d.sale("A"), "Idempotency-Key", name); a.status != 422 && name != "\t" {
			t.Errorf("Idempotency-Key %q = %d, want 422", name, a.status)
		}
	}
	d.Clock.Advance(24*time.Hour + time.Second)
	d.must(d.Audit.SweepAPI(t.Context()))
	if n := d.count(`SELECT count(*) FROM api_answers`); n != 0 {
		t.Errorf("responses stored after a day = %d, want none", n)
	}
}

// TestOutage: what cannot be recorded is not done, and the response states so.
func TestOutage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	sale := d.Sale(100)
	p.get("/api/v1/sales").want(200)
	d.exec(`REVOKE INSERT ON audit_entries FROM veinte_app`)
	d.exec(`REVOKE INSERT (at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name, serial_number,
		sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason, address, user_agent, request_id, canonical)
		ON audit_entries FROM veinte_app`)
	for path, body := range map[string]string{cancelPath(sale): wish, "/api/v1/sales": d.sale("A")} {
		a := p.post(path, body, "Idempotency-Key", "k-"+path)
		if got := a.problem(503, "unavailable"); a.header.Get("Retry-After") == "" || !strings.Contains(got.Detail, "bitácora") {
			t.Errorf("%s: %s, Retry-After %q", path, got.Detail, a.header.Get("Retry-After"))
		}
	}
	if n := d.count(`SELECT (SELECT count(*) FROM cancellations) + (SELECT count(*) FROM api_answers)
		+ (SELECT count(*) FROM sales WHERE source = 'api')`); n != 0 {
		t.Errorf("%d things were done that could not be recorded", n)
	}
	// Whoever has no key is not let in either.
	d.with(0, "").get("/api/v1/sales").problem(503, "unavailable")
}
