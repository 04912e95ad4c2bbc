package cancellations_test

import (
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
)

func TestOnePushPerTerminal(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	tests := []struct {
		first models.State // state of the earlier cancellation on the same terminal
		wait  time.Duration
	}{
		{models.Requested, time.Second}, // first come, first served
		{models.Withdrawn, 0},
		{models.Expired, 0},
		{models.Sending, 5 * time.Second},
		{models.Accepted, 5 * time.Second},
		{models.Rejected, 0},
		{models.Unknown, 180 * time.Second}, // its push may still be on the screen
		{models.Confirmed, 0},
		{models.NotCanceled, 180 * time.Second}, // whatever a person has stated
	}
	for _, tt := range tests {
		t.Run(string(tt.first), func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			o.StateOf(tt.first)
			sent := len(o.API.Orders())
			second := o.Request(o.Sale(700))
			if got := o.Dispatch(second.ID); got != tt.wait {
				t.Errorf("Dispatch() behind a %s case waits %s, want %s", tt.first, got, tt.wait)
			}
			if now := len(o.API.Orders()); (now > sent) != (tt.wait == 0) {
				t.Errorf("sent behind a %s case: %t", tt.first, now > sent)
			}
			elsewhere := o.Request(o.SaleAt(o.NewTerminal(o.Store), 800))
			if got := o.Dispatch(elsewhere.ID); got != 0 {
				t.Errorf("Dispatch() on another terminal waits %s, want 0", got)
			}
			o.CheckInvariants(t)
		})
	}
}

func TestATerminalIsFreeAfterTheQuietTime(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.StateOf(models.Unknown)
	second := o.Request(o.Sale(700))
	o.Clock.Advance(100 * time.Second)
	if got := o.Dispatch(second.ID); got != 80*time.Second {
		t.Errorf("Dispatch() after 100 s waits %s, want 80s", got)
	}
	o.Clock.Advance(80 * time.Second)
	if got := o.Dispatch(second.ID); got != 0 {
		t.Errorf("Dispatch() after the quiet time waits %s, want 0", got)
	}
	o.CheckInvariants(t)
}

func TestTheQuietTimeBeginsWithTheLastPossibleByte(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(5000)
	c := o.Request(sale)
	o.API.Then(modelstest.TimedOut)
	o.API.Arrived = func(models.Order) { o.Clock.Advance(30 * time.Second) } // no reply in 30 s
	o.Dispatch(c.ID)
	o.Clock.Advance(179 * time.Second)
	if got := o.Post(modelstest.InquiryPost(sale, models.StandingCharged)); got.Note != "tooEarly" {
		t.Errorf("an inquiry 179 s after bytes may have left: %s (%s), want ignored (tooEarly)", got.Status, got.Note)
	}
	second := o.Request(o.Sale(700))
	if got := o.Dispatch(second.ID); got != time.Second {
		t.Errorf("Dispatch() 179 s after bytes may have left waits %s, want 1s", got)
	}
}

func TestTheQuietTimeOfAnInterruptedAttempt(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, c := o.StateOf(models.Sending) // its process could have sent for 30 s more
	o.Clock.Advance(40 * time.Second)
	if _, err := o.Cancellations.Recover(t.Context(), c.ID, 1); err != nil {
		t.Fatalf("Recover() = %v", err)
	}
	o.Clock.Advance(169 * time.Second)
	if got := o.Post(modelstest.InquiryPost(sale, models.StandingCharged)); got.Note != "tooEarly" {
		t.Errorf("an inquiry 179 s after the deadline: %s (%s), want ignored (tooEarly)", got.Status, got.Note)
	}
	o.Clock.Advance(time.Second)
	if got := o.Post(modelstest.InquiryPost(sale, models.StandingCharged)); got.Note != "notAsked" {
		t.Errorf("the same answer 180 s after the deadline: %s (%s), want ignored (notAsked)", got.Status, got.Note)
	}
	if _, err := o.Cancellations.Inquire(t.Context(), c.ID, 0); err != nil {
		t.Fatalf("Inquire() = %v", err)
	}
	o.Clock.Advance(time.Second)
	if got := o.Post(modelstest.InquiryPost(sale, models.StandingCharged)); got.Note != "notAsked" {
		t.Errorf("the old answer posted again after a question: %s (%s), want ignored (notAsked)", got.Status, got.Note)
	}
	answer := modelstest.InquiryPost(sale, models.StandingCharged)
	answer.AttemptKey = o.Inquiries.Orders()[0].Key.Hash()
	if got := o.Post(answer); got.Note != "notCanceled" {
		t.Errorf("the answer to the question: %s (%s), want applied (notCanceled)", got.Status, got.Note)
	}
}

