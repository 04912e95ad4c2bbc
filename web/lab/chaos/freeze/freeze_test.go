package freeze

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models/crashpoint"
	"veinte/web/lab"
	"veinte/web/lab/chaos"
)

// Experiment sets how much is tried.
type Experiment struct {
	Rounds  int // rounds; each freezes a server at every step of the wire
	Outside int // freezes from outside, at random moments
	Workers int // workers that sell and cancel concurrently
}

// settings make a cancellation end soon.
var settings = []string{"CANCEL_TIMEOUT=1s", "RESULT_WAIT=2s", "QUIET_TIME=3s"}

// steps are the steps of the wire, in their order.
var steps = []crashpoint.Point{
	crashpoint.AfterAttemptCommit, crashpoint.AfterDial, crashpoint.BeforeGate, crashpoint.AfterGate,
	crashpoint.AfterHeaders, crashpoint.AfterBody, crashpoint.AfterAnswer, crashpoint.BeforeOutcomeCommit,
}

// inside are the steps between the last look at the clock and the last byte: a process
// that is frozen there can only say so afterwards.
var inside = map[crashpoint.Point]bool{crashpoint.AfterGate: true, crashpoint.AfterHeaders: true, crashpoint.AfterBody: true}

// Of the steps, those before the gate, at which nothing was sent and nothing may be, and
// those inside at which the service does not have the whole request yet.
const (
	beforeTheGate = 3
	midway        = 2
)

// patience limits how long a step may take to be reached, or a doubt to end.
const patience = 3 * time.Minute

// run is one run of it.
type run struct {
	*Experiment
	*lab.Lab
	rand    *rand.Rand
	report  *lab.Report
	frozen  map[crashpoint.Point]int
	inside  int           // frozen where nothing can prevent late bytes
	longest time.Duration // that a server stood still
	settled int           // cancellations that others ended while their server stood still
}

