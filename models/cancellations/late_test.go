package cancellations_test

import (
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/notices"
	"veinte/models/review"
)

// interrupted has others find the attempt without an outcome after its deadline.
func interrupted(t *testing.T, o *modelstest.Office, c *models.Cancellation) {
	t.Helper()
	o.Clock.Advance(o.Config.Waits.Answer + 10*time.Second)
	modelstest.Sweep(t, o)
	if got := o.Cancellation(c.ID).State; got != models.Unknown {
		t.Fatalf("an attempt without an outcome is %s 10 s after its deadline, want unknown", got)
	}
}

// answeredCharged has the terminal asked after the quiet time, and answer that the sale
// is still charged.
func answeredCharged(t *testing.T, o *modelstest.Office, sale *models.Sale, c *models.Cancellation) {
	t.Helper()
	interrupted(t, o, c)
	o.Clock.Advance(o.Config.Waits.Quiet)
	charged(t, o, sale, c)
}

// charged has the terminal asked, and answer that the sale is still charged.
func charged(t *testing.T, o *modelstest.Office, sale *models.Sale, c *models.Cancellation) models.Result {
	t.Helper()
	before := len(o.Inquiries.Orders())
	if _, err := o.Cancellations.Inquire(t.Context(), c.ID, 0); err != nil {
		t.Fatalf("Inquire() = %v", err)
	}
	asked := o.Inquiries.Orders()[before:]
	if len(asked) != 1 {
		t.Fatalf("%d inquiries were sent, want 1", len(asked))
	}
	p := modelstest.InquiryPost(sale, models.StandingCharged)
	p.AttemptKey = asked[0].Key.Hash()
	return o.Post(p)
}

// during is what others do while a process is frozen.
type during = func(*testing.T, *modelstest.Office, *models.Sale, *models.Cancellation)

// waitsFor lists what waits for a supervisor about a cancellation, as kind:why.
func waitsFor(t *testing.T, o *modelstest.Office, c *models.Cancellation) (about []string) {
	t.Helper()
	seen, page := modelstest.Inbox(t, o, o.Supervisor, "")
	for i, item := range page.Items {
		if item.Cancellation != nil && item.Cancellation.ID == c.ID {
			about = append(about, seen[i])
		}
	}
	return about
}

// TestBytesThatLeftLate has the process frozen in the middle of sending, while others go
// on, and answered when it wakes up.
func TestBytesThatLeftLate(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	inDoubt := func(t *testing.T, o *modelstest.Office, _ *models.Sale, c *models.Cancellation) { interrupted(t, o, c) }
	declinedMeanwhile := func(t *testing.T, o *modelstest.Office, sale *models.Sale, c *models.Cancellation) {
		interrupted(t, o, c)
		p := modelstest.CancelPost(sale, modelstest.CurrentKey(o, c))
		declined(&p)
		o.Post(p)
	}
	resolved := func(to models.State) during {
		return func(t *testing.T, o *modelstest.Office, _ *models.Sale, c *models.Cancellation) {
			interrupted(t, o, c)
			err := o.Cancellations.Resolve(t.Context(), o.Supervisor, c.ID, cancellations.Resolution{Outcome: to, Folio: "F-1"})
			if err != nil {
				t.Fatalf("Resolve(%s) = %v", to, err)
			}
		}
	}
	tests := []struct {
		fact      string
		meanwhile during
		reply     models.Reply
		want      models.State
		conflict  models.Conflict
		quiet     bool // begins anew
	}{
		{"acknowledged, and nobody has looked", nil, modelstest.Acknowledged, models.Accepted, "", true},
		{"without an answer, and nobody has looked", nil, modelstest.TimedOut, models.Unknown, "", true},
		{
			"acknowledged, in doubt", inDoubt, modelstest.Acknowledged, models.Unknown, "", true,
		},
		{
			"without an answer, in doubt", inDoubt, modelstest.TimedOut, models.Unknown, "", true,
		},
		{
			"refused, in doubt", inDoubt, modelstest.NoTerminal, models.Rejected, "", false,
		},
		{"acknowledged, still charged", answeredCharged, modelstest.Acknowledged, models.NotCanceled, models.ConflictSentLate, true},
		{"without an answer, still charged", answeredCharged, modelstest.TimedOut, models.NotCanceled, models.ConflictSentLate, true},
		{"refused, still charged", answeredCharged, modelstest.NoTerminal, models.NotCanceled, "", false},
		{
			"acknowledged, still charged as a person saw it", resolved(models.NotCanceled), modelstest.Acknowledged, models.NotCanceled,
			models.ConflictSentLate, true,
		},
		{"acknowledged, canceled as a person saw it", resolved(models.Confirmed), modelstest.Acknowledged, models.Confirmed, "", false},
		{
			"acknowledged, and its terminal declined this very push", declinedMeanwhile, modelstest.Acknowledged, models.Rejected, "", false,
		},
	}
	// One after the other: the sweep of one would find the attempts of the others, by a
	// clock that is ahead of theirs.
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			o := office.Branch(t)
			sale := o.Sale(125000)
			c := o.Request(sale)
			o.API.Arrived = func(models.Order) {
				if tt.meanwhile != nil {
					tt.meanwhile(t, o, sale, c)
				}
				o.Clock.Advance(time.Minute)
			}
			o.API.Then(modelstest.LeftLate(tt.reply))
			o.Dispatch(c.ID)
			o.API.Arrived = nil
			got := o.Cancellation(c.ID)
			if got.State != tt.want || got.Conflict != tt.conflict {
				t.Errorf("the case is %s with the conflict %q, want %s, %q", got.State, got.Conflict, tt.want, tt.conflict)
			}
			if end := o.Clock.Now().Add(o.Config.Waits.Quiet); tt.quiet != got.QuietUntil.Equal(end) {
				t.Errorf("quiet until %s, want it %s: %t", got.QuietUntil, end, tt.quiet)
			}
			var want []string
			if tt.want == models.Unknown {
				want = append(want, "doubt:"+string(got.Detail))
			}
			if tt.conflict != "" {
				want = append(want, "conflict:"+string(tt.conflict))
			}
			modelstest.Equal(t, "what waits for a supervisor", waitsFor(t, o, c), want)
			o.CheckInvariants(t)
		})
	}
}