// A supervisor may resolve a sale as not canceled while its push is still on the
// screen; the next push waits nevertheless.
func TestTheNextPushWaitsForTheQuietTimeOfASettledCase(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, c := o.StateOf(models.Unknown)
	resolution := cancellations.Resolution{Outcome: models.NotCanceled, Note: "the terminal shows the sale as charged"}
	if err := o.Cancellations.Resolve(t.Context(), o.Supervisor, c.ID, resolution); err != nil {
		t.Fatalf("Settle() = %v", err)
	}
	again, err := o.Cancellations.Request(t.Context(), o.Supervisor, cancellations.CancelRequest{
		SaleID: sale.ID, Reason: "wrongAmount",
		Click: "again",
	})
	if err != nil {
		t.Fatalf("Request() = %v", err)
	}
	before := len(o.API.Orders())
	if wait := o.Dispatch(again.ID); wait <= 0 || len(o.API.Orders()) != before {
		t.Errorf("Dispatch() within the quiet time waits %s, %d orders left; want a wait, none", wait, len(o.API.Orders())-before)
	}
	o.Clock.Advance(o.Config.Waits.Quiet)
	if o.Dispatch(again.ID); len(o.API.Orders()) != before+1 {
		t.Errorf("after the quiet time %d orders left, want one", len(o.API.Orders())-before)
	}
}

// An inquiry is a push: no cancellation is sent to the same terminal until it is
// answered, or for thirty seconds.
func TestAnInquiryOccupiesItsTerminal(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, doubt := o.StateOf(models.Unknown)
	o.Clock.Advance(o.Config.Waits.Quiet)
	if _, err := o.Cancellations.Inquire(t.Context(), doubt.ID, 0); err != nil {
		t.Fatalf("Inquire() = %v", err)
	}
	next := o.Request(o.Sale(700))
	if wait := o.Dispatch(next.ID); wait != 5*time.Second {
		t.Errorf("Dispatch() while an inquiry is not answered waits %s, want 5s", wait)
	}
	answer := modelstest.InquiryPost(sale, models.StandingReversalPending)
	o.Post(answer)
	if wait := o.Dispatch(next.ID); wait != 5*time.Second {
		t.Errorf("Dispatch() after a post that anybody could have sent waits %s, want 5s", wait)
	}
	answer.AttemptKey = o.Inquiries.Orders()[0].Key.Hash()
	o.Post(answer)
	if wait := o.Dispatch(next.ID); wait != 0 {
		t.Errorf("Dispatch() after the answer waits %s, want 0", wait)
	}
}

func TestTheNextCaseIsWokenInTheSameTransaction(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	leave := map[string]func(*modelstest.Office, *models.Sale, *models.Cancellation) error{
		"confirmed by its result": func(o *modelstest.Office, s *models.Sale, c *models.Cancellation) error {
			o.Post(modelstest.CancelPost(s, modelstest.CurrentKey(o, c)))
			return nil
		},
		"resolved by a supervisor": func(o *modelstest.Office, _ *models.Sale, c *models.Cancellation) error {
			return o.Cancellations.Resolve(t.Context(), o.Supervisor, c.ID, cancellations.Resolution{
				Outcome: models.NotCanceled,
				Note:    "sigue cobrada en el portal",
			})
		},
	}
	for fact, end := range leave {
		t.Run(fact, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			sale, first := o.StateOf(models.Unknown)
			second, third := o.Request(o.Sale(700)), o.Request(o.Sale(800))
			o.Queue.Take(t)
			if err := end(o, sale, first); err != nil {
				t.Fatalf("end the first case: %v", err)
			}
			modelstest.Equal(t, "tasks", o.Queue.Take(t), []models.Task{{Kind: models.TaskDispatch, SubjectID: second.ID}})
			// The dispatched one is withdrawn before it was sent: the third is next.
			if _, err := o.Cancellations.Withdraw(t.Context(), o.Manager, second.ID); err != nil {
				t.Fatalf("Withdraw() = %v", err)
			}
			modelstest.Equal(t, "tasks after the withdrawal", o.Queue.Take(t), []models.Task{{Kind: models.TaskDispatch, SubjectID: third.ID}})
			o.CheckInvariants(t)
		})
	}
}

func TestACaseInDoubtWakesTheNextAfterTheQuietTime(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	first := o.Request(o.Sale(5000))
	second := o.Request(o.Sale(700))
	o.Queue.Take(t)
	o.API.Then(modelstest.TimedOut)
	o.Dispatch(first.ID)
	woken := modelstest.Tasks(o.Queue.Take(t), models.TaskDispatch, second.ID)
	modelstest.Equal(t, "tasks", woken, []models.Task{{Kind: models.TaskDispatch, SubjectID: second.ID, After: 180 * time.Second}})
}

func TestARefusedTransactionEnqueuesNothing(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(5000)
	o.Request(sale)
	o.Queue.Take(t)
	if _, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(sale)); !modelstest.IsError(err,
		models.ErrCancellationOpen) {
		t.Errorf("a second Request() = %v, want %v", err, models.ErrCancellationOpen)
	}
	if got := o.Queue.Take(t); len(got) != 0 {
		t.Errorf("a refused request enqueued %+v", got)
	}
}
