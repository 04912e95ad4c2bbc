package api_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/modelstest"
	"veinte/models/modelstest/rows"
)

// refusalTry asks for an operation so that it answers with a status.
type refusalTry func(d *desk, on *things, name string) *answer

// refusals are the ways in which an operation is refused, by status. Those of one
// operation only stand in refusalsOf.
var refusals = map[int]refusalTry{
	http.StatusBadRequest:   func(d *desk, on *things, name string) *answer { return d.any().try(on, name, "{") },
	http.StatusUnauthorized: func(d *desk, on *things, name string) *answer { return d.with(0, strangersKey).try(on, name, "{}") },
	http.StatusForbidden: func(d *desk, on *things, name string) *answer {
		return d.program(readOnly, d.Store).try(on, name, "{}")
	},
	http.StatusRequestEntityTooLarge: func(d *desk, on *things, name string) *answer {
		a := d.any().try(on, name, strings.Repeat(" ", 3<<20))
		on.asked = d.with(0, "") // nobody asks whose it is before it is refused
		return a
	},
	http.StatusUnsupportedMediaType: func(d *desk, on *things, name string) *answer {
		return d.any().try(on, name, "{}", "Content-Type", "text/plain")
	},
	http.StatusUnprocessableEntity: func(d *desk, on *things, name string) *answer { return d.any().try(on, name, `{"nothing":"known"}`) },
	http.StatusTooManyRequests: func(d *desk, on *things, name string) *answer {
		p := d.keyed(apikeys.Input{
			Name: "Apurado " + modelstest.NextSerial(), Scopes: apikeys.Scopes, AllStores: true, Pace: apikeys.PaceSlow, Days: 30,
		})
		p.post("/api/v1/sales", "["+strings.Repeat("1,", 599)+"1]").want(http.StatusOK) // all that the minute has
		on.mark = d.count(`SELECT max(id) FROM audit_entries`)
		return p.try(on, name, "{}")
	},
}

var readOnly = []apikeys.Scope{apikeys.ScopeSalesRead}

const (
	strangersKey = "vk_live_nobody-has-this-key"
	thisProgram  = "caja-7/1.0 (pruebas)"
)

var refusalsOf = map[string]map[int]refusalTry{
	"POST /api/v1/sales": {
		http.StatusConflict: func(d *desk, on *things, name string) *answer {
			p := d.any()
			p.post("/api/v1/sales", d.sale("TWICE-1")).want(http.StatusCreated)
			on.mark = d.count(`SELECT max(id) FROM audit_entries`)
			return p.try(on, name, d.sale("TWICE-1", "amount", `"99.00"`))
		},
	},
	"POST /api/v1/sales/{orderId}/correction": {
		http.StatusNotFound: elsewhere(`{"amount":"1.25"}`), http.StatusConflict: afterItWasAsked(`{"amount":"1.25"}`),
	},
	"POST /api/v1/sales/{orderId}/undoing": {http.StatusNotFound: elsewhere(`{}`), http.StatusConflict: afterItWasAsked(`{}`)},
	"POST /api/v1/cancellations/{id}/withdrawal": {
		http.StatusNotFound: elsewhere(`{}`),
		http.StatusConflict: func(d *desk, on *things, name string) *answer {
			on.open = on.cancellation
			return d.any().try(on, name, `{}`)
		},
	},
	"PUT /api/v1/stores/{store}": {
		http.StatusNotFound:           elsewhere(`{"storeName":"Otra","timeZone":"America/Mexico_City"}`),
		http.StatusPreconditionFailed: seenBefore((*things).newName),
	},
	"PUT /api/v1/terminals/{serialNumber}": {
		http.StatusNotFound:           elsewhere(`{"label":"Caja","store":"X","storeId":"1"}`),
		http.StatusPreconditionFailed: seenBefore((*things).newLabel),
		http.StatusConflict: func(d *desk, on *things, name string) *answer {
			on.sale = d.SaleAt(d.NewTerminal(d.Store), 100)
			on.mark = d.count(`SELECT max(id) FROM audit_entries`)
			d.exec(`UPDATE terminals SET retired_at = now() WHERE serial_number = $1`, on.sale.SerialNumber)
			return d.any().try(on, name, strings.Replace(on.newLabel(), on.sale.MerchantID, "777", 1))
		},
	},
	"POST /api/v1/sales/{orderId}/cancellation": {
		http.StatusNotFound: func(d *desk, on *things, name string) *answer {
			return d.program(apikeys.Scopes, d.Branch(d.tb).Store).try(on, name, `{"reason":"chargedTwice"}`)
		},
		http.StatusConflict: func(d *desk, on *things, name string) *answer {
			p := d.any()
			p.try(on, name, `{"reason":"chargedTwice"}`).want(http.StatusAccepted)
			on.mark = d.count(`SELECT max(id) FROM audit_entries`)
			return p.try(on, name, `{"reason":"other","note":"otra vez"}`)
		},
	},
}

