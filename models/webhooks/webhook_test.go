package webhooks_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/webhooks"
)

// told returns the events that wait, oldest first.
func (r *receiver) received() (types []webhooks.EventType, bodies []string) {
	r.tb.Helper()
	rows, err := r.Owner.Query(`SELECT event, payload FROM deliveries WHERE cancellation_id IS NOT NULL ORDER BY id`)
	if err != nil {
		r.tb.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var e webhooks.EventType
		var body string
		if err := rows.Scan(&e, &body); err != nil {
			r.tb.Fatal(err)
		}
		types, bodies = append(types, e), append(bodies, body)
	}
	return types, bodies
}

// Each committed change of a cancellation is published once, in order, with its
// data.
func TestMovesAreTold(t *testing.T) {
	t.Parallel()
	for state, want := range map[models.State][]webhooks.EventType{
		models.Accepted:    {webhooks.EventRequested, webhooks.EventSending, webhooks.EventAccepted},
		models.Rejected:    {webhooks.EventRequested, webhooks.EventSending, webhooks.EventRejected},
		models.Unknown:     {webhooks.EventRequested, webhooks.EventSending, webhooks.EventUnknown},
		models.Withdrawn:   {webhooks.EventRequested, webhooks.EventWithdrawn},
		models.Expired:     {webhooks.EventRequested, webhooks.EventExpired},
		models.NotCanceled: {webhooks.EventRequested, webhooks.EventSending, webhooks.EventUnknown, webhooks.EventNotCanceled},
	} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t, webhookInput(webhooks.WebhookEvents...))
			r.StateOf(state)
			got, bodies := r.received()
			if !slices.Equal(got, want) {
				t.Fatalf("told %v, want %v", got, want)
			}
			for i, body := range bodies {
				checkEvent(t, body, want[i], i+1)
			}
			r.CheckInvariants(t)
		})
	}
}

func checkEvent(t *testing.T, body string, want webhooks.EventType, sequence int) {
	t.Helper()
	var e struct {
		Type, Timestamp string
		Data            map[string]any
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil || e.Type != string(want) ||
		e.Data["sequence"] != float64(sequence) || e.Data["currency"] != "MXN" {
		t.Errorf("event %d = %s (%v)", sequence, body, err)
	}
	if _, err := time.Parse(time.RFC3339, e.Timestamp); err != nil {
		t.Errorf("timestamp of %s: %v", body, err)
	}
	if n := len(e.Data); n != 12 || strings.Contains(strings.ToLower(body), "attempt") {
		t.Errorf("event with %d facts: %s", n, body)
	}
}

// Somebody canceled on the terminal itself: that is published too, and that it
// contradicts.
func TestContradictionsAreTold(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, webhookInput(webhooks.WebhookEvents...))
	sale := r.Sale(12050)
	r.CancelByHand(sale)
	types, bodies := r.received()
	want := []webhooks.EventType{webhooks.EventConfirmed, webhooks.EventConflict}
	if !slices.Equal(types, want) || !strings.Contains(bodies[1], `"conflict":"withoutCase"`) ||
		!strings.Contains(bodies[0], `"amount":"120.50"`) {
		t.Errorf("told %v: %v", types, bodies)
	}
}

// An endpoint receives the events that it subscribes to, of its stores.
func TestWebhookFilter(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, webhookInput(webhooks.EventConfirmed))
	there := modelstest.Store(t, r.DB, r.Clock.Now(), "ALLA")
	in := webhookInput(webhooks.EventRequested)
	in.Name, in.AllStores, in.StoreIDs = "Allá", false, []int64{there.ID}
	r.endpoint(in)
	r.StateOf(models.Confirmed)
	if got, _ := r.received(); !slices.Equal(got, []webhooks.EventType{webhooks.EventConfirmed}) {
		t.Errorf("told %v, want confirmed alone", got)
	}
	r.post(r.Terminal, `{}`)
	modelstest.Wants(t, "results to webhooks", r.count(`SELECT count(*) FROM deliveries WHERE result_id IS NOT NULL`), 0)
}

// What was rolled back is not published.
func TestARefusedRequestTellsNothing(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, webhookInput(webhooks.WebhookEvents...))
	sale := r.Sale(100)
	r.Clock.Advance(12 * time.Hour)
	late := cancellations.CancelRequest{SaleID: sale.ID, Reason: "chargedTwice", Click: "1"}
	if _, err := r.Cancellations.Request(context.Background(), r.Manager, late); !modelstest.IsError(err, models.ErrTooLate) {
		t.Fatalf("Request = %v", err)
	}
	if got, _ := r.received(); len(got) > 0 {
		t.Errorf("told %v, want nothing", got)
	}
}

// A month after its end a delivery is deleted. What waits for a disabled endpoint is
// abandoned after three days, and can be sent again.
func TestSweep(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	ctx := context.Background()
	r.post(r.Terminal, `{"a":1}`)
	r.drain()
	r.post(r.Terminal, `{"a":2}`)
	if err := r.d.PauseEndpoint(ctx, r.Admin, r.e.ID, 1); err != nil {
		t.Fatal(err)
	}
	sweep := func(after time.Duration) {
		t.Helper()
		r.Clock.Advance(after)
		if err := r.d.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
	}
	sweep(72 * time.Hour)
	kept := r.count(`SELECT count(*) FROM deliveries WHERE state = 'waiting' AND sealed_body IS NOT NULL`)
	modelstest.Wants(t, "waiting before the end", kept, 1)
	sweep(time.Second)
	givenUp := r.count(`SELECT count(*) FROM deliveries WHERE state = 'givenUp' AND detail = 'endpointOff' AND sealed_body IS NULL`)
	modelstest.Wants(t, "given up", givenUp, 1)
	if err := r.d.ResumeEndpoint(ctx, r.Admin, r.e.ID, 2); err != nil {
		t.Fatal(err)
	}
	modelstest.Wants(t, "due", r.drain(), []string(nil))
	modelstest.Wants(t, "lanes", r.count(`SELECT count(*) FROM delivery_lanes`), 0)
	if n, err := r.d.RedeliverFailed(ctx, r.Admin, r.e.ID, r.Clock.Now().Add(-96*time.Hour)); n != 1 || err != nil {
		t.Errorf("RedeliverFailed = %d, %v", n, err)
	}
	modelstest.Exec(t, r.Owner, `DELETE FROM delivery_lanes`) // as after restoring a backup
	sweep(0)
	modelstest.Wants(t, "sent again", len(r.drain()), 1)
	sweep(27 * 24 * time.Hour)
	modelstest.Wants(t, "kept for a month", r.count(`SELECT count(*) FROM deliveries`), 1)
	sweep(3*24*time.Hour + time.Second)
	left := r.count(`SELECT count(*) FROM deliveries`) + r.count(`SELECT count(*) FROM delivery_tries`)
	modelstest.Wants(t, "deliveries and tries after a month", left, 0)
	for fact, since := range map[string]time.Time{
		"not yet":      r.Clock.Now().Add(time.Minute),
		"too long ago": r.Clock.Now().Add(-32 * 24 * time.Hour),
	} {
		_, err := r.d.RedeliverFailed(ctx, r.Admin, r.e.ID, since)
		if !modelstest.IsError(err, models.Invalid("since", "delivery.sinceInvalid")) {
			t.Errorf("since %s = %v", fact, err)
		}
	}
}
