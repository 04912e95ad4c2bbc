package webhooks_test

import (
	"context"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/webhooks"
)

// One terminal's delivery is refused while others arrive: it is tried less and less
// often, and the page shows that it is stuck.
func TestARefusedLaneKeepsItsPace(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	other := r.NewTerminal(r.Store)
	r.post(r.Terminal, `{"bad":1}`)
	r.post(r.Terminal, `{"bad":2}`)
	tries := 0
	turn := func() {
		for _, lane := range r.claim() {
			for p := r.head(lane); p != nil; p = r.head(lane) {
				detail := webhooks.TryDelivered
				if p.SerialNumber == string(r.Terminal.SerialNumber) {
					detail, tries = webhooks.TryRefused, tries+1
				}
				if !r.report(p, detail) {
					break
				}
			}
		}
	}
	for range 40 { // 20 seconds
		r.post(other, `{"good":1}`)
		turn()
		r.Clock.Advance(500 * time.Millisecond)
	}
	if tries < 3 || tries > 5 { // at 0, 2, 6 and 14 s, give or take
		t.Errorf("the refused one was tried %d times in 20 s", tries)
	}
	modelstest.Wants(t, "stuck after seconds", len(r.stuck()), 0)
	for range 11 {
		r.Clock.Advance(time.Minute)
		r.post(other, `{"good":1}`)
		turn()
	}
	stuck := r.stuck()
	if len(stuck) != 1 || stuck[0].Waiting != 2 || stuck[0].Total != 1 ||
		stuck[0].SerialNumber != string(r.Terminal.SerialNumber) || stuck[0].Detail != webhooks.TryRefused {
		t.Fatalf("stuck = %+v", stuck)
	}
	if err := r.d.SetAside(context.Background(), r.Admin, stuck[0].ID); err != nil {
		t.Fatal(err)
	}
	modelstest.Wants(t, "stuck once it is set aside", len(r.stuck()), 0)
	if _, err := r.d.Stuck(context.Background(), r.Manager, r.e.ID); !modelstest.IsError(err, models.ErrForbidden) {
		t.Errorf("a manager asks what is stuck: %v", err)
	}
}

func (r *receiver) stuck() []webhooks.StuckLane {
	r.tb.Helper()
	lanes, err := r.d.Stuck(context.Background(), r.Admin, r.e.ID)
	if err != nil {
		r.tb.Fatal(err)
	}
	return lanes
}

// After an outage everything is due as soon as one delivery arrives, except for a
// delay that the receiver requested.
func TestRetryAfterOutlastsAnOutage(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	other, spared := r.NewTerminal(r.Store), r.NewTerminal(r.Store)
	for _, terminal := range []*models.Terminal{r.Terminal, other, spared} {
		r.post(terminal, `{}`)
	}
	fail := func() {
		for _, lane := range r.claim() {
			p, a := r.head(lane), webhooks.Response{At: r.Clock.Now(), Detail: webhooks.TryTimeout}
			if p.SerialNumber == string(spared.SerialNumber) {
				a.Detail, a.HTTPStatus, a.RetryAfter = webhooks.TryRefused, 429, 25*time.Minute
			}
			if _, err := r.d.Report(context.Background(), p, a); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 9 { // the wait is then above four minutes
		fail()
		r.Clock.Advance(10 * time.Second)
		modelstest.Exec(t, r.Owner, `UPDATE delivery_lanes SET due_at = '2000-01-01' WHERE not_before IS NULL`)
	}
	fail()
	modelstest.Wants(t, "due in the outage", len(r.claim()), 0)
	fresh := r.NewTerminal(r.Store)
	r.post(fresh, `{"new":1}`)
	r.report(r.head(r.claim()[0]), webhooks.TryDelivered)
	lanes := r.claim()
	modelstest.Wants(t, "due once one has arrived", len(lanes), 2)
	for _, lane := range lanes {
		r.report(r.head(lane), webhooks.TryDelivered)
	}
	r.Clock.Advance(22 * time.Minute)
	modelstest.Wants(t, "spared", len(r.claim()), 0)
	r.Clock.Advance(3 * time.Minute)
	modelstest.Wants(t, "due after the rest", len(r.claim()), 1)
}
