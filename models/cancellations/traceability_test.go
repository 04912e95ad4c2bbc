package cancellations_test

import (
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

// setStore gives the office's store a template, or the bare form.
func setStore(t *testing.T, o *modelstest.Office, template string, bare bool) {
	t.Helper()
	s, err := o.Terminals.Store(t.Context(), o.Admin, o.Store.ID)
	if err != nil {
		t.Fatal(err)
	}
	err = o.Terminals.ChangeStore(t.Context(), o.Admin, s.ID, s.Version, terminals.StoreInput{
		Code: s.Code, Name: s.Name, TimeZone: s.TimeZone, Traceability: template, BareTraceability: bare,
	})
	if err != nil {
		t.Fatalf("ChangeStore() = %v", err)
	}
}

// What goes to the service is the store's template with the facts of the sale, over it
// the program's object, and nothing in the bare form; in the cancellation and in the
// inquiry about it. The trail has it, without our id.
func TestTraceabilityOfTheMerchant(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, tt := range []struct {
		fact, template string
		bare           bool
		given, want    string
	}{
		{"nothing", "", false, "", ""},
		{"a template", `{"idTienda": 987, "orden": "{orderId}"}`, false, "", `{"idTienda":987,"orden":"ORDER"}`},
		{"a program's object", "", false, `{"ticket": "A-1"}`, `{"ticket":"A-1"}`},
		{
			"both: the program's over the template's", `{"a":"{amount} {storeCode}","b":1}`, false, `{"b":2,"c":[3]}`,
			`{"a":"50.00 CODE","b":2,"c":[3]}`,
		},
		{"the bare form", "", true, "", "{}"},
	} {
		setStore(t, o, tt.template, tt.bare)
		sale := o.SaleAt(o.NewTerminal(o.Store), 5000)
		want := strings.NewReplacer("ORDER", sale.OrderID, "CODE", o.Store.Code).Replace(tt.want)
		r := o.CancelRequest(sale)
		r.Traceability = tt.given
		c, err := o.Cancellations.Request(t.Context(), o.Manager, r)
		if err != nil {
			t.Fatalf("%s: Request() = %v", tt.fact, err)
		}
		o.API.Then(modelstest.TimedOut)
		o.Dispatch(c.ID)
		sent := o.LastOrder()
		if sent.Traceability != want || sent.Bare != tt.bare || sent.Key == (models.AttemptKey{}) {
			t.Errorf("%s: sent %q, bare %t; want %q, %t", tt.fact, sent.Traceability, sent.Bare, want, tt.bare)
		}
		told := modelstest.Scan[string](t, o.Owner, `SELECT coalesce(after::jsonb->>'traceability', '') FROM audit_entries
			WHERE cancellation_id = $1 AND after::jsonb->>'state' = 'sending'`, c.ID)
		if told != want || strings.Contains(told, sent.Key.Reveal()) {
			t.Errorf("%s: the trail says that %q was sent, want %q", tt.fact, told, want)
		}
		if _, err := o.Cancellations.Inquire(t.Context(), c.ID, 1); err != nil {
			t.Fatalf("%s: Inquire() = %v", tt.fact, err)
		}
		all := o.Inquiries.Orders()
		if asked := all[len(all)-1]; asked.OrderID != sale.OrderID || asked.Traceability != want || asked.Bare != tt.bare || !asked.OmitReceipt {
			t.Errorf("%s: the inquiry has %+v, want %q", tt.fact, asked, want)
		}
		o.Clock.Advance(modelstest.Waits.Quiet)
	}
	o.CheckInvariants(t)
}

// What cannot be sent is refused, told in the trail, and stores nothing.
func TestTraceabilityIsRefused(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	setStore(t, o, "", true)
	for given, want := range map[string]string{
		`{"a":1}`: "traceability.bare", `[1]`: "traceability.notObject", `{"attemptId":"x"}`: "traceability.reserved",
		`{"tarjeta":"4012888888881881"}`: "field.cardNumber",
	} {
		r := o.CancelRequest(o.SaleAt(o.NewTerminal(o.Store), 5000))
		r.Traceability = given
		if _, err := o.Cancellations.Request(t.Context(), o.Manager, r); !modelstest.IsError(err, models.Invalid("traceability", want)) {
			t.Errorf("Request(%s) = %v, want %s", given, err, want)
		}
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM cancellations`); n != 0 {
		t.Errorf("%d cancellations after refusals", n)
	}
	in := terminals.StoreInput{Code: "N-1", Name: "Nueva", TimeZone: "UTC"}
	for _, tt := range []struct {
		template string
		bare     bool
		want     string
	}{
		{`{"a":1}`, true, "traceability.bareOrTemplate"},
		{`{"a":"` + strings.Repeat("{folio}", 9) + `"}`, false, "traceability.tooMany"},
		{`no`, false, "traceability.notObject"},
	} {
		in.Traceability, in.BareTraceability = tt.template, tt.bare
		_, err := o.Terminals.CreateStore(t.Context(), o.Admin, in)
		if !modelstest.IsError(err, models.Invalid("traceability", tt.want)) {
			t.Errorf("CreateStore(%s, bare %t) = %v, want %s", tt.template, tt.bare, err, tt.want)
		}
	}
	in.Traceability, in.BareTraceability = ` { "n" : "{reference}" } `, false
	if s, err := o.Terminals.CreateStore(t.Context(), o.Admin, in); err != nil || s.Traceability != `{"n":"{reference}"}` {
		t.Errorf("CreateStore() = %+v, %v, want its template without white space", s, err)
	}
}