// What left late may still be acted on: nothing else is sent to the terminal, no answer
// from before counts, and a positive of the terminal does.
func TestAfterBytesLeftLate(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(125000)
	c := o.Request(sale)
	o.API.Arrived = func(models.Order) { answeredCharged(t, o, sale, c) }
	o.API.Then(modelstest.LeftLate(modelstest.TimedOut))
	o.Dispatch(c.ID)
	o.API.Arrived = nil
	next := o.Request(o.Sale(700))
	if got := o.Dispatch(next.ID); got != o.Config.Waits.Quiet {
		t.Errorf("Dispatch() of the terminal's next waits %s, want %s", got, o.Config.Waits.Quiet)
	}
	notice, err := o.Notices.Issue(t.Context(), o.Manager, sale.ID)
	if err != nil || notice.Status != notices.Doubt {
		t.Errorf("Issue() = %+v, %v; want a doubt", notice, err)
	}
	o.Post(modelstest.CancelPost(sale, modelstest.CurrentKey(o, c)))
	if got := o.Cancellation(c.ID); got.State != models.Confirmed || got.Conflict != models.ConflictLatePositive {
		t.Errorf("after the terminal's positive the case is %s with %q, want confirmed, latePositive", got.State, got.Conflict)
	}
	o.CheckInvariants(t)
}

// A doubt is inquired about again when the new quiet time is over, and only then
// "still charged" ends it.
func TestADoubtWhoseBytesLeftLateIsAskedAboutAgain(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(125000)
	c := o.Request(sale)
	o.API.Arrived = func(models.Order) {
		interrupted(t, o, c)
		for { // what is asked by itself, without an answer, to the last
			next := modelstest.Tasks(o.Queue.Take(t), models.TaskInquire, c.ID)
			if len(next) == 0 {
				o.Clock.Advance(time.Minute) // the terminal is free again
				return
			}
			o.Clock.Advance(next[0].After)
			if _, err := o.Cancellations.Inquire(t.Context(), c.ID, next[0].Attempt); err != nil {
				t.Fatal(err)
			}
		}
	}
	o.API.Then(modelstest.LeftLate(modelstest.Acknowledged))
	o.Dispatch(c.ID)
	o.API.Arrived = nil
	again := modelstest.Tasks(o.Queue.Take(t), models.TaskInquire, c.ID)
	if len(again) != 1 || again[0].After != o.Config.Waits.Quiet+5*time.Second {
		t.Fatalf("inquiries enqueued: %+v, want one 5 s after the quiet time", again)
	}
	if r := charged(t, o, sale, c); r.Note != "tooEarly" {
		t.Errorf("still charged, right after the late bytes: %s (%s), want tooEarly", r.Status, r.Note)
	}
	o.Clock.Advance(again[0].After)
	charged(t, o, sale, c)
	if got := o.Cancellation(c.ID).State; got != models.NotCanceled {
		t.Errorf("still charged, after the new quiet time: the case is %s, want notCanceled", got)
	}
	if seen, _ := modelstest.Inbox(t, o, o.Supervisor, review.ReviewConflict); len(seen) != 0 {
		t.Errorf("a doubt that ended by evidence left %v", seen)
	}
	o.CheckInvariants(t)
}

// Proof that nothing left after all ends no doubt that others have shown meanwhile.
func TestNothingLeftOfAnInterruptedAttempt(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	c := o.Request(o.Sale(125000))
	o.API.Arrived = func(models.Order) { interrupted(t, o, c) }
	o.API.Then(modelstest.Overdue)
	o.Dispatch(c.ID)
	o.API.Arrived = nil
	got := o.Cancellation(c.ID)
	if got.State != models.Unknown || got.Conflict != "" || got.AttemptList[0].Meaning != models.MeaningNotSent {
		t.Errorf("the case is %s with %q, its attempt %s; want unknown, none, notSent", got.State, got.Conflict, got.AttemptList[0].Meaning)
	}
	o.CheckInvariants(t)
}

// The client gets the instant from which others act as if nothing leaves any more.
func TestTheDeadlineReachesTheService(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.StateOf(models.Unknown)
	if got, want := o.LastOrder().Deadline, o.Cancellation(c.ID).AttemptList[0].DeadlineAt; got.IsZero() || !got.Equal(want) {
		t.Errorf("the order's deadline is %s, the attempt's %s", got, want)
	}
	if _, err := o.Cancellations.Inquire(t.Context(), c.ID, 0); err != nil {
		t.Fatal(err)
	}
	// From then on the terminal counts as free.
	if got, want := o.Inquiries.Orders()[0].Deadline, o.Clock.Now().Add(30*time.Second); !got.Equal(want) {
		t.Errorf("the inquiry's deadline is %s, want %s", got, want)
	}
}
