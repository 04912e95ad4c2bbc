package api_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/modelstest/rows"
)

// trailOf says what the trail calls what an operation did.
var trailOf = map[string]models.Action{
	"POST /api/v1/sales":                         models.ActionSalesRecorded,
	"POST /api/v1/sales/{orderId}/cancellation":  models.ActionCancellationRequested,
	"POST /api/v1/sales/{orderId}/correction":    models.ActionSaleCorrected,
	"POST /api/v1/sales/{orderId}/undoing":       models.ActionSaleUndone,
	"POST /api/v1/cancellations/{id}/withdrawal": models.ActionCancellationMoved,
	"PUT /api/v1/stores/{store}":                 models.ActionStoreChanged,
	"PUT /api/v1/terminals/{serialNumber}":       models.ActionTerminalChanged,
	"GET /api/v1/audit":                          models.ActionAuditRead,
	"GET /api/v1/audit/entries/{id}/proof":       models.ActionAuditProved,
}

// leavesNothing are operations that change nothing and show nothing of the trail.
var leavesNothing = map[string]string{
	"GET /api/v1/sales":                       "who merely looked at sales is no entry, as on the pages; see TRAIL.md of models",
	"GET /api/v1/sales/{orderId}":             "as above",
	"GET /api/v1/cancellations/{id}":          "as above",
	"GET /api/v1/sales/id/{id}":               "as above",
	"GET /api/v1/sales/reference/{reference}": "as above",
	"GET /api/v1/cancellations":               "as above",
	"GET /api/v1/changes":                     "as above",
	"GET /api/v1/reasons":                     "a list to choose from",
	"GET /api/v1/stores":                      "as above",
	"GET /api/v1/terminals":                   "as above",
	"GET /api/v1/audit/checkpoint":            "a hash and a number, which a witness asks for again and again: each would make the next one",
	"GET /api/v1/audit/consistency":           "hashes, for a witness",
}

// TestEveryOperationIsInTheTrail does each operation once with a key that may,
// and is refused it by scope, by stores and without a key.
func TestEveryOperationIsInTheTrail(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	w := rows.Record(t, d.Office)
	there := d.Branch(t)
	on := newThings(d)
	d.SealTrail(int64(d.count(`SELECT max(id) FROM audit_entries`)))
	for _, line := range d.api.Lines() {
		name := line.Method + " " + line.Path
		action, acts := trailOf[name]
		if !acts && leavesNothing[name] == "" {
			t.Errorf("nobody has said what the trail calls %s: add it to trailOf or leavesNothing", name)
			continue
		}
		e := expectations[name]
		path := func() expectation {
			if name == "GET /api/v1/audit/entries/{id}/proof" { // of what is sealed
				e.path = func(t *things) string {
					return fmt.Sprintf(
						"/api/v1/audit/entries/%d/proof", d.count(`SELECT min(id) FROM audit_entries WHERE store_id = $1`, d.Store.ID),
					)
				}
			}
			return e
		}
		d.refusedEverywhere(on, name, line.Method, line.Scope, path(), there.Store)
		p := d.program([]apikeys.Scope{line.Scope}, d.Store)
		mark := d.count(`SELECT max(id) FROM audit_entries`)
		if a := on.ask(p, line.Method, path()); a.status >= 400 {
			t.Errorf("%s = %d, want a success: %s", name, a.status, a.body)
		}
		got := d.count(`SELECT count(*) FROM audit_entries WHERE id > $1 AND actor_id = $2 AND actor_role = 'integration'
			AND outcome = 'success' AND ($3 = '' OR action = $3) AND host(address::inet) = '127.0.0.1' AND request_id <> ''
			AND user_agent <> ''`, mark, p.id, string(action))
		if acts != (got == 1) || !acts && got != 0 {
			t.Errorf("%s left %d entries of %q by its key", name, got, action)
		}
	}
	w.Judge()
	d.CheckSecretsStored(t, d.secrets())
}

// secrets are those that were given out or sent, and the keys of what was sent to
// terminals.
func (d *desk) secrets() map[string]string {
	secrets := map[string]string{strangersKey: "a key of nobody"}
	for _, secret := range d.given {
		secrets[secret] = "a key"
	}
	for _, o := range d.API.Orders() {
		secrets[o.Key.Reveal()], secrets[o.Key.Hash()] = "an attempt id", "an attempt id's hash"
	}
	return secrets
}

// refusedEverywhere tries the operation as it must not be: each refusal is one
// entry, and the same again within the minute is counted.
func (d *desk) refusedEverywhere(on *things, name, method string, scope apikeys.Scope, e expectation, there *models.Store) {
	d.tb.Helper()
	other := apikeys.ScopeSalesRead
	if scope == other {
		other = apikeys.ScopeSalesWrite
	}
	tries := map[string]struct {
		p    *program
		want int
	}{"a key of another scope": {d.program([]apikeys.Scope{other}, d.Store), http.StatusForbidden}}
	switch name {
	case "POST /api/v1/sales": // the rows are refused, each by its place: 422
	case "GET /api/v1/audit/checkpoint", "GET /api/v1/audit/consistency": // a key of any store may
	default:
		if ofAnyKey[name] || ofStores[name] {
			break
		}
		tries["a key of another store"] = struct {
			p    *program
			want int
		}{d.program([]apikeys.Scope{scope}, there), http.StatusNotFound}
	}
	for fact, try := range tries {
		mark := d.count(`SELECT max(id) FROM audit_entries`)
		for range 3 {
			if a := on.ask(try.p, method, e); a.status != try.want {
				d.tb.Errorf("%s by %s = %d, want %d: %s", name, fact, a.status, try.want, a.body)
			}
		}
		refused := func() int {
			return d.count(
				`SELECT count(*) FROM audit_entries WHERE id > $1 AND actor_id = $2 AND action = 'api.refused' AND outcome = 'denied'
					AND reason <> ''`,
				mark, try.p.id,
			)
		}
		if got := refused(); got != 1 {
			d.tb.Errorf("%s three times by %s left %d refusals, want 1", name, fact, got)
		}
		d.Clock.Advance(2 * time.Minute)
		d.must(d.Audit.SweepAPI(d.tb.Context()))
		if got := refused(); got != 2 {
			d.tb.Errorf("%s: after the minute %d refusals are recorded, want 2", name, got)
		}
	}
}
