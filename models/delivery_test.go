package models_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
)

// receiver is an office with an endpoint, and what is sent to it.
type receiver struct {
	*modelstest.Office
	tb testing.TB
	d  *models.Deliveries
	e  *models.Endpoint
}

func newReceiver(tb testing.TB, in models.EndpointInput) *receiver {
	tb.Helper()
	r := &receiver{Office: modelstest.NewOffice(tb), tb: tb}
	r.d = r.Deliveries
	r.e = r.endpoint(in)
	return r
}

func (r *receiver) endpoint(in models.EndpointInput) *models.Endpoint {
	r.tb.Helper()
	e, _, err := r.d.CreateEndpoint(context.Background(), r.Admin, in)
	if err != nil {
		r.tb.Fatalf("CreateEndpoint(%+v) = %v", in, err)
	}
	return e
}

var relayInput = models.EndpointInput{Kind: models.RelayEndpoint, Name: "Punto de venta", URL: "https://pos.example/veinte?key=hidden"}

func webhookInput(events ...models.EventType) models.EndpointInput {
	return models.EndpointInput{Kind: models.WebhookEndpoint, Name: "ERP", URL: "https://erp.example/hook", Events: events, AllStores: true}
}

// post has a terminal post something with a body of its own.
func (r *receiver) post(t *models.Terminal, raw string) {
	r.tb.Helper()
	p := r.SalePost(t.SerialNumber, 12050)
	p.Raw, p.ContentType = []byte(raw), "application/json;charset=UTF-8"
	r.Post(p)
}

// claim takes everything that is due.
func (r *receiver) claim() []models.Lane {
	r.tb.Helper()
	var lanes []models.Lane
	due, err := r.d.Due(context.Background())
	if err != nil {
		r.tb.Fatal(err)
	}
	for _, id := range due {
		got, err := r.d.Claim(context.Background(), id, 100)
		if err != nil {
			r.tb.Fatal(err)
		}
		lanes = append(lanes, got...)
	}
	slices.SortFunc(lanes, func(a, b models.Lane) int { return strings.Compare(a.Lane, b.Lane) })
	return lanes
}

func (r *receiver) head(l models.Lane) *models.Parcel {
	r.tb.Helper()
	p, err := r.d.Head(context.Background(), l)
	if err != nil {
		r.tb.Fatal(err)
	}
	return p
}

func (r *receiver) report(p *models.Parcel, detail models.DeliveryDetail) bool {
	r.tb.Helper()
	next, err := r.d.Report(context.Background(), p, models.DeliveryAnswer{At: r.Clock.Now(), Detail: detail, HTTPStatus: 500, Excerpt: "no"})
	if err != nil {
		r.tb.Fatal(err)
	}
	return next
}

// drain delivers everything that is due and returns the bodies in order.
func (r *receiver) drain() []string {
	r.tb.Helper()
	var bodies []string
	for _, lane := range r.claim() {
		for p := r.head(lane); p != nil; p = r.head(lane) {
			bodies = append(bodies, string(p.Body))
			if !r.report(p, models.TryDelivered) {
				break
			}
		}
	}
	return bodies
}

func (r *receiver) story(id int64) *models.DeliveryStory {
	r.tb.Helper()
	s, err := r.d.DeliveryStory(context.Background(), r.Admin, id)
	if err != nil {
		r.tb.Fatal(err)
	}
	return s
}

func (r *receiver) count(query string, args ...any) int {
	r.tb.Helper()
	var n int
	if err := r.Owner.QueryRow(query, args...).Scan(&n); err != nil {
		r.tb.Fatalf("%s: %v", query, err)
	}
	return n
}

