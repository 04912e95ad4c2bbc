package cancellations_test

import (
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
)

func TestAnInterruptedAttemptBecomesUnknown(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.StateOf(models.Sending)
	o.Clock.Advance(39 * time.Second)
	if wait, err := o.Cancellations.Recover(t.Context(), c.ID, 1); err != nil || wait != time.Second {
		t.Errorf("Recover() one second early = %s, %v, want 1s", wait, err)
	}
	if got := o.Cancellation(c.ID).State; got != models.Sending {
		t.Errorf("one second early the case is %s, want sending", got)
	}
	o.Clock.Advance(time.Second)
	if wait, err := o.Cancellations.Recover(t.Context(), c.ID, 2); err != nil || wait != 0 || o.Cancellation(c.ID).State != models.Sending {
		t.Errorf("Recover(another attempt) = %s, %v, case %s; want nothing done", wait, err, o.Cancellation(c.ID).State)
	}
	if wait, err := o.Cancellations.Recover(t.Context(), c.ID, 1); err != nil || wait != 0 {
		t.Errorf("Recover() = %s, %v, want 0", wait, err)
	}
	got := o.Cancellation(c.ID)
	if got.State != models.Unknown || got.Detail != models.DetailInterrupted || got.AttemptList[0].Meaning != models.MeaningUnknown {
		t.Errorf("case is %s (%s), attempt %s; want unknown (interrupted), unknown", got.State, got.Detail, got.AttemptList[0].Meaning)
	}
	o.CheckInvariants(t)
}

func TestAnAnswerAfterRecovery(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	tests := []struct {
		fact  string
		reply models.Reply
		want  models.State
	}{
		{"a known refusal came after all", modelstest.NoTerminal, models.Rejected},
		{"an acknowledgement says nothing of the end", modelstest.Acknowledged, models.Unknown},
		{"a timeout says nothing", modelstest.TimedOut, models.Unknown},
		{"unknown is left only by evidence about the sale", modelstest.NotDialed, models.Unknown},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			c := o.Request(o.Sale(5000))
			o.API.Then(tt.reply)
			o.API.Arrived = func(models.Order) { // the process is frozen while it sends
				o.Clock.Advance(time.Minute)
				if _, err := o.Cancellations.Recover(t.Context(), c.ID, 1); err != nil {
					t.Errorf("Recover() = %v", err)
				}
			}
			o.Dispatch(c.ID)
			got := o.Cancellation(c.ID)
			if got.State != tt.want || got.AttemptList[0].Meaning != tt.reply.Meaning {
				t.Errorf("case is %s, attempt %s; want %s, %s", got.State, got.AttemptList[0].Meaning, tt.want, tt.reply.Meaning)
			}
			o.CheckInvariants(t)
		})
	}
}

func TestSilenceAfterAnAcknowledgementBecomesUnknown(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	c := o.Request(o.Sale(5000))
	o.Queue.Take(t)
	o.Dispatch(c.ID)
	want := []models.Task{
		{Kind: models.TaskRecover, SubjectID: c.ID, Attempt: 1, After: 40 * time.Second},
		{Kind: models.TaskResultWait, SubjectID: c.ID, Attempt: 1, After: 180 * time.Second},
	}
	modelstest.Equal(t, "tasks", o.Queue.Take(t), want)
	o.Clock.Advance(180*time.Second - time.Millisecond)
	if wait, err := o.Cancellations.EndResultWait(t.Context(), c.ID, 1); err != nil || wait != time.Second {
		t.Errorf("EndResultWait() early = %s, %v, want 1s", wait, err)
	}
	o.Clock.Advance(time.Millisecond)
	if wait, err := o.Cancellations.EndResultWait(t.Context(), c.ID, 1); err != nil || wait != 0 {
		t.Errorf("EndResultWait() = %s, %v, want 0", wait, err)
	}
	if got := o.Cancellation(c.ID); got.State != models.Unknown || got.Detail != models.DetailNoResult {
		t.Errorf("case is %s (%s), want unknown (noResult)", got.State, got.Detail)
	}
	o.CheckInvariants(t)
}

func TestTimersLeaveOtherStatesAlone(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for _, state := range modelstest.EveryState {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			_, c := o.StateOf(state)
			timers := map[models.State]func() (time.Duration, error){
				models.Requested: func() (time.Duration, error) { return o.Cancellations.Expire(t.Context(), c.ID) },
				models.Sending:   func() (time.Duration, error) { return o.Cancellations.Recover(t.Context(), c.ID, c.Attempts) },
				models.Accepted:  func() (time.Duration, error) { return o.Cancellations.EndResultWait(t.Context(), c.ID, c.Attempts) },
			}
			o.Clock.Advance(24 * time.Hour)
			for of, timer := range timers {
				if of == state {
					continue
				}
				if wait, err := timer(); err != nil || wait != 0 {
					t.Errorf("timer of %s on a %s case = %s, %v, want 0", of, state, wait, err)
				}
				if got := o.Cancellation(c.ID); got.State != state || got.Version != c.Version {
					t.Errorf("timer of %s moved a %s case to %s", of, state, got.State)
				}
			}
			o.CheckInvariants(t)
		})
	}
}

