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
		if err := r.Servers[i+1].Respawn(fmt.Sprintf("%s=%s:%d", crashpoint.FreezeVariable, step, 1+r.rand.IntN(2))); err != nil {
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
	left, err := r.unfinished(ctx)
	if err != nil {
		return err
	}
	if err := r.resolveLeft(ctx, left); err != nil {
		return err
	}
	r.longest = max(r.longest, time.Since(began))
	return r.thaw(ctx, left)
}

// unfinished waits until attempts without an outcome are the frozen servers' alone, and
// returns their cancellations.
func (r *run) unfinished(ctx context.Context) (left map[int64]bool, err error) {
	err = lab.Eventually(ctx, patience, "only frozen servers have attempts under way", func(ctx context.Context) (bool, error) {
		var others int
		err := r.Pool.QueryRow(ctx, `SELECT count(*) FROM attempts WHERE meaning = '' AND deadline_at + interval '2 s' > now()`).Scan(&others)
		return others == 0, err
	})
	if err != nil {
		return nil, err
	}
	attempts, err := r.Attempts(ctx)
	left = map[int64]bool{}
	for _, a := range attempts {
		if a.FinishedAt == nil || a.Meaning == "unknown" && a.Detail == "interrupted" {
			left[a.CancellationID] = true
		}
	}
	if err == nil && len(left) < len(steps) {
		err = fmt.Errorf("%d servers are frozen while they send, and only %d attempts have no outcome", len(steps), len(left))
	}
	return left, err
}

// resolveLeft waits until others have ended what the frozen servers left. The supervisor
// has terminals asked about doubts, so that this does not take half a minute.
func (r *run) resolveLeft(ctx context.Context, left map[int64]bool) error {
	err := lab.Eventually(ctx, patience, "others have ended what frozen servers left", func(ctx context.Context) (bool, error) {
		cases, err := r.Cancellations(ctx)
		open := 0
		for _, c := range cases {
			if !left[c.ID] || !c.Underway() && c.State != "unknown" {
				continue
			}
			open++
			if c.State == "unknown" {
				r.Supervisor.Post(ctx, r.Servers[0], "/cancellations/"+strconv.FormatInt(c.ID, 10)+"/inquiry", url.Values{})
			}
		}
		if open > 0 {
			pause(ctx, time.Second)
			return false, fmt.Errorf("%d are open: %w", open, err)
		}
		return err == nil, err
	})
	r.settled += len(left)
	return err
}

// thaw has the frozen servers go on, and waits until each has stored the outcome of what
// it was doing.
func (r *run) thaw(ctx context.Context, left map[int64]bool) error {
	thawed := time.Now()
	for _, s := range r.Servers[1:] {
		if err := s.Thaw(); err != nil {
			return err
		}
	}
	err := lab.Eventually(ctx, patience, "servers that go on have stored their outcomes", func(ctx context.Context) (bool, error) {
		attempts, err := r.Attempts(ctx)
		for _, a := range attempts {
			if left[a.CancellationID] && a.Meaning != "notSent" && (a.FinishedAt == nil || a.FinishedAt.Before(thawed)) {
				return false, fmt.Errorf("attempt %d of case %d is %s since %v", a.Number, a.CancellationID, a.Meaning, a.FinishedAt)
			}
		}
		return err == nil, err
	})
	if err != nil {
		return err
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
					return // the run is ending; the judge counts what exists
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
