package cancellations_test

import (
	"log/slog"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/clocks"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// wrongServer is a second server of the office whose clock is wrong by so much. It has
// compared it, and so has the office's own server, whose clock is right.
func wrongServer(t *testing.T, o *modelstest.Office, ahead time.Duration) *wiring.Services {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	wrong := modelstest.NewClock(o.Clock.Now().Add(ahead))
	own := clocks.New(o.DB, wrong, log)
	config := o.Config
	config.Clock, config.Clocks = own, own
	services := wiring.New(config)
	modelstest.SetClockOffset(t, o)
	for _, s := range []*clocks.Service{clocks.New(o.DB, o.Clock, log), own} {
		if err := s.Measure(t.Context()); err != nil {
			t.Fatalf("Measure() = %v", err)
		}
	}
	return services
}

// A server whose clock is wrong by 90 s leaves expiring to the others, and sends nothing
// in the three minutes before the window closes.
func TestAServerWhoseClockIsWrongLeavesTheEndToOthers(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for _, tt := range []struct {
		fact  string
		at    string // the real time; the window closes at 19:59:55
		ahead time.Duration
		sends bool
	}{
		{"ahead, in the afternoon", "2026-11-20T15:00:00-06:00", 90 * time.Second, true},
		{"ahead, just before it stops sending", "2026-11-20T19:56:52-06:00", 90 * time.Second, true},
		{"ahead, 95 s before the cut-off", "2026-11-20T19:58:25-06:00", 90 * time.Second, false},
		{"ahead, when the window has closed", "2026-11-20T19:59:56-06:00", 90 * time.Second, false},
		{"ahead, the next day", "2026-11-21T12:00:00-06:00", 90 * time.Second, false},
		{"behind, just before the cut-off", "2026-11-20T19:58:25-06:00", -90 * time.Second, false},
		{"behind, in the afternoon", "2026-11-20T15:00:00-06:00", -90 * time.Second, true},
		{"two seconds mean nothing", "2026-11-20T19:59:50-06:00", time.Second, true},
	} {
		o := office.Branch(t)
		c := o.Request(o.Sale(5000))
		o.Clock.Set(modelstest.At(t, tt.at))
		server := wrongServer(t, o, tt.ahead)
		wait, err := server.Cancellations.Expire(t.Context(), c.ID)
		if got := o.Cancellation(c.ID).State; err != nil || wait <= 0 || got != models.Requested {
			t.Errorf("%s: Expire() = %s, %v, and it is %s; want it handed back", tt.fact, wait, err, got)
		}
		if wait, err = server.Cancellations.Dispatch(t.Context(), c.ID); err != nil || (wait == 0) != tt.sends {
			t.Errorf("%s: Dispatch() = %s, %v, want it sent: %t", tt.fact, wait, err, tt.sends)
		}
		want := models.Requested
		if tt.sends {
			want = models.Accepted
		}
		if got := o.Cancellation(c.ID).State; got != want {
			t.Errorf("%s: the case is %s, want %s", tt.fact, got, want)
		}
		if !tt.sends { // the others do it, by the right time
			o.Clock.Set(modelstest.At(t, "2026-11-20T20:00:00-06:00"))
			if wait, err := o.Cancellations.Expire(t.Context(), c.ID); err != nil || wait != 0 {
				t.Errorf("%s: Expire() by another = %s, %v, want 0", tt.fact, wait, err)
			}
		}
		o.CheckInvariants(t)
	}
}

// A press is decided by the database's time: in time it is accepted, and too late it is
// refused, whatever the server's own clock says.
func TestAPressIsDecidedByTheDatabasesTime(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for _, tt := range []struct {
		at    string
		ahead time.Duration
		want  error
	}{
		{"2026-11-20T19:59:00-06:00", 90 * time.Second, nil},
		{"2026-11-20T20:00:00-06:00", -90 * time.Second, models.ErrTooLate},
	} {
		o := office.Branch(t)
		sale := o.Sale(5000)
		o.Clock.Set(modelstest.At(t, tt.at))
		server := wrongServer(t, o, tt.ahead)
		c, err := server.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(sale))
		if tt.want == nil && err != nil || tt.want != nil && !modelstest.IsError(err, models.ErrTooLate) {
			t.Errorf("Request() at %s by a server %s ahead = %v, want %v", tt.at, tt.ahead, err, tt.want)
		}
		if err == nil {
			if off := c.RequestedAt.Sub(o.Clock.Now()).Abs(); off > time.Second {
				t.Errorf("the trail says it was requested %s off the right time", off)
			}
		}
	}
}

// The quiet time goes by the database's time too: a server that is ahead takes no answer
// for proof that the terminal gave while it could still act.
func TestAClockAheadEndsNoQuietTime(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, c := o.StateOf(models.Unknown)
	o.Clock.Advance(2 * time.Minute)
	server := wrongServer(t, o, 90*time.Second)
	if wait, err := server.Cancellations.Inquire(t.Context(), c.ID, 3); err != nil || wait != 0 {
		t.Fatalf("Inquire() = %s, %v, want 0", wait, err)
	}
	asked := o.Inquiries.Orders()
	p := modelstest.InquiryPost(sale, models.StandingCharged)
	p.AttemptKey = asked[len(asked)-1].Key.Hash()
	if err := server.Results.Receive(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if got := o.Cancellation(c.ID).State; got != models.Unknown {
		t.Errorf("2 minutes after the push the case is %s, want unknown for another minute", got)
	}
}

// A server alone, whose clock differs, closes no day; the right one does.
func TestAServerWhoseClockIsWrongClosesNoDay(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.Clock.Set(o.Sale(5000).CutoffAt.Add(time.Hour))
	if err := wrongServer(t, o, 3*time.Second).Closings.CloseDays(t.Context()); err != nil {
		t.Errorf("CloseDays() = %v", err)
	}
	closed := func() int { return modelstest.Count(t, o.Owner, `SELECT count(*) FROM closings`) }
	if n := closed(); n != 0 {
		t.Errorf("%d days are closed by a server whose clock is wrong", n)
	}
	if err := o.Closings.CloseDays(t.Context()); err != nil || closed() != 1 {
		t.Errorf("CloseDays() by the other server = %v, %d closed, want 1", err, closed())
	}
}
