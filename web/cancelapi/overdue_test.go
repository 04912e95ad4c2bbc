package cancelapi

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"
	"unsafe"

	"veinte/models"
)

// suspended is a clock that shows instants as after an hour of suspension, once it was
// told: the wall clock went on, the monotonic one stood still.
type suspended struct {
	mu   sync.Mutex
	woke bool
}

func (s *suspended) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.woke {
		// An instant with a monotonic reading has its wall seconds above 30 bits of
		// nanoseconds, in its first word.
		*(*uint64)(unsafe.Pointer(&now)) += 3600 << 30
	}
	return now
}

func (s *suspended) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.woke = true
}

// The machine sleeps for an hour between connecting and the first byte. The monotonic
// clock, and so every timer, has a minute left.
func TestNothingLeavesAfterTheMachineSlept(t *testing.T) {
	t.Parallel()
	clock := new(suspended)
	before := clock.Now()
	s := serve(t, says(whole(200, ackOK)))
	client := newClient(t, s.url, withClock(clock))
	client.dialer.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		defer clock.wake()
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	order := anOrder(func(o *models.Order) { o.Deadline = before.Add(time.Minute) })
	ctx, stop := context.WithTimeout(t.Context(), models.TimeLeft(before, order.Deadline))
	defer stop()
	wantReply(t, client.Cancel(ctx, order), models.MeaningNotSent, models.DetailInterrupted)
	if n := s.requests.Load(); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
	after := clock.Now()
	if mono, wall := after.Sub(before), after.Round(0).Sub(before.Round(0)); mono > time.Minute || wall < time.Hour {
		t.Errorf("the clock of the test says that %s passed, and %s on the wall; want less than a minute, more than an hour", mono, wall)
	}
}

// An order whose deadline has passed does not even connect. The cut-off is what is said
// of one that is too late by both.
func TestDeadlineBeforeConnecting(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		late   time.Duration
		change []func(*models.Order)
		want   models.Detail
	}{
		{10 * time.Second, []func(*models.Order){deadline}, models.DetailInterrupted},
		{time.Hour, []func(*models.Order){deadline}, models.DetailInterrupted},
		{10 * time.Second, []func(*models.Order){deadline, cutoff}, models.DetailTooLate},
	} {
		clock := newFakeClock(nearly8)
		clock.add(tt.late)
		client := newClient(t, "http://127.0.0.1:1", withClock(clock))
		client.dialer.connect = noDial(t)
		wantReply(t, client.Cancel(t.Context(), anOrder(tt.change...)), models.MeaningNotSent, tt.want)
	}
}

// Within the deadline nothing is different.
func TestTheLastInstantBeforeTheDeadline(t *testing.T) {
	t.Parallel()
	clock := newFakeClock(nearly8)
	clock.add(10*time.Second - 1)
	s := serve(t, says(whole(200, ackOK)))
	got := newClient(t, s.url, withClock(clock)).Cancel(t.Context(), anOrder(func(o *models.Order) {
		o.Deadline = clock.Now().Add(time.Second)
	}))
	wantReply(t, got, models.MeaningAccepted, models.DetailAccepted)
	if got.Late || !got.FirstByteAt.Equal(clock.Now()) {
		t.Errorf("late %t, first byte at %s; want in time, at %s", got.Late, got.FirstByteAt, clock.Now())
	}
}

// jumping is a connection in whose write the clock jumps, as it does when the process is
// frozen between the gate and the kernel.
type jumping struct {
	net.Conn
	clock *fakeClock
	by    time.Duration
}

func (j *jumping) Write(p []byte) (int, error) {
	j.clock.add(j.by)
	return j.Conn.Write(p)
}

// That cannot be prevented, but it is said: whatever the answer was, with the latest
// instant at which bytes may have left.
func TestWhatMayHaveLeftLateSaysSo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact    string
		by      time.Duration
		answer  string
		limit   func(*models.Order)
		late    bool
		meaning models.Meaning
		detail  models.Detail
	}{
		{"in time", 10*time.Second - 1, whole(200, ackOK), deadline, false, models.MeaningAccepted, models.DetailAccepted},
		{"at the deadline", 10 * time.Second, whole(200, ackOK), deadline, true, models.MeaningAccepted, models.DetailAccepted},
		{"an hour late", time.Hour, whole(200, ackOK), deadline, true, models.MeaningAccepted, models.DetailAccepted},
		{"without an answer", time.Hour, "", deadline, true, models.MeaningUnknown, models.DetailConnectionLost},
		{
			"refused", time.Hour, whole(200, `{"code":"19","message":"No se encontró la terminal"}`), deadline, true,
			models.MeaningRefused, models.DetailTerminalNotFound,
		},
		{"after the cut-off only", time.Hour, whole(200, ackOK), cutoff, false, models.MeaningAccepted, models.DetailAccepted},
	} {
		clock := newFakeClock(nearly8)
		s := serve(t, says(tt.answer))
		client := newClient(t, s.url, withClock(clock))
		client.dialer.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			return &jumping{conn, clock, tt.by}, err
		}
		began := clock.Now()
		got := client.Cancel(t.Context(), anOrder(tt.limit))
		wantReply(t, got, tt.meaning, tt.detail)
		at := began
		if tt.late {
			at = began.Add(tt.by)
		}
		if got.Late != tt.late || !got.FirstByteAt.Equal(at) {
			t.Errorf("%s: late %t, first byte at %s; want %t, at %s", tt.fact, got.Late, got.FirstByteAt, tt.late, at)
		}
	}
}
