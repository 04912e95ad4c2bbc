package cancellations_test

import (
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/rules"
)

// shorten sets the quiet period to 30 s from now on; it was 180 s.
func shorten(o *modelstest.Office) {
	o.ChangeRules(func(in *rules.Input) { in.Quiet = "30" })
}

// A push stays on a screen as long as it could when it was sent, whatever the rules
// are now: nothing is sent to the terminal meanwhile.
func TestAShorterQuietTimeFreesNoTerminal(t *testing.T) {
	t.Parallel()
	for _, state := range []models.State{models.Unknown, models.NotCanceled} {
		o := modelstest.NewOffice(t)
		o.StateOf(state)
		shorten(o)
		next := o.Request(o.Sale(700))
		o.Clock.Advance(60 * time.Second)
		if got := o.Dispatch(next.ID); got != 120*time.Second {
			t.Errorf("Dispatch() 60 s after the push of a case that is %s waits %s, want 2m0s", state, got)
		}
		o.Clock.Advance(120 * time.Second)
		if got := o.Dispatch(next.ID); got != 0 {
			t.Errorf("Dispatch() after the quiet time of a case that is %s waits %s, want 0", state, got)
		}
		o.CheckInvariants(t)
	}
}

// A longer quiet period applies to a push that is on a screen too.
func TestALongerQuietTimeHoldsAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.StateOf(models.Unknown)
	o.ChangeRules(func(in *rules.Input) { in.Quiet = "300" })
	next := o.Request(o.Sale(700))
	o.Clock.Advance(180 * time.Second)
	if got := o.Dispatch(next.ID); got != 120*time.Second {
		t.Errorf("Dispatch() 180 s after the push waits %s, want 2m0s", got)
	}
}

// The quiet period is shortened during the call: the one at its beginning applies.
func TestAQuietTimeThatIsShortenedDuringTheCall(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	c := o.Request(o.Sale(125000))
	o.API.Then(modelstest.TimedOut)
	o.API.Arrived = func(models.Order) {
		shorten(o)
		o.Clock.Advance(20 * time.Second)
	}
	o.Dispatch(c.ID)
	o.API.Arrived = nil
	next := o.Request(o.Sale(700))
	if got := o.Dispatch(next.ID); got != 180*time.Second {
		t.Errorf("Dispatch() right after the call waits %s, want 3m0s", got)
	}
}

func TestAShorterQuietTimeMakesNoInquirySettle(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, c := o.StateOf(models.Unknown)
	shorten(o)
	for _, tt := range []struct {
		after time.Duration
		want  outcome
	}{
		{60 * time.Second, outcome{models.ResultIgnored, "tooEarly", models.Unknown, ""}},
		{120 * time.Second, outcome{models.ResultApplied, "notCanceled", models.NotCanceled, ""}},
	} {
		o.Clock.Advance(tt.after)
		if _, err := o.Cancellations.Inquire(t.Context(), c.ID, 0); err != nil {
			t.Fatalf("Inquire() = %v", err)
		}
		asked := o.Inquiries.Orders()
		p := modelstest.InquiryPost(sale, models.StandingCharged)
		p.AttemptKey = asked[len(asked)-1].Key.Hash()
		modelstest.Equal(t, "outcome", outcomeOf(o, o.Post(p), c.ID), tt.want)
	}
	o.CheckInvariants(t)
}
