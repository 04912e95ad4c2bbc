package jobs_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/webhooks"
	"veinte/web/jobs"
)

func TestMain(m *testing.M) { modelstest.Main(m) }

// receiver accepts or refuses at random, and detects concurrent deliveries of a
// lane.
type receiver struct {
	t        *testing.T
	mu       sync.Mutex
	luck     *rand.Rand
	under    map[string]bool
	accepted map[string][]string
	block    chan struct{} // nil: no request is blocked
}

func (r *receiver) Send(ctx context.Context, p *webhooks.Outgoing) webhooks.Response {
	r.mu.Lock()
	if r.under[p.Lane] {
		r.t.Errorf("two deliveries of %s at once", p.Lane)
	}
	r.under[p.Lane] = true
	takes := r.luck.IntN(20) > 0
	r.mu.Unlock()
	if r.block != nil {
		select {
		case <-r.block:
		case <-ctx.Done():
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.under[p.Lane] = false
	a := webhooks.Response{At: time.Now(), Detail: webhooks.TryConnectionLost}
	if ctx.Err() == nil && takes {
		a.Detail = webhooks.TryDelivered
		r.accepted[p.Lane] = append(r.accepted[p.Lane], string(p.Body))
	}
	return a
}

func newReceiver(t *testing.T, seed uint64) *receiver {
	t.Helper()
	t.Logf("seed %d", seed)
	return &receiver{t: t, luck: rand.New(rand.NewPCG(seed, 0)), under: map[string]bool{}, accepted: map[string][]string{}}
}

// office is an office with a relay, and the deliveries of a process whose clock runs
// on from the office's.
func office(t *testing.T) (*modelstest.Office, func() *webhooks.Service) {
	t.Helper()
	o := modelstest.NewOffice(t)
	process := func() *webhooks.Service {
		return webhooks.New(webhooks.Config{
			DB: modelstest.Open(t, o.URL), Clock: models.ShiftedClock(time.Until(o.Clock.Now())), Box: modelstest.SecretBox(t), AllowPrivate: true,
		})
	}
	_, _, err := o.Deliveries.CreateEndpoint(t.Context(), o.Admin,
		webhooks.Input{Kind: webhooks.RelayEndpoint, Name: "POS", URL: "https://pos.example/"})
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, o.Owner, `UPDATE endpoints SET relay_body = 'original'`) // the posts of these tests have nothing else
	return o, process
}

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); time.Since(begin) < time.Minute; <-tick.C {
		if f() {
			return
		}
	}
	t.Fatalf("it is still not so that %s", what)
}

// Two processes share the work: each terminal's results arrive once, in order, and
// one at a time, however many tries fail.
func TestTwoProcessesDeliver(t *testing.T) {
	t.Parallel()
	o, process := office(t)
	r := newReceiver(t, rand.Uint64())
	for range 2 {
		d := jobs.NewDeliverer(process(), r, slog.New(slog.DiscardHandler))
		d.Start(t.Context())
		defer func() {
			if err := d.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		}()
	}
	const terminals, posts = 40, 5
	var all sync.WaitGroup
	for n := range terminals {
		all.Go(func() {
			for i := range posts {
				p := models.Post{Kind: models.ResultOther, SerialNumber: fmt.Sprint(n), Raw: fmt.Append(nil, i), ContentType: "text/plain"}
				if err := o.Results.Receive(t.Context(), p); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	eventually(t, "everything has arrived", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		n := 0
		for _, got := range r.accepted {
			n += len(got)
		}
		return n >= terminals*posts
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := range terminals {
		if got := strings.Join(r.accepted[fmt.Sprintf("terminal %d", n)], ""); got != "01234" {
			t.Errorf("terminal %d: %s", n, got)
		}
	}
}

// A process that is being stopped cancels the requests that hang, and does not count
// them as failures of the receiver.
func TestStopBreaksOff(t *testing.T) {
	t.Parallel()
	o, process := office(t)
	r := newReceiver(t, 1)
	r.block = make(chan struct{})
	d := jobs.NewDeliverer(process(), r, slog.New(slog.DiscardHandler))
	d.Start(t.Context())
	if err := o.Results.Receive(t.Context(), models.Post{Kind: models.ResultOther, SerialNumber: "1", Raw: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is under way", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.under["terminal 1"]
	})
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if err := d.Stop(over); err != nil {
		t.Errorf("Stop = %v", err)
	}
	for what, query := range map[string]string{
		"tries": "SELECT count(*) FROM delivery_tries", "lanes taken": "SELECT count(*) FROM delivery_lanes WHERE leased_until IS NOT NULL",
	} {
		var n int
		if err := o.Owner.QueryRow(query).Scan(&n); err != nil || n != 0 {
			t.Errorf("%d %s (%v), want none", n, what, err)
		}
	}
}
