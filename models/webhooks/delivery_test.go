package webhooks_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/secretbox"
	"veinte/models/webhooks"
)

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
	if again, err := r.d.Claim(t.Context(), r.e.ID, 10); len(again) != 0 || err != nil { // by a process that read the due endpoints before
		t.Errorf("lanes that are taken are taken again: %v, %v", again, err)
	}
	p := r.head(lanes[0])
	modelstest.Wants(t, "body", string(p.Body), `{"a":1}`)
	modelstest.Wants(t, "content type", p.ContentType, "application/json;charset=UTF-8")
	modelstest.Wants(t, "address", p.URL, relayInput.URL)
	modelstest.Wants(t, "secrets", len(p.Secrets), 1)
	modelstest.Wants(t, "masked", p.Masked, false)
	modelstest.Wants(t, "next", r.report(p, webhooks.TryDelivered), true)
	p = r.head(lanes[0])
	modelstest.Wants(t, "second body", string(p.Body), `{"a":2}`)
	modelstest.Wants(t, "next", r.report(p, webhooks.TryDelivered), false)
	modelstest.Wants(t, "kept bodies", r.count(`SELECT count(*) FROM deliveries WHERE sealed_body IS NOT NULL`), 1)
	modelstest.Wants(t, "lanes", r.count(`SELECT count(*) FROM delivery_lanes`), 1)
	if s := r.deliveryHistory(p.ID); s.State != webhooks.Delivered || len(s.TryList) != 1 || s.TryList[0].Detail != webhooks.TryDelivered {
		t.Errorf("the story of the delivery = %+v", s)
	}
}

// A failing delivery delays its own terminal and no other, until it arrives, is
// abandoned or is set aside.
func TestOrderIsKeptPerTerminal(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	other := r.NewTerminal(r.Store)
	r.post(r.Terminal, `{"a":1}`)
	r.post(r.Terminal, `{"a":2}`)
	r.post(other, `{"b":1}`)
	lanes := r.claim()
	first := r.head(lanes[0])
	modelstest.Wants(t, "next after a failure", r.report(first, webhooks.TryRefused), false)
	other1 := r.head(lanes[1])
	modelstest.Wants(t, "the other terminal's", string(other1.Body), `{"b":1}`)
	r.report(other1, webhooks.TryRefused)
	modelstest.Wants(t, "lanes due at once", len(r.claim()), 0)
	r.Clock.Advance(3 * time.Second)
	lanes = r.claim()
	modelstest.Wants(t, "lanes due after a while", len(lanes), 2)
	again := r.head(lanes[0])
	modelstest.Wants(t, "tried again", again.ID, first.ID)
	r.report(again, webhooks.TryTimeout)
	r.report(r.head(lanes[1]), webhooks.TryDelivered)
	// Another lane's success does not make it due earlier: the endpoint had no
	// outage.
	modelstest.Wants(t, "due when another has arrived", len(r.claim()), 0)
	r.Clock.Advance(5 * time.Second)
	modelstest.Wants(t, "due after its wait", r.drain(), []string{`{"a":1}`, `{"a":2}`})
	modelstest.Wants(t, "tries", r.deliveryHistory(first.ID).Tries, 3)
}

func TestADeliveryIsGivenUpAfterThreeDays(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	r.post(r.Terminal, `{"a":1}`)
	r.Clock.Advance(71 * time.Hour)
	r.post(r.Terminal, `{"a":2}`)
	lanes := r.claim()
	p := r.head(lanes[0])
	modelstest.Wants(t, "next before the end", r.report(p, webhooks.TryRefused), false)
	modelstest.Wants(t, "state", r.deliveryHistory(p.ID).State, webhooks.Waiting)
	r.Clock.Advance(time.Hour)
	lanes = r.claim()
	modelstest.Wants(t, "the next one is free", r.report(r.head(lanes[0]), webhooks.TryRefused), true)
	s := r.deliveryHistory(p.ID)
	modelstest.Wants(t, "state", s.State, webhooks.GivenUp)
	modelstest.Wants(t, "kept", s.Original(), false)
	next := r.head(lanes[0])
	modelstest.Wants(t, "next body", string(next.Body), `{"a":2}`)
	r.report(next, webhooks.TryDelivered)

	n, err := r.d.RedeliverFailed(context.Background(), r.Admin, r.e.ID, r.Clock.Now().Add(-73*time.Hour))
	if err != nil || n != 1 {
		t.Fatalf("RedeliverFailed = %d, %v, want 1", n, err)
	}
	lanes = r.claim()
	p = r.head(lanes[0])
	modelstest.Wants(t, "masked", p.Masked, true)
	modelstest.Wants(t, "body", string(p.Body), `{"n":1}`)
	r.report(p, webhooks.TryDelivered)
	modelstest.Wants(t, "masked try", r.deliveryHistory(p.ID).TryList[0].MaskedBody, true)
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
	// Set aside by a user while it is being sent: the outcome does not change
	// that.
	if err := r.d.SetAside(ctx, r.Admin, p.ID); err != nil {
		t.Fatal(err)
	}
	modelstest.Wants(t, "next", r.report(p, webhooks.TryRefused), true)
	modelstest.Wants(t, "state", r.deliveryHistory(p.ID).State, webhooks.SetAside)
	next := r.head(lanes[0])
	modelstest.Wants(t, "body", string(next.Body), `{"a":2}`)
	modelstest.Wants(t, "behind", r.deliveryHistory(next.ID).Behind, (*int64)(nil))
	r.report(next, webhooks.TryDelivered)
	if err := r.d.SetAside(ctx, r.Admin, next.ID); !errors.Is(err, &models.Error{Kind: models.KindConflict, Code: "delivery.notWaiting"}) {
		t.Errorf("SetAside of what has arrived = %v", err)
	}
	for range 2 { // clicked twice
		if err := r.d.Redeliver(ctx, r.Admin, p.ID); err != nil {
			t.Fatal(err)
		}
	}
	modelstest.Wants(t, "entries", r.count(`SELECT count(*) FROM audit_entries WHERE action = 'delivery.redelivered'`), 1)
	modelstest.Wants(t, "sent again", r.drain(), []string{`{"n":1}`})
}

