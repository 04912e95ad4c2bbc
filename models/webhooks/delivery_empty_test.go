package webhooks_test

import (
	"context"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/webhooks"
)

// Of some posts nothing is stored that could be sent. No receiver gets an empty
// message for them, and they delay no other delivery.
func TestNothingIsSentEmpty(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	ctx := context.Background()
	empty := models.Post{Kind: models.ResultUnreadable, SerialNumber: string(r.Terminal.SerialNumber)} // compressed, or too long
	r.Post(empty)
	modelstest.Wants(t, "waiting", r.count(`SELECT count(*) FROM deliveries WHERE state = 'waiting'`), 0)
	modelstest.Wants(t, "lanes", r.count(`SELECT count(*) FROM delivery_lanes`), 0)
	modelstest.Wants(t, "why", r.deliveryHistory(1).Detail, webhooks.OverEmpty)
	err := r.d.Redeliver(ctx, r.Admin, 1)
	if !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "delivery.nothingKept"}) {
		t.Errorf("Redeliver of what is not kept = %v", err)
	}
	n, err := r.d.RedeliverFailed(ctx, r.Admin, r.e.ID, r.Clock.Now().Add(-1))
	if n != 0 || err != nil {
		t.Errorf("RedeliverFailed of what is not kept = %d, %v", n, err)
	}

	// A readable result is stored, and the stored form is sent when the original
	// cannot be.
	stored := r.SalePost(r.Terminal.SerialNumber, 12050)
	stored.Body = `{"stored":1}`
	r.Post(stored)
	modelstest.Wants(t, "sent", r.drain(), []string{`{"stored":1}`})

	// A delivery that was queued before and has no content left.
	r.post(r.Terminal, `{"first":1}`)
	r.post(r.Terminal, `{"next":1}`)
	modelstest.Exec(t, r.Owner, `UPDATE deliveries SET sealed_body = NULL, result_id = 1 WHERE id = 3`)
	modelstest.Wants(t, "sent", r.drain(), []string{`{"next":1}`})
	modelstest.Wants(t, "state of what has nothing left", r.deliveryHistory(3).State, webhooks.SetAside)
}
