package webhooks_test

import (
	"context"
	"testing"
	"time"

	"veinte/models/modelstest"
	"veinte/models/webhooks"
)

// However many deliveries wait for an endpoint, retiring it waits for none of them
// and blocks nobody. The sweep ends them.
func TestRetiringHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	const many = 6000 // more than a batch of the sweep
	modelstest.Exec(t, r.Owner, `INSERT INTO deliveries (endpoint_id, lane, event, serial_number, order_id,
			sealed_body, content_type, created_at, queued_at)
		SELECT 1, 'terminal ' || n, 'result.sale', n, '', 'x', 'text/plain', now(), now() FROM generate_series(1, $1) n`, many)
	modelstest.Exec(t, r.Owner, `INSERT INTO delivery_lanes (endpoint_id, lane, due_at) SELECT endpoint_id, lane, now() FROM deliveries`)
	busy, err := r.Owner.Begin() // a terminal is posting
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Rollback() //nolint:errcheck // it only held a lock
	if _, err := busy.Exec(`SELECT FROM delivery_lanes WHERE lane = 'terminal 17' FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	if err := r.d.RetireEndpoint(ctx, r.Admin, r.e.ID, 1); err != nil {
		t.Fatalf("RetireEndpoint = %v", err)
	}
	if err := busy.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := r.d.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	givenUp := r.count(`SELECT count(*) FROM deliveries WHERE state = 'givenUp' AND detail = 'retired' AND sealed_body IS NULL`)
	modelstest.Wants(t, "given up", givenUp, many)
	modelstest.Wants(t, "lanes", r.count(`SELECT count(*) FROM delivery_lanes`), 0)
}

// ResumeEndpoint holds no lock of the endpoint while it waits for a lane, because
// whoever delivers from that lane waits for the endpoint.
func TestResumingCannotDeadlock(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r.post(r.Terminal, `{}`)
	r.report(r.head(r.claim()[0]), webhooks.TryTimeout)
	if err := r.d.PauseEndpoint(ctx, r.Admin, r.e.ID, 1); err != nil {
		t.Fatal(err)
	}
	busy, err := r.Owner.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Rollback() //nolint:errcheck // it only held a lock
	if _, err := busy.Exec(`SELECT FROM delivery_lanes FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	resumed := make(chan error, 1)
	go func() { resumed <- r.d.ResumeEndpoint(ctx, r.Admin, r.e.ID, 2) }()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for r.count(`SELECT count(*) FROM endpoints WHERE state = 'active'`) == 0 {
		select {
		case <-ctx.Done():
			t.Fatal("the endpoint is not resumed while a lane of it is taken")
		case <-tick.C:
		}
	}
	if _, err := busy.Exec(`UPDATE endpoints SET failing_since = NULL`); err != nil {
		t.Fatal(err)
	}
	if err := busy.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-resumed; err != nil {
		t.Fatal(err)
	}
	modelstest.Wants(t, "due once it is resumed", len(r.claim()), 1)
}