// The lanes of a process that died are released; what it had sent is sent again.
func TestALeaseEnds(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	r.post(r.Terminal, `{"a":1}`)
	dead := r.head(r.claim()[0])
	r.Clock.Advance(29 * time.Second)
	modelstest.Wants(t, "lanes before the lease ends", len(r.claim()), 0)
	r.Clock.Advance(time.Second)
	lanes := r.claim()
	modelstest.Wants(t, "lanes after it", len(lanes), 1)
	alive := r.head(lanes[0])
	modelstest.Wants(t, "the same message", alive.Reference(), dead.Reference())
	r.report(alive, webhooks.TryDelivered)
	// It was only slow, and reports the outcome of its delivery.
	modelstest.Wants(t, "next", r.report(dead, webhooks.TryTimeout), false)
	s := r.deliveryHistory(dead.ID)
	modelstest.Wants(t, "state", s.State, webhooks.Delivered)
	modelstest.Wants(t, "tries", len(s.TryList), 2)
}

// A process whose lease has ended reports the outcome of its delivery. What happens
// to the lane is decided by the process that has taken it since.
func TestALostLeaseLeavesTheLaneAlone(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	ctx := context.Background()
	r.post(r.Terminal, `{"a":1}`)
	r.post(r.Terminal, `{"a":2}`)
	slowLane := r.claim()[0]
	slow := r.head(slowLane)
	r.Clock.Advance(31 * time.Second)
	lane := r.claim()[0]
	owner := r.head(lane)
	untouched := func(what string) {
		t.Helper()
		held := r.count(`SELECT count(*) FROM delivery_lanes WHERE lease = $1 AND leased_until > $2 AND failures = 0`,
			lane.Lease, r.Clock.Now())
		modelstest.Wants(t, "lanes of the owner after "+what, held, 1)
	}
	modelstest.Wants(t, "next", r.report(slow, webhooks.TryRefused), false)
	untouched("a failure")
	if err := r.d.Release(ctx, slowLane); err != nil {
		t.Fatal(err)
	}
	untouched("a release")
	if p := r.head(slowLane); p != nil {
		t.Errorf("a lane of another's is delivered from: %+v", p.ID)
	}
	untouched("another look")
	modelstest.Wants(t, "next", r.report(slow, webhooks.TryDelivered), false) // it arrived after all
	untouched("a success")
	modelstest.Wants(t, "state", r.deliveryHistory(slow.ID).State, webhooks.Delivered)
	modelstest.Wants(t, "the owner goes on", r.report(owner, webhooks.TryDelivered), true)
	modelstest.Wants(t, "next body", string(r.head(lane).Body), `{"a":2}`)

	// After three days too, only the holder of the lane abandons the delivery.
	r.Clock.Advance(73 * time.Hour)
	late := r.head(lane)
	lane = r.claim()[0]
	modelstest.Wants(t, "next", r.report(late, webhooks.TryRefused), false)
	modelstest.Wants(t, "state", r.deliveryHistory(late.ID).State, webhooks.Waiting)
	modelstest.Wants(t, "the owner gives up", r.report(r.head(lane), webhooks.TryRefused), false)
	modelstest.Wants(t, "state", r.deliveryHistory(late.ID).State, webhooks.GivenUp)
}