// elsewhere asks with a key of another store.
func elsewhere(body string) refusalTry {
	return func(d *desk, on *things, name string) *answer {
		return d.program(apikeys.Scopes, d.Branch(d.tb).Store).try(on, name, body)
	}
}

// seenBefore asks with a version that never was.
func seenBefore(body func(*things) string) refusalTry {
	return func(d *desk, on *things, name string) *answer {
		return d.any().try(on, name, body(on), "If-Match", `"99"`)
	}
}

// afterItWasAsked asks for a change of a sale of which somebody wants the cancellation.
func afterItWasAsked(body string) refusalTry {
	return func(d *desk, on *things, name string) *answer {
		p := d.any()
		p.post(cancelPath(on.told), wish).want(http.StatusAccepted)
		on.mark = d.count(`SELECT max(id) FROM audit_entries`)
		return p.try(on, name, body)
	}
}

// try asks for the operation with a body, and says which program it is.
func (p *program) try(on *things, name, body string, headers ...string) *answer {
	p.tb.Helper()
	on.asked = p
	method, _, _ := strings.Cut(name, " ")
	return p.send(method, expectations[name].path(on), body, append(headers, "User-Agent", thisProgram)...)
}

// TestEveryRefusalOfTheAPIIsInTheTrail refuses each operation that changes
// something in every way that the document says it can be refused: one entry, by
// whom it was, from where and why.
func TestEveryRefusalOfTheAPIIsInTheTrail(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	w := rows.Record(t, d.Office)
	tried := 0
	for _, line := range d.api.Lines() {
		if line.Method == http.MethodGet {
			continue
		}
		name := line.Method + " " + line.Path
		for code := range d.book.at("paths", line.Path, strings.ToLower(line.Method), "responses").(map[string]any) {
			status, err := strconv.Atoi(code)
			if err != nil || status < 400 || status >= 500 {
				continue
			}
			try := refusalsOf[name][status]
			if try == nil {
				try = refusals[status]
			}
			if try == nil {
				t.Errorf("%s can answer %d, and nobody has said how: add it to refusalsOf", name, status)
				continue
			}
			tried++
			d.Clock.Advance(2 * time.Minute)
			on := newThings(d)
			on.mark = d.count(`SELECT max(id) FROM audit_entries`)
			a := try(d, on, name)
			if a.status != status {
				t.Errorf("%s = %d, want %d: %s", name, a.status, status, a.body)
			}
			d.isOneRefusal(on, name, a)
		}
	}
	if tried < 14 {
		t.Errorf("only %d refusals were tried", tried)
	}
	w.Judge()
	d.CheckSecretsStored(t, d.secrets())
}

// isOneRefusal fails unless exactly one entry records the refusal, with all
// attributes of a program's entry.
func (d *desk) isOneRefusal(on *things, name string, a *answer) {
	d.tb.Helper()
	role := models.Integration
	if on.asked.id == 0 {
		role = models.Anonymous
	}
	const rightly = `coalesce(actor_id, 0) = $2 AND actor_role = $3 AND outcome IN ('failure', 'denied') AND reason <> ''
		AND host(address::inet) = '127.0.0.1'
		AND user_agent = $4 AND request_id = $5 AND on_behalf_of = '' AND at = $6 AND actor_name <> ''`
	all := d.count(
		`SELECT count(*) FROM audit_entries WHERE id > $1 AND action <> 'key.created' AND action !~ '^(store|terminal)'`, on.mark,
	)
	right := d.count(
		`SELECT count(*) FROM audit_entries WHERE id > $1 AND `+rightly, on.mark, on.asked.id, string(role), thisProgram,
		a.header.Get("X-Request-Id"), d.Clock.Now(),
	)
	if all != 1 || right != 1 {
		var entries string
		d.must(d.Owner.QueryRow(
			`SELECT coalesce(string_agg((to_jsonb(e) - 'canonical')::text, E'\n'), 'nothing') FROM audit_entries e WHERE id > $1`, on.mark,
		).Scan(&entries))
		d.tb.Errorf("%s = %d left %d entries, %d of them right, want one; the trail says\n%s", name, a.status, all, right, entries)
	}
}