func TestTheWindowIsDecidedAtEveryStep(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	tests := []struct {
		fact string
		at   string
		open bool
	}{
		{"a second before the margin", "2026-11-20T19:59:54-06:00", true},
		{"at the margin", "2026-11-20T19:59:55-06:00", false},
		{"at the cut-off", "2026-11-20T20:00:00-06:00", false},
		{"the next day", "2026-11-21T12:00:00-06:00", false},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			waiting, other := o.SaleAt(o.NewTerminal(o.Store), 5000), o.Sale(6000)
			c, untimely := o.Request(waiting), o.Request(o.Sale(7000))
			o.Clock.Set(modelstest.At(t, tt.at))
			_, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(other))
			if (err == nil) != tt.open || !tt.open && !modelstest.IsError(err, models.ErrTooLate) {
				t.Errorf("Request() at %s = %v, want open: %t", tt.at, err, tt.open)
			}
			if wait, err := o.Cancellations.Expire(t.Context(), c.ID); err != nil || (wait > 0) != tt.open {
				t.Errorf("Expire() at %s = %s, %v, want a wait: %t", tt.at, wait, err, tt.open)
			}
			o.Dispatch(c.ID)
			o.Dispatch(untimely.ID) // whose timer is not due
			want := models.Expired
			if tt.open {
				want = models.Accepted
			}
			for _, id := range []int64{c.ID, untimely.ID} {
				if got := o.Cancellation(id).State; got != want {
					t.Errorf("case %d at %s is %s, want %s", id, tt.at, got, want)
				}
			}
			if sent := len(o.API.Orders()) > 0; sent != tt.open {
				t.Errorf("sent at %s: %t, want %t", tt.at, sent, tt.open)
			}
			o.CheckInvariants(t)
		})
	}
}

func TestNothingLeftAndTheWindowClosedMeanwhile(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	c := o.Request(o.Sale(5000))
	o.API.Then(modelstest.NotDialed)
	o.Clock.Set(modelstest.At(t, "2026-11-20T19:59:50-06:00"))
	o.API.Arrived = func(models.Order) { o.Clock.Advance(10 * time.Second) }
	o.Dispatch(c.ID)
	if got := o.Cancellation(c.ID); got.State != models.Expired || got.Detail != models.DetailTooLate {
		t.Errorf("case is %s (%s), want expired (tooLate)", got.State, got.Detail)
	}
	o.CheckInvariants(t)
}

func TestSweepFindsWhatTasksForgot(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	in := func(state models.State) int64 { // each on a terminal of its own
		o.Terminal = o.NewTerminal(o.Store)
		_, c := o.StateOf(state)
		return c.ID
	}
	sending, accepted, requested := in(models.Sending), in(models.Accepted), in(models.Requested)
	o.Queue.Take(t)
	o.Clock.Advance(4 * time.Minute)
	modelstest.Sweep(t, o)
	for id, want := range map[int64]models.State{sending: models.Unknown, accepted: models.Unknown, requested: models.Requested} {
		if got := o.Cancellation(id).State; got != want {
			t.Errorf("after the sweep case %d is %s, want %s", id, got, want)
		}
	}
	if got := modelstest.Tasks(o.Queue.Take(t), models.TaskDispatch, requested); len(got) != 1 || !got[0].Once {
		t.Errorf("the sweep enqueued %v, want one dispatch of the requested case, once", got)
	}
	o.Clock.Advance(8 * time.Hour)
	modelstest.Sweep(t, o)
	if got := o.Cancellation(requested).State; got != models.Expired {
		t.Errorf("after the cut-off the requested case is %s, want expired", got)
	}
	o.CheckInvariants(t)
}

// The task of a requested cancellation dies with its process, and so does the one
// that the sweep enqueues instead. The queue counts both as running for minutes, and
// keeps equal ones out. The next must not be equal.
func TestSweepReplacesTasksThatDied(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.StateOf(models.Requested)
	original := modelstest.Tasks(o.Queue.Take(t), models.TaskDispatch, c.ID)
	o.Clock.Advance(9 * time.Second)
	modelstest.Sweep(t, o)
	if got := modelstest.Tasks(o.Queue.Take(t), models.TaskDispatch, c.ID); len(got) != 0 {
		t.Errorf("after 9 s the sweep enqueued %v, want nothing yet", got)
	}
	o.Clock.Advance(2 * time.Second)
	modelstest.Sweep(t, o)
	first := modelstest.Tasks(o.Queue.Take(t), models.TaskDispatch, c.ID)
	o.Clock.Advance(10 * time.Second)
	modelstest.Sweep(t, o)
	second := modelstest.Tasks(o.Queue.Take(t), models.TaskDispatch, c.ID)
	if len(original) != 1 || len(first) != 1 || len(second) != 1 {
		t.Fatalf("enqueued %v, then %v and %v, want one each time", original, first, second)
	}
	if first[0] == second[0] || first[0].Attempt == original[0].Attempt || second[0].Attempt == original[0].Attempt {
		t.Errorf("enqueued %v, then %v and %v, want three that differ", original, first, second)
	}
	if !first[0].Once || !second[0].Once {
		t.Error("the sweep's tasks would pile up while the terminal is busy")
	}
}
