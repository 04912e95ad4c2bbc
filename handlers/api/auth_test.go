package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"veinte/handlers/api"
	"veinte/models"
	"veinte/models/apikeys"
)

// expectation is what an operation owes to whom. It is written without looking
// at the table of operations, so that a change there is noticed here.
type expectation struct {
	scope apikeys.Scope
	ok    int
	path  func(*things) string
	body  func(*things) string
}

// things are of the first store: a sale to read, one to cancel, one that a program
// reported, a cancellation that ended, and one that was not sent yet.
type things struct {
	d                    *desk
	sale, toCancel, told *models.Sale
	cancellation, open   *models.Cancellation
	sent                 int
	mark                 int      // the last entry of the trail before what is tried
	asked                *program // who tried
}

var expectations = map[string]expectation{
	"POST /api/v1/sales": {apikeys.ScopeSalesWrite, 201, func(*things) string { return "/api/v1/sales" }, (*things).newSale},
	"GET /api/v1/sales": {
		apikeys.ScopeSalesRead, 200, func(t *things) string { return "/api/v1/sales?store=" + t.d.Store.Code }, nil,
	},
	"GET /api/v1/cancellations": {
		apikeys.ScopeCancellationsRead, 200, func(t *things) string { return "/api/v1/cancellations?store=" + t.d.Store.Code }, nil,
	},
	"GET /api/v1/changes": {apikeys.ScopeChangesRead, 200, func(*things) string { return "/api/v1/changes" }, nil},
	"GET /api/v1/reasons": {apikeys.ScopeCancellationsRead, 200, func(*things) string { return "/api/v1/reasons" }, nil},
	"GET /api/v1/stores":  {apikeys.ScopeStoresRead, 200, func(*things) string { return "/api/v1/stores" }, nil},
	"GET /api/v1/terminals": {
		apikeys.ScopeStoresRead, 200, func(t *things) string { return "/api/v1/terminals?store=" + t.d.Store.Code }, nil,
	},
	"PUT /api/v1/stores/{store}": {
		apikeys.ScopeStoresWrite, 200, func(t *things) string { return "/api/v1/stores/" + t.d.Store.Code }, (*things).newName,
	},
	"PUT /api/v1/terminals/{serialNumber}": {
		apikeys.ScopeTerminalsWrite, 200, func(t *things) string { return "/api/v1/terminals/" + string(t.sale.SerialNumber) },
		(*things).newLabel,
	},
	"GET /api/v1/sales/{orderId}": {apikeys.ScopeSalesRead, 200, func(t *things) string { return "/api/v1/sales/" + t.sale.OrderID }, nil},
	"GET /api/v1/sales/id/{id}": {
		apikeys.ScopeSalesRead, 200, func(t *things) string { return fmt.Sprintf("/api/v1/sales/id/%d", t.sale.ID) }, nil,
	},
	"GET /api/v1/sales/reference/{reference}": {
		apikeys.ScopeSalesRead, 200, func(t *things) string { return "/api/v1/sales/reference/" + t.told.Reference }, nil,
	},
	"POST /api/v1/sales/{orderId}/correction": {
		apikeys.ScopeSalesWrite, 200, func(t *things) string { return "/api/v1/sales/" + t.told.OrderID + "/correction" },
		func(*things) string { return `{"amount":"1.25"}` },
	},
	"POST /api/v1/sales/{orderId}/undoing": {
		apikeys.ScopeSalesWrite, 200, func(t *things) string { return "/api/v1/sales/" + t.told.OrderID + "/undoing" },
		func(*things) string { return `{"note":"Se envió dos veces"}` },
	},
	"POST /api/v1/cancellations/{id}/withdrawal": {
		apikeys.ScopeCancellationsWrite, 200, func(t *things) string { return fmt.Sprintf("/api/v1/cancellations/%d/withdrawal", t.open.ID) },
		func(*things) string { return `{}` },
	},
	"POST /api/v1/sales/{orderId}/cancellation": {
		apikeys.ScopeCancellationsWrite, 202, func(t *things) string { return "/api/v1/sales/" + t.toCancel.OrderID + "/cancellation" },
		func(*things) string { return `{"reason":"chargedTwice"}` },
	},
	"GET /api/v1/cancellations/{id}": {
		apikeys.ScopeCancellationsRead, 200, func(t *things) string { return fmt.Sprintf("/api/v1/cancellations/%d", t.cancellation.ID) },
		nil,
	},
	"GET /api/v1/audit": {apikeys.ScopeAuditFollow, 200, func(*things) string { return "/api/v1/audit" }, nil},
	// The trail of this office was never sealed: that is said to whoever may ask.
	"GET /api/v1/audit/checkpoint": {apikeys.ScopeAuditCheckpoint, 409, func(*things) string { return "/api/v1/audit/checkpoint" }, nil},
	"GET /api/v1/audit/consistency": {
		apikeys.ScopeAuditCheckpoint, 409, func(*things) string { return "/api/v1/audit/consistency?from=1" }, nil,
	},
	"GET /api/v1/audit/entries/{id}/proof": {apikeys.ScopeAuditRead, 409, func(t *things) string {
		return fmt.Sprintf(
			"/api/v1/audit/entries/%d/proof", t.d.count(`SELECT max(id) FROM audit_entries WHERE store_id = $1`, t.d.Store.ID),
		)
	}, nil},
}

