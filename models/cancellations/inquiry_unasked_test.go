package cancellations_test

import (
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

// "Still charged" resolves a doubt only as the answer to an inquiry: not when there
// was none, and not with an id that was never issued.
func TestStillChargedThatNobodyAskedForSettlesNothing(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, c := o.StateOf(models.Unknown)
	o.Clock.Advance(o.Config.Waits.Quiet)
	says := func(key, fact string, want models.State) {
		t.Helper()
		p := modelstest.InquiryPost(sale, models.StandingCharged)
		p.AttemptKey = key
		if o.Post(p); o.Cancellation(c.ID).State != want {
			t.Errorf("%s the case is %s, want %s", fact, o.Cancellation(c.ID).State, want)
		}
	}
	says("", "when nobody asked", models.Unknown)
	if _, err := o.Cancellations.Inquire(t.Context(), c.ID, 0); err != nil {
		t.Fatalf("Inquire() = %v", err)
	}
	says(models.NewAttemptKey().Hash(), "with a forged id", models.Unknown)
	asked := o.Inquiries.Orders()
	if len(asked) != 1 {
		t.Fatalf("%d inquiries were sent, want 1", len(asked))
	}
	says(asked[0].Key.Hash(), "with the question's id", models.NotCanceled)
	o.CheckInvariants(t)
}