func wants(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		tb.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestARelayGetsWhatCame(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	other := r.NewTerminal(r.Store)
	r.post(r.Terminal, `{"a":1}`)
	r.post(other, `{"b":1}`)
	r.post(r.Terminal, `{"a":2}`)
	if n := r.count(`SELECT count(*) FROM deliveries WHERE position('"a"'::bytea IN sealed_body) > 0`); n != 0 {
		t.Error("what came can be read in the database")
	}
	lanes := r.claim()
	if len(lanes) != 2 {
		t.Fatalf("lanes = %v, want one for each terminal", lanes)
	}
	if again := r.claim(); len(again) != 0 {
		t.Errorf("lanes that are taken are taken again: %v", again)
	}
	if again, err := r.d.Claim(t.Context(), r.e.ID, 10); len(again) != 0 || err != nil { // by a process that looked before
		t.Errorf("lanes that are taken are taken again: %v, %v", again, err)
	}
	p := r.head(lanes[0])
	wants(t, "body", string(p.Body), `{"a":1}`)
	wants(t, "content type", p.ContentType, "application/json;charset=UTF-8")
	wants(t, "address", p.URL, relayInput.URL)
	wants(t, "secrets", len(p.Secrets), 1)
	wants(t, "masked", p.Masked, false)
	wants(t, "next", r.report(p, models.TryDelivered), true)
	p = r.head(lanes[0])
	wants(t, "second body", string(p.Body), `{"a":2}`)
	wants(t, "next", r.report(p, models.TryDelivered), false)
	wants(t, "kept bodies", r.count(`SELECT count(*) FROM deliveries WHERE sealed_body IS NOT NULL`), 1)
	wants(t, "lanes", r.count(`SELECT count(*) FROM delivery_lanes`), 1)
	if s := r.story(p.ID); s.State != models.DeliveryDone || len(s.TryList) != 1 || s.TryList[0].Detail != models.TryDelivered {
		t.Errorf("the story of the delivery = %+v", s)
	}
}

// What fails holds up its own terminal and no other, until it arrives, is given
// up or is set aside.
func TestOrderIsKeptPerTerminal(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	other := r.NewTerminal(r.Store)
	r.post(r.Terminal, `{"a":1}`)
	r.post(r.Terminal, `{"a":2}`)
	r.post(other, `{"b":1}`)
	lanes := r.claim()
	first := r.head(lanes[0])
	wants(t, "next after a failure", r.report(first, models.TryRefused), false)
	other1 := r.head(lanes[1])
	wants(t, "the other terminal's", string(other1.Body), `{"b":1}`)
	r.report(other1, models.TryRefused)
	wants(t, "lanes due at once", len(r.claim()), 0)
	r.Clock.Advance(3 * time.Second)
	lanes = r.claim()
	wants(t, "lanes due after a while", len(lanes), 2)
	again := r.head(lanes[0])
	wants(t, "tried again", again.ID, first.ID)
	r.report(again, models.TryTimeout)
	r.report(r.head(lanes[1]), models.TryDelivered)
	// Another's success does not hurry it: the endpoint was never away.
	wants(t, "due when another has arrived", len(r.claim()), 0)
	r.Clock.Advance(5 * time.Second)
	wants(t, "due after its wait", r.drain(), []string{`{"a":1}`, `{"a":2}`})
	wants(t, "tries", r.story(first.ID).Tries, 3)
}

func TestADeliveryIsGivenUpAfterThreeDays(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	r.post(r.Terminal, `{"a":1}`)
	r.Clock.Advance(71 * time.Hour)
	r.post(r.Terminal, `{"a":2}`)
	lanes := r.claim()
	p := r.head(lanes[0])
	wants(t, "next before the end", r.report(p, models.TryRefused), false)
	wants(t, "state", r.story(p.ID).State, models.DeliveryWaiting)
	r.Clock.Advance(time.Hour)
	lanes = r.claim()
	wants(t, "the next one is free", r.report(r.head(lanes[0]), models.TryRefused), true)
	s := r.story(p.ID)
	wants(t, "state", s.State, models.DeliveryGivenUp)
	wants(t, "kept", s.Original(), false)
	next := r.head(lanes[0])
	wants(t, "next body", string(next.Body), `{"a":2}`)
	r.report(next, models.TryDelivered)

	n, err := r.d.RedeliverFailed(context.Background(), r.Admin, r.e.ID, r.Clock.Now().Add(-73*time.Hour))
	if err != nil || n != 1 {
		t.Fatalf("RedeliverFailed = %d, %v, want 1", n, err)
	}
	lanes = r.claim()
	p = r.head(lanes[0])
	wants(t, "masked", p.Masked, true)
	wants(t, "body", string(p.Body), `{"n":1}`)
	r.report(p, models.TryDelivered)
	wants(t, "masked try", r.story(p.ID).TryList[0].MaskedBody, true)
	if n, err := r.d.RedeliverFailed(context.Background(), r.Admin, r.e.ID, r.Clock.Now().Add(-73*time.Hour)); n != 0 || err != nil {
		t.Errorf("RedeliverFailed again = %d, %v, want nothing", n, err)
	}
}

func TestSettingAsideFreesTheOthers(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	ctx := context.Background()
	r.post(r.Terminal, `{"a":1}`)
	r.post(r.Terminal, `{"a":2}`)
	lanes := r.claim()
	p := r.head(lanes[0])
	// By hand while it is being sent: what came of it does not bring it back.
	if err := r.d.SetAside(ctx, r.Admin, p.ID); err != nil {
		t.Fatal(err)
	}
	wants(t, "next", r.report(p, models.TryRefused), true)
	wants(t, "state", r.story(p.ID).State, models.DeliverySetAside)
	next := r.head(lanes[0])
	wants(t, "body", string(next.Body), `{"a":2}`)
	wants(t, "behind", r.story(next.ID).Behind, (*int64)(nil))
	r.report(next, models.TryDelivered)
	if err := r.d.SetAside(ctx, r.Admin, next.ID); !errors.Is(err, &models.Error{Kind: models.KindConflict, Code: "delivery.notWaiting"}) {
		t.Errorf("SetAside of what has arrived = %v", err)
	}
	for range 2 { // pressed twice
		if err := r.d.Redeliver(ctx, r.Admin, p.ID); err != nil {
			t.Fatal(err)
		}
	}
	wants(t, "entries", r.count(`SELECT count(*) FROM audit_entries WHERE action = 'delivery.redelivered'`), 1)
	wants(t, "sent again", r.drain(), []string{`{"n":1}`})
}

// A process that died lets go of its lanes; what it had sent is sent again.
func TestALeaseEnds(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	r.post(r.Terminal, `{"a":1}`)
	dead := r.head(r.claim()[0])
	r.Clock.Advance(29 * time.Second)
	wants(t, "lanes before the lease ends", len(r.claim()), 0)
	r.Clock.Advance(time.Second)
	lanes := r.claim()
	wants(t, "lanes after it", len(lanes), 1)
	alive := r.head(lanes[0])
	wants(t, "the same message", alive.Reference(), dead.Reference())
	r.report(alive, models.TryDelivered)
	// It was only slow, and says what came of its own.
	wants(t, "next", r.report(dead, models.TryTimeout), false)
	s := r.story(dead.ID)
	wants(t, "state", s.State, models.DeliveryDone)
	wants(t, "tries", len(s.TryList), 2)
}

// TestForwardedPostsGoNoFurther: a receiver that is a results door, ours or
// another's, does not send a result round for ever.
func TestForwardedPostsGoNoFurther(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	p := r.SalePost(r.Terminal.SerialNumber, 12050)
	p.Raw, p.Forwarded = []byte(`{"it":"came back"}`), true
	r.Post(p)
	if got := r.drain(); len(got) != 0 {
		t.Errorf("what had been forwarded to us was sent on as %q", got)
	}
	r.post(r.Terminal, `{"it":"is new"}`)
	if got := r.drain(); !slices.Equal(got, []string{`{"it":"is new"}`}) {
		t.Errorf("what a terminal posted was sent on as %q, want it once", got)
	}
}