// ofAnyKey are operations that a key of any store may ask for: it gets what is its own.
var ofAnyKey = map[string]bool{
	"GET /api/v1/audit": true, "GET /api/v1/changes": true, "GET /api/v1/reasons": true, "GET /api/v1/stores": true,
}

// ofStores are lists that are asked for by the code of a store. One that is not there for
// the key is 404, and nothing was seen.
var ofStores = map[string]bool{"GET /api/v1/sales": true, "GET /api/v1/cancellations": true, "GET /api/v1/terminals": true}

func (t *things) newSale() string {
	t.sent++
	return t.d.sale("SENT-" + strconv.Itoa(t.sent))
}

func (t *things) newName() string {
	t.sent++
	return fmt.Sprintf(`{"storeName":"Nombre %d","timeZone":"America/Mexico_City"}`, t.sent)
}

func (t *things) newLabel() string {
	t.sent++
	return fmt.Sprintf(`{"label":"Caja %d","store":%q,"storeId":%q}`, t.sent, t.d.Store.Code, t.sale.MerchantID)
}

func newThings(d *desk) *things {
	d.tb.Helper()
	t := &things{d: d, sale: d.Sale(125000), toCancel: d.SaleAt(d.NewTerminal(d.Store), 431298)}
	_, t.cancellation = d.StateOf(models.Rejected)
	t.open = d.Request(d.SaleAt(d.NewTerminal(d.Store), 7700))
	t.told = d.told()
	return t
}

// TestMatrix asks every operation with every scope, of the store, of another,
// and with what is no key.
func TestMatrix(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	there := d.Branch(t)
	for _, line := range d.api.Lines() {
		name := line.Method + " " + line.Path
		e, ok := expectations[name]
		if !ok {
			t.Errorf("nobody has said who may ask for %s: add it to expectations", name)
			continue
		}
		if line.Scope != e.scope {
			t.Errorf("%s needs %s, want %s", name, line.Scope, e.scope)
		}
		for _, scope := range apikeys.Scopes {
			on := newThings(d)
			here, elsewhere := d.program([]apikeys.Scope{scope}, d.Store), d.program([]apikeys.Scope{scope}, there.Store)
			want, wantElsewhere := e.ok, http.StatusNotFound
			switch {
			case scope != e.scope && !slices.Contains(e.scope.Wider(), scope):
				want, wantElsewhere = http.StatusForbidden, http.StatusForbidden
			case name == "POST /api/v1/sales":
				wantElsewhere = http.StatusUnprocessableEntity
			case ofAnyKey[name]:
				wantElsewhere = http.StatusOK
			case name == "GET /api/v1/audit/checkpoint", name == "GET /api/v1/audit/consistency": // hashes say nothing
				wantElsewhere = http.StatusConflict
			}
			for _, try := range []struct {
				p    *program
				want int
			}{{elsewhere, wantElsewhere}, {here, want}} {
				before := d.count("SELECT count(*) FROM audit_entries WHERE action = 'api.refused'")
				a := on.ask(try.p, line.Method, e)
				if a.status != try.want {
					t.Errorf("%s with %s = %d, want %d: %s", name, scope, a.status, try.want, a.body)
				}
				if try.p == elsewhere {
					hides(t, a, on)
				}
				noted := d.count("SELECT count(*) FROM audit_entries WHERE action = 'api.refused'") - before
				refused := a.status == http.StatusForbidden || a.status == http.StatusNotFound && !ofStores[name]
				if refused != (noted == 1) {
					t.Errorf("%s with %s = %d left %d refusals in the trail", name, scope, a.status, noted)
				}
			}
		}
	}
	for name := range expectations {
		if !slices.ContainsFunc(d.api.Lines(), func(l api.Line) bool { return l.Method+" "+l.Path == name }) {
			t.Errorf("%s is expected and there is none", name)
		}
	}
}