// Run freezes, and then runs the judges.
func (x *Experiment) Run(ctx context.Context, setup lab.Setup) (_ *lab.Report, err error) {
	r := &run{Experiment: x, report: lab.NewReport("freeze", setup), frozen: map[crashpoint.Point]int{}}
	r.Lab, err = lab.Start(ctx, lab.Options{
		Setup: setup, Servers: 1 + len(steps), Terminals: 60, Managers: 3, Settings: settings,
		Latency: 20 * time.Millisecond, ResultDelay: 100 * time.Millisecond,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := r.PostResultsTo(ctx, r.Servers[0]); err != nil { // it is never frozen
		return nil, err
	}
	r.rand = r.Rand(0)
	for n := range x.Rounds {
		if err := r.round(ctx); err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
		r.Progress("freeze: round %d of %d", n+1, x.Rounds)
	}
	if err := r.fromOutside(ctx); err != nil {
		return nil, err
	}
	return r.end(ctx)
}

// round freezes a server at each step, lets the first one and people resolve what they
// left, and has them go on.
func (r *run) round(ctx context.Context) error {
	for i, step := range steps {
		if err := r.Servers[i+1].Respawn(armed(step, 1+r.rand.IntN(2))...); err != nil {
			return err
		}
	}
	began := time.Now()
	working := r.startLoad(ctx)
	for i, step := range steps {
		err := lab.Eventually(ctx, patience, "a server is frozen at "+string(step), func(context.Context) (bool, error) {
			return r.Servers[i+1].Frozen(), nil
		})
		if err != nil {
			working.stop()
			return err
		}
		r.frozen[step]++
		if inside[step] {
			r.inside++
		}
	}
	working.stop()
	left, err := r.othersEnd(ctx)
	if err != nil {
		return err
	}
	r.settled += len(left)
	r.longest = max(r.longest, time.Since(began))
	return r.thaw(ctx, left)
}

// armed are the settings of a server that is to freeze at a step. It sends no inquiries,
// which take the same steps: so what it freezes in is an attempt.
func armed(step crashpoint.Point, passing int) []string {
	return []string{fmt.Sprintf("%s=%s:%d", crashpoint.FreezeVariable, step, passing), "INQUIRY_PATH="}
}

// unfinished reports whether an attempt has no outcome from its own process at an
// instant: others may have called it interrupted.
func unfinished(a lab.Attempt, at time.Time) bool {
	return a.FinishedAt == nil || a.Meaning == "unknown" && a.Detail == "interrupted" && a.FinishedAt.Before(at)
}

// othersEnd waits until others have ended each case of which an attempt is unfinished,
// long after its deadline, and returns these attempts, by the hash of their id: the frozen
// servers' own.
func (r *run) othersEnd(ctx context.Context) (left map[string]bool, err error) {
	err = lab.Eventually(ctx, patience, "others have ended what frozen servers left", func(ctx context.Context) (bool, error) {
		attempts, err := r.Attempts(ctx)
		if err != nil {
			return false, err
		}
		left = map[string]bool{}
		cases := map[int64]bool{}
		early := 0
		for _, a := range attempts {
			if !unfinished(a, time.Now()) {
				continue
			}
			left[a.KeyHash], cases[a.CancellationID] = true, true
			if time.Since(a.DeadlineAt) < slack {
				early++
			}
		}
		ended, err := r.ended(ctx, cases)
		if early > 0 {
			return false, errors.Join(fmt.Errorf("%d have just begun", early), err)
		}
		return ended, err
	})
	if err == nil && len(left) < len(steps) {
		err = fmt.Errorf("%d servers are frozen while they send, and only %d attempts have no outcome", len(steps), len(left))
	}
	return left, err
}

// ended reports whether cases are final. Of those in doubt the supervisor has the
// terminals asked, so that this does not take half a minute, and not before the quiet
// time is over: what they answer until then proves nothing, and the next question would
// have to wait.
func (r *run) ended(ctx context.Context, of map[int64]bool) (bool, error) {
	cases, err := r.Cancellations(ctx)
	if err != nil {
		return false, err
	}
	open := 0
	for _, c := range cases {
		if !of[c.ID] || !c.Underway() && c.State != "unknown" {
			continue
		}
		open++
		var asks bool
		err := r.Pool.QueryRow(ctx, `SELECT state = 'unknown' AND coalesce(quiet_until < now(), true)
			FROM cancellations WHERE id = $1`, c.ID).Scan(&asks)
		if err != nil {
			return false, err
		}
		if asks {
			r.Supervisor.Post(ctx, r.Servers[0], "/cancellations/"+strconv.FormatInt(c.ID, 10)+"/inquiry", url.Values{})
		}
	}
	if open == 0 {
		return true, nil
	}
	pause(ctx, 500*time.Millisecond)
	return false, fmt.Errorf("%d are open", open)
}

// thaw has the frozen servers go on, waits until each has stored the outcome of what it
// was doing, and has them judged.
func (r *run) thaw(ctx context.Context, left map[string]bool) error {
	entries, err := r.Box.Ledger()
	if err != nil {
		return err
	}
	thawed := time.Now()
	for _, s := range r.Servers[1:] {
		if err := s.Thaw(); err != nil {
			return err
		}
	}
	var stored []lab.Attempt
	err = lab.Eventually(ctx, patience, "servers that go on have stored their outcomes", func(ctx context.Context) (bool, error) {
		attempts, err := r.Attempts(ctx)
		stored = stored[:0]
		for _, a := range attempts {
			if !left[a.KeyHash] {
				continue
			}
			if unfinished(a, thawed) {
				return false, fmt.Errorf("attempt %d of case %d is %s since %v", a.Number, a.CancellationID, a.Meaning, a.FinishedAt)
			}
			stored = append(stored, a)
		}
		return err == nil, err
	})
	if err != nil {
		return err
	}
	for _, b := range woke(stored, entries) {
		r.report.Violate("%s", b)
	}
	for _, s := range r.Servers {
		if err := s.Ready(ctx); err != nil {
			return err
		}
	}
	return r.Resolved(ctx, patience)
}

// fromOutside freezes servers at random moments under load, some for longer than it
// takes others to find what they left.
func (r *run) fromOutside(ctx context.Context) error {
	for _, s := range r.Servers[1:] {
		if err := s.Restart(ctx); err != nil {
			return err
		}
	}
	working := r.startLoad(ctx)
	defer working.stop()
	for range r.Outside {
		s := r.Servers[1+r.rand.IntN(len(steps))]
		pause(ctx, time.Duration(r.rand.Int64N(int64(300*time.Millisecond))))
		if err := s.Freeze(); err != nil {
			return err
		}
		long := []time.Duration{100 * time.Millisecond, 1500 * time.Millisecond, 15 * time.Second}[r.rand.IntN(3)]
		pause(ctx, long)
		if err := s.Thaw(); err != nil {
			return err
		}
		r.longest = max(r.longest, long)
		r.inside++ // it may have been there
	}
	working.stop()
	return r.Resolved(ctx, patience)
}

// load is a group of workers: each sells something and cancels it at the first server.
type load struct {
	stopped atomic.Bool
	group   sync.WaitGroup
}

var streams atomic.Uint64 // of the workers' random choices; 0 is the run's own

func (r *run) startLoad(ctx context.Context) *load {
	l := &load{}
	for range r.Workers {
		random := r.Rand(streams.Add(1))
		l.group.Go(func() {
			for !l.stopped.Load() && ctx.Err() == nil {
				sale := &lab.Sale{Terminal: random.IntN(r.Terminals())}
				if r.SellUnseen(ctx, sale) != nil || r.Seen(ctx, sale) != nil {
					continue // a frozen server's locks are in its way; the judge counts what exists
				}
				r.Managers[random.IntN(len(r.Managers))].Click(ctx, r.Servers[0], sale.ID, sale.OrderID, false)
				pause(ctx, time.Duration(random.IntN(100))*time.Millisecond)
			}
		})
	}
	return l
}

// stop lets every worker finish its sale.
func (l *load) stop() {
	l.stopped.Store(true)
	l.group.Wait()
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// end lets people resolve the rest, and runs the judges.
func (r *run) end(ctx context.Context) (*lab.Report, error) {
	people, err := r.ResolveByPeople(ctx, r.Servers[0])
	if err != nil {
		return nil, err
	}
	if r.report.Verdict, err = r.Judge(ctx); err != nil {
		return nil, err
	}
	j, err := r.judge(ctx, r.inside)
	if err != nil {
		return nil, err
	}
	for _, b := range j.broken {
		r.report.Violate("%s", b)
	}
	for _, step := range steps {
		r.report.Add("frozen "+string(step), r.frozen[step], "")
	}
	r.report.Add("frozen from outside", r.Outside, "")
	r.report.Add("longest freeze", r.longest, "")
	r.report.Add("cases that others ended meanwhile", r.settled, "")
	r.report.Add("requests that arrived after their deadline", j.arrived, "")
	r.report.Add("requests that may have, as their process says", j.said, "")
	r.report.Add("doubts that people settled at the end", people, "")
	return r.report.Done(), nil
}

// judge reads the ledger and the database for the judge.
func (r *run) judge(ctx context.Context, inside int) (judged, error) {
	attempts, err := r.Attempts(ctx)
	if err != nil {
		return judged{}, err
	}
	cases, err := r.Cancellations(ctx)
	if err != nil {
		return judged{}, err
	}
	raised := map[int64]bool{}
	rows, err := r.Pool.Query(ctx, `SELECT cancellation_id FROM audit_entries
		WHERE action = 'cancellation.conflict' AND after->>'conflict' = 'sentLate'`)
	if err != nil {
		return judged{}, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return judged{}, err
		}
		raised[id] = true
	}
	entries, err := r.Box.Ledger()
	return judge(entries, attempts, cases, raised, inside), errors.Join(err, rows.Err())
}

func TestMain(m *testing.M) { chaos.Main(m) }

// The short version has each step once.
func TestFreeze(t *testing.T) {
	t.Parallel()
	report, text := chaos.Try(t, chaos.Choose(
		&Experiment{Rounds: 1, Outside: 2, Workers: 6},
		&Experiment{Rounds: 30, Outside: 100, Workers: 8},
	).Run)
	for _, step := range steps {
		if !strings.Contains(text, string(step)) {
			t.Errorf("the report does not name %s", step)
		}
	}
	if v := report.Verdict; v.Deliveries == 0 || v.States["notCanceled"] == 0 {
		t.Errorf("no case was called still charged while its server was frozen: %+v", v)
	}
}
