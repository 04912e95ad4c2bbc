package webhooks_test

import (
	"errors"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/webhooks"
)

// relayed is what the endpoint gets of a post with a field that is not stored.
func (r *receiver) relayed() *webhooks.Outgoing {
	r.tb.Helper()
	r.post(r.Terminal, `{"cardNumber":"411111******1111"}`)
	lanes := r.claim()
	if len(lanes) != 1 {
		r.tb.Fatalf("lanes = %v, want one", lanes)
	}
	p := r.head(lanes[0])
	r.report(p, webhooks.TryDelivered)
	return p
}

func (r *receiver) setBody(by models.Actor, to webhooks.RelayBody) error {
	r.tb.Helper()
	e, err := r.d.Endpoint(r.tb.Context(), r.Admin, r.e.ID)
	if err != nil {
		r.tb.Fatal(err)
	}
	return r.d.SetRelayBody(r.tb.Context(), by, r.e.ID, e.Version, to)
}

// A new relay gets what is stored, and nothing encrypted waits for it. What came goes
// out only after one person asked and another confirmed, and no longer once the address
// is another one.
func TestTheOriginalIsASecondPersonsChoice(t *testing.T) {
	t.Parallel()
	r := &receiver{Office: modelstest.NewOffice(t), tb: t}
	r.d = r.Deliveries
	r.e = r.endpoint(relayInput)
	masked := func(when string, want bool) {
		t.Helper()
		p := r.relayed()
		modelstest.Wants(t, when+": masked", p.Masked, want)
		modelstest.Wants(t, when+": what came is in it", string(p.Body) == `{"cardNumber":"411111******1111"}`, !want)
	}
	masked("a new relay", true)
	modelstest.Wants(t, "kept bodies", r.count(`SELECT count(*) FROM deliveries WHERE sealed_body IS NOT NULL`), 0)
	if err := r.setBody(r.Admin, webhooks.BodyOriginal); !errors.Is(err, models.ErrStale) {
		t.Errorf("confirming what nobody asked for = %v, want %v", err, models.ErrStale)
	}
	modelstest.Wants(t, "asking", r.setBody(r.Admin, webhooks.BodyOriginalAsked), nil)
	masked("asked for", true)
	var refused *models.Error
	if err := r.setBody(r.Admin, webhooks.BodyOriginal); !errors.As(err, &refused) || refused.Code != "endpoint.secondPerson" {
		t.Errorf("confirming one's own = %v, want endpoint.secondPerson", err)
	}
	masked("confirmed by the one who asked", true)
	modelstest.Wants(t, "confirming", r.setBody(r.second(), webhooks.BodyOriginal), nil)
	masked("confirmed", false)
	entries := r.count(`SELECT count(*) FROM audit_entries WHERE action = 'endpoint.changed' AND actor_name = '` + r.Supervisor.Name + `'
		AND before->>'relayBody' = 'originalAsked' AND after->>'relayBody' = 'original'`)
	modelstest.Wants(t, "entries of the second person", entries, 1)

	e, err := r.d.Endpoint(t.Context(), r.Admin, r.e.ID)
	if err != nil {
		t.Fatal(err)
	}
	in := relayInput
	in.Name, in.URL = "Otro nombre", e.ShownURL
	modelstest.Wants(t, "another name", r.d.ChangeEndpoint(t.Context(), r.Admin, e.ID, e.Version, in), nil)
	masked("with another name", false)
	in.URL = "https://evil.example/"
	modelstest.Wants(t, "another address", r.d.ChangeEndpoint(t.Context(), r.Admin, e.ID, e.Version+1, in), nil)
	masked("at another address", true)
}

// What waits when somebody goes back to masked bodies goes without card data too. One
// person may do that alone, and a change of the endpoint takes back what was asked.
func TestMaskingIsOnePersonsChoice(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	r.post(r.Terminal, `{"cardNumber":"411111******1111"}`)
	modelstest.Wants(t, "masking", r.setBody(r.Admin, webhooks.BodyMasked), nil)
	modelstest.Wants(t, "what waited is masked", r.head(r.claim()[0]).Masked, true)
	modelstest.Wants(t, "asking", r.setBody(r.Admin, webhooks.BodyOriginalAsked), nil)
	e, err := r.d.Endpoint(t.Context(), r.Admin, r.e.ID)
	if err != nil {
		t.Fatal(err)
	}
	in := relayInput
	in.URL = e.ShownURL
	modelstest.Wants(t, "a change", r.d.ChangeEndpoint(t.Context(), r.second(), e.ID, e.Version, in), nil)
	if err := r.setBody(r.Admin, webhooks.BodyOriginal); !errors.Is(err, models.ErrStale) {
		t.Errorf("confirming what a change took back = %v, want %v", err, models.ErrStale)
	}
	supervisor := r.Supervisor
	modelstest.Wants(t, "by a supervisor", errors.Is(r.setBody(supervisor, webhooks.BodyMasked), models.ErrForbidden), true)
}