func (t *things) ask(p *program, method string, e expectation) *answer {
	body := ""
	if e.body != nil {
		body = e.body(t)
	}
	return p.send(method, e.path(t), body)
}

// hides fails when a response shows anything of another store's sales.
func hides(t *testing.T, a *answer, on *things) {
	t.Helper()
	for _, mark := range []string{"4312.98", on.d.Store.Name, "Persona de prueba (manager)"} {
		if strings.Contains(string(a.body), mark) {
			t.Errorf("%s shows %q to a key of another store: %s", a.what, mark, a.body)
		}
	}
}

func TestNoKey(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	good := d.any()
	expired := d.any()
	d.exec(`UPDATE api_secrets SET expires_at = $1 WHERE key_id = $2`, d.Clock.Now(), expired.id)
	revoked := d.any()
	d.must(d.APIKeys.RevokeKey(t.Context(), d.Admin, revoked.id, 1))
	typo := []byte(good.secret)
	typo[20] ^= 1
	unknown := newDesk(t).any().secret
	for fact, tt := range map[string]struct{ header, says string }{
		"nothing":            {"", "encabezado"},
		"another scheme":     {"Basic dXNlcjpwYXNz", "encabezado"},
		"no key":             {"Bearer ", "encabezado"},
		"a mistyped key":     {"Bearer " + string(typo), "mal copiada"},
		"half a key":         {"Bearer " + good.secret[:40], "incompleta"},
		"a key of nobody":    {"Bearer " + unknown, "no existe"},
		"an expired key":     {"Bearer " + expired.secret, "venció"},
		"a revoked key":      {"Bearer " + revoked.secret, "revocada"},
		"a very long header": {"Bearer " + strings.Repeat("x", 8000), "incompleta"},
		"bytes of no text":   {"Bearer vk_live_\xff\xfe", "incompleta"},
	} {
		for path := range map[string]bool{"/api/v1/sales": true, "/api/v1/cancellations/1": true} {
			a := d.with(0, "").get(path, "Authorization", tt.header, "Cookie", "veinte_session="+good.secret)
			if got := a.problem(http.StatusUnauthorized, "unauthenticated"); !strings.Contains(got.Detail, tt.says) {
				t.Errorf("%s: %q, want %q in it", fact, got.Detail, tt.says)
			}
			if !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer") || len(a.header.Values("Set-Cookie")) > 0 {
				t.Errorf("%s: headers %v, want WWW-Authenticate and no cookie", fact, a.header)
			}
		}
	}
	good.get("/api/v1/sales", "Authorization", "bearer  "+good.secret).want(http.StatusOK)
	if n := d.count(
		`SELECT count(*) FROM audit_entries WHERE action = 'api.refused' AND actor_role = 'anonymous' AND outcome = 'denied'`,
	); n != 3 {
		t.Errorf("entries of strangers = %d, want one each of missing, malformed and unknown", n)
	}
	if n := d.count(
		`SELECT count(*) FROM audit_entries WHERE action = 'api.refused' AND actor_id IN ($1, $2) AND actor_role = 'integration'`,
		expired.id, revoked.id,
	); n != 2 {
		t.Errorf("entries of keys that are over = %d, want one each", n)
	}
	if n := d.count(`SELECT count(*) FROM audit_entries WHERE canonical::text LIKE '%' || $1 || '%'`, good.secret[8:40]); n != 0 {
		t.Errorf("%d entries contain a secret", n)
	}
}