// TestForwardedPostsGoNoFurther: when a receiver is a results endpoint, ours or
// another's, a result is not forwarded in a circle. Saying that it was forwarded hides
// no result from the receivers.
func TestForwardedPostsGoNoFurther(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	send := func(p models.Post, raw string, ours, says bool) []string {
		p.Raw, p.Forwarded, p.SaysForwarded = []byte(raw), ours, says
		r.Post(p)
		return r.drain()
	}
	if got := send(r.SalePost(r.Terminal.SerialNumber, 12050), `{"it":"came back"}`, true, false); len(got) != 0 {
		t.Errorf("what we had forwarded was sent on as %q", got)
	}
	r.post(r.Terminal, `{"it":"is new"}`)
	if got := r.drain(); !slices.Equal(got, []string{`{"it":"is new"}`}) {
		t.Errorf("what a terminal posted was sent on as %q, want it once", got)
	}

	forged := r.SalePost(r.Terminal.SerialNumber, 100)
	if got := send(forged, `{"it":"hides"}`, false, true); !slices.Equal(got, []string{`{"it":"hides"}`}) {
		t.Errorf("a post that says it was forwarded was sent on as %q, want it once", got)
	}
	if got := send(forged, `{"it":"hides"}`, false, true); len(got) != 0 {
		t.Errorf("when it came back it was sent on as %q: a circle", got)
	}
	// What came at another terminal's address was not forwarded, so it is no repeat.
	elsewhere, other := r.SalePost(r.Terminal.SerialNumber, 200), r.NewTerminal(r.Store)
	elsewhere.AddressSerial = string(other.SerialNumber)
	send(elsewhere, `{"it":"names another"}`, false, false)
	elsewhere.AddressSerial = ""
	if got := send(elsewhere, `{"it":"is forwarded"}`, false, true); !slices.Equal(got, []string{`{"it":"is forwarded"}`}) {
		t.Errorf("what had come at another's address is sent on as %q, want it once", got)
	}
}

// TestSignedIsOurs: a message is ours when an endpoint's secret signed it, a moment ago.
func TestSignedIsOurs(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	body, id := []byte(`{"orderId":"1"}`), "msg_5f0c7f6e7c1b4f5e9a550d7f4f0e9a11"
	in := webhooks.Input{Kind: webhooks.RelayEndpoint, Name: "Otro", URL: "https://a.example/"}
	e, first, err := r.d.CreateEndpoint(t.Context(), r.Admin, in)
	r.must(err)
	sign := func(s secretbox.Secret, at time.Time) (timestamp, signature string) {
		signature, err := webhooks.Sign([]secretbox.Secret{s}, id, at, body)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatInt(at.Unix(), 10), signature
	}
	is := func(fact string, want bool, id, timestamp, signature string, body []byte) {
		t.Helper()
		if got, err := r.d.Signed(t.Context(), id, timestamp, signature, body); got != want || err != nil {
			t.Errorf("%s: Signed() = %t, %v, want %t", fact, got, err, want)
		}
	}
	now := r.Clock.Now()
	at, good := sign(first, now)
	is("ours", true, id, at, good, body)
	is("beside another signature", true, id, at, "v1,AAAA "+good, body)
	is("of another body", false, id, at, good, append(body, ' '))
	is("of another id", false, id+"0", at, good, body)
	is("of another version", false, id, at, "v2"+strings.TrimPrefix(good, "v1"), body)
	is("cut", false, id, at, good[:len(good)-1], body)
	is("no signature", false, id, at, "", body)
	is("no id", false, "", at, good, body)
	is("no time", false, id, "now", good, body)
	for _, tt := range []struct {
		ago  time.Duration
		want bool
	}{{5 * time.Minute, true}, {5*time.Minute + time.Second, false}, {-5 * time.Minute, true}, {-5*time.Minute - time.Second, false}} {
		timestamp, signature := sign(first, now.Truncate(time.Second).Add(-tt.ago))
		r.Clock.Set(now.Truncate(time.Second))
		is(fmt.Sprintf("%s ago", tt.ago), tt.want, id, timestamp, signature, body)
	}
	timestamp, stranger := sign(secretbox.NewSecret(), now)
	is("a stranger's", false, id, timestamp, stranger, body)
	is("an empty key's", false, id, timestamp, func() string { _, s := sign(secretbox.SecretOf("whsec_"), now); return s }(), body)

	second, err := r.d.RotateSecret(t.Context(), r.Admin, e.ID, e.Version)
	r.must(err)
	at, good = sign(first, r.Clock.Now())
	is("with the secret before the newest", true, id, at, good, body)
	r.Clock.Advance(24*time.Hour + time.Second)
	at, good = sign(first, r.Clock.Now())
	is("with that secret a day later", false, id, at, good, body)
	at, good = sign(second, r.Clock.Now())
	is("with the newest", true, id, at, good, body)
	r.must(r.d.PauseEndpoint(t.Context(), r.Admin, e.ID, e.Version+1))
	is("of a paused endpoint", true, id, at, good, body)
	r.must(r.d.RetireEndpoint(t.Context(), r.Admin, e.ID, e.Version+2))
	is("of an endpoint out of use", false, id, at, good, body)

	unkeyed := webhooks.New(webhooks.Config{DB: r.DB, Clock: r.Clock})
	if got, err := unkeyed.Signed(t.Context(), id, at, good, body); got || err != nil {
		t.Errorf("without RELAY_KEY Signed() = %t, %v", got, err)
	}
}
