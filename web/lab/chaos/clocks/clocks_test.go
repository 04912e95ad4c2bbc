package clocks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/web/lab"
	"veinte/web/lab/chaos"
)

// Experiment sets how wrong the clock is, and how much is pressed.
type Experiment struct {
	Ahead  time.Duration // of the one server's clock; negative: behind
	Blind  bool          // it does not notice: the judge must
	Lead   time.Duration // from the first press until the window closes
	Every  time.Duration // a press on each terminal
	Places int           // terminals
}

// slow is how long a terminal takes: longer than from one press to the next, so that
// some wait when the window closes.
const slow = 6 * time.Second

// leeway is what the clocks of service and server may differ by, and what a look takes.
const leeway = 3 * time.Second

// settled is how long after the end nothing may wait any more.
const settled = 45 * time.Second

type run struct {
	*Experiment
	*lab.Lab
	report       *lab.Report
	right, wrong *lab.Server
	closes       time.Time

	mu      sync.Mutex
	sent    []time.Time         // by the server whose clock is wrong
	expired map[int64]time.Time // when it was seen, by cancellation
	presses []press
}

type press struct {
	at    time.Time
	wrong bool // at the server whose clock is wrong
	ok    bool
}

// Run carries out the experiment.
func (x *Experiment) Run(ctx context.Context, setup lab.Setup) (_ *lab.Report, err error) {
	r := &run{Experiment: x, report: lab.NewReport("clocks", setup), expired: map[int64]time.Time{}}
	r.Lab, err = lab.Start(ctx, lab.Options{Setup: setup, Terminals: x.Places, ResultDelay: slow, Settings: []string{
		"RESULT_WAIT=60s", "QUIET_TIME=60s",
	}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	door, err := r.openDoor()
	if err != nil {
		return nil, err
	}
	defer door.Close()
	if err := r.serve(ctx, door.URL); err != nil {
		return nil, err
	}
	looking, stop := context.WithCancel(ctx)
	looked := make(chan error, 1)
	go func() { looked <- r.look(looking) }()
	err = r.pressUntilClosed(ctx)
	if err == nil {
		err = r.settle(ctx)
	}
	stop()
	if err = errors.Join(err, <-looked); err != nil {
		return nil, err
	}
	return r.report.Done(), r.judge(ctx)
}

// openDoor notes when the server whose clock is wrong sends a cancellation.
func (r *run) openDoor() (*httptest.Server, error) {
	service, err := url.Parse(r.Box.URL)
	if err != nil {
		return nil, err
	}
	proxy := httputil.NewSingleHostReverseProxy(service)
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.HasSuffix(req.URL.Path, "/cancel") {
			r.mu.Lock()
			r.sent = append(r.sent, time.Now())
			r.mu.Unlock()
		}
		proxy.ServeHTTP(w, req)
	})), nil
}

// serve starts both servers with one window, which closes at a chosen second: the
// cut-off is a whole minute, and the margin reaches back from it.
func (r *run) serve(ctx context.Context, door string) (err error) {
	starting := 40 * time.Second // both servers, on a busy machine
	r.closes = time.Now().Add(starting + r.Lead).Truncate(time.Second)
	cutoff := r.closes.Add(5 * time.Second).Truncate(time.Minute).Add(time.Minute)
	window := []string{
		"CUTOFF=" + cutoff.In(r.Location()).Format("15:04"), fmt.Sprintf("CUTOFF_MARGIN=%s", cutoff.Sub(r.closes)),
	}
	if r.right, err = r.Serve(ctx, window...); err != nil {
		return err
	}
	wrong := append(window, "VEINTE_CLOCK_ERROR="+r.Ahead.String(), "CANCEL_BASE_URL="+door)
	if r.Blind {
		wrong = append(wrong, "VEINTE_CLOCK_BLIND=on")
	}
	if r.wrong, err = r.Serve(ctx, wrong...); err != nil {
		return err
	}
	return errors.Join(r.PostResultsTo(ctx, r.right), r.SignIn(ctx, r.right))
}