// TestGuessesAreHeldUp: without a valid key an address gets thirty tries a
// minute; whoever has one is not held up by them.
func TestGuessesAreHeldUp(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	good, stranger := d.any(), d.with(0, "vk_live_guess")
	limited := 0
	for range 40 {
		if a := stranger.get("/api/v1/sales"); a.status == http.StatusTooManyRequests {
			limited++
			if a.problem(429, "rate-limited"); a.header.Get("Retry-After") == "" {
				t.Errorf("no Retry-After: %v", a.header)
			}
		} else {
			a.problem(401, "unauthenticated")
		}
		good.get("/api/v1/sales").want(200)
	}
	if limited != 10 {
		t.Errorf("of forty tries %d were held up, want ten", limited)
	}
	d.Clock.Advance(2 * time.Minute)
	stranger.get("/api/v1/sales").problem(401, "unauthenticated")
	d.must(d.Audit.SweepAPI(t.Context()))
	if n := d.count(`SELECT count(*) FROM audit_entries WHERE action = 'api.refused' AND after->>'more' = '29'`); n != 1 {
		t.Errorf("entries that count the other tries of the minute = %d, want 1", n)
	}
	d.must(d.Audit.SweepAPI(t.Context()))
	if n := d.count(`SELECT count(*) FROM audit_entries WHERE action = 'api.refused'`); n != 4 {
		t.Errorf("entries = %d, want the first of each minute, that it was held up, and one that counts", n)
	}
}

// TestRotation: while a key is rotated no call fails, and afterwards only the
// new secret opens.
func TestRotation(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	old := d.any()
	secret, err := d.APIKeys.RotateKey(t.Context(), d.Admin, old.id, 1, 90, 24)
	d.must(err)
	renewed := d.with(old.id, secret)
	old.post("/api/v1/sales", d.sale("ORDER-1"), "Idempotency-Key", "one").want(201)
	again := renewed.post("/api/v1/sales", d.sale("ORDER-1"), "Idempotency-Key", "one").want(201)
	if again.header.Get("Idempotency-Replayed") != "true" {
		t.Error("a repeat with the new secret is not the same program's")
	}
	d.Clock.Advance(24*time.Hour - time.Second)
	old.get("/api/v1/sales").want(200)
	d.Clock.Advance(time.Second)
	old.get("/api/v1/sales").problem(401, "unauthenticated")
	renewed.get("/api/v1/sales").want(200)
	third, err := d.APIKeys.RotateKey(t.Context(), d.Admin, old.id, 2, 30, 0)
	d.must(err)
	renewed.get("/api/v1/sales").problem(401, "unauthenticated")
	last := d.with(old.id, third)
	last.get("/api/v1/sales").want(200)
	d.Clock.Advance(30 * 24 * time.Hour)
	last.get("/api/v1/sales").problem(401, "unauthenticated")
	if n := d.count(`SELECT count(*) FROM audit_entries WHERE action = 'key.rotated' AND after->>'prefix' <> before->>'prefix'`); n != 2 {
		t.Errorf("entries of rotations = %d, want 2", n)
	}
}

// TestUseIsWrittenOnceAMinute looks at when a key was last used.
func TestUseIsWrittenOnceAMinute(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	used := func() (at time.Time) {
		key, err := d.APIKeys.Key(t.Context(), d.Admin, p.id)
		d.must(err)
		if key.LastUsedAt() != nil {
			at = *key.LastUsedAt()
		}
		return at
	}
	if !used().IsZero() {
		t.Error("a key that nobody has used says when it was")
	}
	first := d.Clock.Now()
	for range 3 {
		p.get("/api/v1/sales").want(200)
		d.Clock.Advance(20 * time.Second)
		if !used().Equal(first) {
			t.Fatalf("used at %s, want %s", used(), first)
		}
	}
	d.Clock.Advance(time.Second)
	p.get("/api/v1/sales").want(200)
	if !used().Equal(d.Clock.Now()) {
		t.Errorf("used at %s, want %s", used(), d.Clock.Now())
	}
}
