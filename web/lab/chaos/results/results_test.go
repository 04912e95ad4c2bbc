package results

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"veinte/web/lab"
	"veinte/web/lab/chaos"
)

// Experiment sets how much is tried.
type Experiment struct {
	Fuzzed      int // bodies that a fuzzer makes
	Connections int // connections over which these are posted
	Sets        int // sets of sales, one in each state, that fuzzed bodies name
}

// run is one run of it.
type run struct {
	*Experiment
	*lab.Lab
	office *office
	mu     sync.Mutex // of the report and what follows
	report *lab.Report
	amount int // centavos of the next sale
	clicks atomic.Int64
}

// The servers' settings. With long waits only a post changes a cancellation; at the
// end everything under way comes to an end.
var (
	waitsLong  = []string{"CANCEL_TIMEOUT=60s", "RESULT_WAIT=1h", "QUIET_TIME=1h", "LOG_LEVEL=info"}
	waitsShort = []string{"RESULT_WAIT=1s", "QUIET_TIME=1s"}
)

// Run makes a sale in every state, posts, and compares.
func (x *Experiment) Run(ctx context.Context, setup lab.Setup) (_ *lab.Report, err error) {
	r := &run{Experiment: x, report: lab.NewReport("results", setup), amount: 10000}
	if r.office, err = openOffice(); err != nil {
		return nil, err
	}
	defer r.office.close()
	r.Lab, err = lab.Start(ctx, lab.Options{
		Setup: setup, Servers: 2, Terminals: x.Sets*len(setMembers) + 1, Managers: 4, Settings: waitsLong, PostsHeld: true,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	r.office.deliversTo(r.Servers[0].ResultsURL(), r.Servers[1].ResultsURL())
	if err := r.Box.Control(ctx, "PUT", "/control/config", map[string]any{"responseURL": r.office.url}, nil); err != nil {
		return nil, err
	}
	if err := r.fuzz(ctx); err != nil {
		return nil, err
	}
	return r.report.Done(), r.judge(ctx)
}

func (r *run) violate(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Violate(format, args...)
}

// newSale is a sale of its own amount, which gives it a folio of its own.
func (r *run) newSale(terminal int, fault string) *lab.Sale {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.amount++
	return &lab.Sale{
		Terminal: terminal, Fault: fault, OrderID: fmt.Sprintf("orden-%d", r.amount),
		Amount: fmt.Sprintf("%d.%02d", r.amount/100, r.amount%100),
	}
}

// judge waits for everything to end, lets the supervisor resolve what is in doubt by
// what the terminals did, and runs the judge.
func (r *run) judge(ctx context.Context) error {
	for _, s := range r.Servers {
		if err := errors.Join(s.Stop(), s.Restart(ctx, waitsShort...)); err != nil {
			return err
		}
	}
	// A push stays on its screen for as long as it could when it was sent, so
	// cancellations that wait for such a terminal are withdrawn.
	cases, err := r.Cancellations(ctx)
	if err != nil {
		return err
	}
	for _, c := range cases {
		if c.State != "requested" {
			continue
		}
		if a := r.Supervisor.Post(ctx, r.Servers[0], fmt.Sprintf("/cancellations/%d/withdrawal", c.ID), url.Values{}); !a.OK() {
			return fmt.Errorf("take back case %d: %w", c.ID, a.Problem())
		}
	}
	if err := r.Resolved(ctx, 2*time.Minute); err != nil {
		return err
	}
	settled, err := r.ResolveByPeople(ctx, r.Servers[0])
	if err != nil {
		return err
	}
	r.report.Add("doubts that a person ended", settled, "")
	if r.report.Verdict, err = r.Judge(ctx); err != nil {
		return err
	}
	return r.examineLogs()
}

func TestMain(m *testing.M) { chaos.Main(m) }

// The short version has 3,000 fuzzed bodies.
func TestResults(t *testing.T) {
	t.Parallel()
	chaos.Try(t, chaos.Choose(
		&Experiment{Fuzzed: 3000, Connections: 6, Sets: 1},
		&Experiment{Fuzzed: 100_000, Connections: 8, Sets: 6},
	).Run)
}