// pressUntilClosed sells and cancels on every terminal, at one server and the other in
// turn, until the window closes.
func (r *run) pressUntilClosed(ctx context.Context) error {
	var group sync.WaitGroup
	defer group.Wait()
	tick := time.NewTicker(r.Every)
	defer tick.Stop()
	for round := 0; time.Now().Before(r.closes); round++ {
		for terminal := range r.Places {
			group.Go(func() { r.press(ctx, round, terminal) })
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

func (r *run) press(ctx context.Context, round, terminal int) {
	sale, err := r.Sell(ctx, lab.Sale{Terminal: terminal})
	if err != nil {
		return // the next one will do
	}
	p, server := press{wrong: (round+terminal)%2 == 0}, r.right
	if p.wrong {
		server = r.wrong
	}
	answer := r.Managers[terminal%len(r.Managers)].Click(ctx, server, sale.ID, "click-"+sale.OrderID, false)
	p.at, p.ok = time.Now(), answer.OK()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.presses = append(r.presses, p)
}

// look notes when each cancellation is first seen to have expired.
func (r *run) look(ctx context.Context) error {
	for {
		rows, err := r.Cancellations(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		r.mu.Lock()
		for _, c := range rows {
			if c.State == "expired" && r.expired[c.ID].IsZero() {
				r.expired[c.ID] = time.Now()
			}
		}
		r.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// settle waits until nothing waits to be sent, and what was sent has its result.
func (r *run) settle(ctx context.Context) error {
	err := lab.Eventually(ctx, time.Until(r.closes)+settled, "nothing waits", func(ctx context.Context) (bool, error) {
		var left int
		err := r.Pool.QueryRow(ctx, `SELECT count(*) FROM cancellations WHERE state = 'requested'`).Scan(&left)
		return left == 0, err
	})
	if err != nil && ctx.Err() == nil {
		r.report.Violate("what waits is left to others, and nobody does it: %v; %s", err, r.waiting(ctx))
	}
	return r.Resolved(ctx, 2*time.Minute)
}

// waiting says what the queue has about what still waits to be sent, for a person who looks
// for the reason.
func (r *run) waiting(ctx context.Context) string {
	var tasks string
	err := r.Pool.QueryRow(ctx, `SELECT coalesce(string_agg(concat_ws(' ', 'cancellation', c.id, 'requested', c.requested_at, 'now',
			clock_timestamp(), j.args, j.state, 'at', j.scheduled_at, 'tried', j.attempted_at, 'by', j.attempted_by,
			j.errors[cardinality(j.errors)]), E'\n'), 'nothing')
		FROM cancellations c LEFT JOIN river_job j ON j.args->>'caseId' = c.id::text WHERE c.state = 'requested'`).Scan(&tasks)
	return fmt.Sprintf("its tasks: %s (%v)", tasks, err)
}

func (r *run) judge(ctx context.Context) (err error) {
	if r.report.Verdict, err = r.Judge(ctx); err != nil {
		return err
	}
	moves, err := r.Moves(ctx)
	if err != nil {
		return err
	}
	r.report.Violations = append(r.report.Violations, backwards(moves)...)
	r.report.Violations = append(r.report.Violations, r.outOfTime()...)
	r.report.Add("expired", len(r.expired), "")
	r.report.Add("sent by the server whose clock is wrong", len(r.sent), "")
	ledger, err := r.Box.Ledger()
	if err != nil {
		return err
	}
	for _, e := range ledger {
		if e.Kind == "request" && e.Operation == "cancel" && !e.At.Before(r.closes) {
			r.report.Violate("order %s was sent %s after the window had closed", e.OrderID, e.At.Sub(r.closes))
		}
	}
	for server, want := range map[*lab.Server]bool{r.right: false, r.wrong: true} {
		page := r.Managers[0].Get(ctx, server, "/sales")
		if got := strings.Contains(page.Text, `data-kind="serverClock"`); got != want && !r.Blind {
			r.report.Violate("the page of server %d says that its clock is wrong: %t, want %t", server.Number, got, want)
		}
	}
	if !r.Blind && !strings.Contains(r.wrong.Log(), "clock differs") {
		r.report.Violate("the log of the server whose clock is wrong does not say so")
	}
	return nil
}

// outOfTime returns what happened at a wrong time.
func (r *run) outOfTime() (violations []string) {
	violate := func(format string, args ...any) { violations = append(violations, fmt.Sprintf(format, args...)) }
	for id, at := range r.expired {
		if early := r.closes.Sub(at); early > leeway {
			violate("cancellation %d expired %s early", id, early)
		}
	}
	if len(r.expired) == 0 {
		violate("nothing expired, so nothing was tried")
	}
	quiet := r.closes.Add(-2 * r.Ahead.Abs())
	for _, at := range r.sent {
		if at.After(quiet.Add(leeway)) {
			violate("the server whose clock is wrong by %s sent %s before the window closed", r.Ahead, r.closes.Sub(at))
		}
	}
	if len(r.sent) == 0 {
		violate("the server whose clock is wrong sent nothing at all")
	}
	late := 0
	for _, p := range r.presses {
		switch {
		case !p.ok && p.at.Before(r.closes.Add(-leeway)):
			violate("a press was refused %s before the window closed, wrong clock: %t", r.closes.Sub(p.at), p.wrong)
		case p.ok && p.wrong && p.at.After(quiet):
			late++
		case p.ok && p.at.After(r.closes.Add(leeway)):
			violate("a press was accepted %s after the window had closed, wrong clock: %t", p.at.Sub(r.closes), p.wrong)
		}
	}
	if late == 0 {
		violate("no press was accepted by the server whose clock is wrong, shortly before the end")
	}
	return violations
}

// backwards returns the cancellations whose trail goes back in time, by more than clocks
// may differ that are right.
func backwards(moves []lab.Move) (violations []string) {
	last := map[int64]time.Time{}
	for _, m := range moves {
		if back := last[m.CancellationID].Sub(m.At); back > 2*time.Second {
			violations = append(violations, fmt.Sprintf("in the trail of cancellation %d time goes back by %s", m.CancellationID, back))
		}
		last[m.CancellationID] = m.At
	}
	return violations
}

func TestMain(m *testing.M) { chaos.Main(m) }

// The clock of one server is ahead, of another one behind.
func TestAWrongClockEndsNothingEarly(t *testing.T) {
	t.Parallel()
	clocks := chaos.Choose([]time.Duration{15 * time.Second}, []time.Duration{90 * time.Second, -90 * time.Second, 20 * time.Second})
	for _, ahead := range clocks {
		x := &Experiment{Ahead: ahead, Lead: 2*ahead.Abs() + 25*time.Second, Every: 4 * time.Second, Places: chaos.Choose(4, 12)}
		chaos.Try(t, x.Run)
	}
}

// TestTheJudgeSeesAWrongClock is the canary: a server that does not notice that its
// clock is ahead does all that the judge looks for. Which of the two servers sends is
// chance, so one run may lack what another has.
func TestTheJudgeSeesAWrongClock(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 3 {
		x := &Experiment{Ahead: 15 * time.Second, Blind: true, Lead: 55 * time.Second, Every: 4 * time.Second, Places: 4}
		for _, v := range chaos.Fail(t, x.Run) {
			for _, sign := range []string{"expired", "sent", "refused"} {
				if strings.Contains(v, sign) && !strings.Contains(v, "nothing") {
					seen[sign] = true
				}
			}
		}
		if seen["expired"] && seen["sent"] && seen["refused"] {
			return
		}
	}
	t.Errorf("the judge saw %v, want an early end, late sending and a press that was refused", seen)
}
