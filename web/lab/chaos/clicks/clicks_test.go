package clicks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"veinte/web/lab"
	"veinte/web/lab/chaos"
)

// Experiment sets how much is tried.
type Experiment struct {
	Sales   int // sales
	People  int // managers who click
	Presses int // presses by each of them on each sale, all at the same time
	Fresh   int // how many of these are clicks of their own; the others repeat one. Divides the presses
}

// run is one run of it.
type run struct {
	*Experiment
	*lab.Lab
	report   *lab.Report
	mu       sync.Mutex // of the report
	answered atomic.Int64
	busy     time.Duration // while presses were under way
	longest  time.Duration // of a round of presses on one sale
}

// Run clicks, and then runs the judge.
func (x *Experiment) Run(ctx context.Context, setup lab.Setup) (_ *lab.Report, err error) {
	if x.Fresh < 1 || x.Presses%x.Fresh != 0 {
		return nil, fmt.Errorf("%d presses are not a multiple of %d fresh clicks", x.Presses, x.Fresh)
	}
	r := &run{Experiment: x, report: lab.NewReport("clicks", setup)}
	r.Lab, err = lab.Start(ctx, lab.Options{
		Setup: setup, Servers: 2, Terminals: 40, Managers: x.People, // nothing dies, so nothing need be durable
		// A cancellation must end before the terminal's next sale.
		ResultDelay: 20 * time.Millisecond,
		Settings:    []string{"CANCEL_TIMEOUT=30s", "RESULT_WAIT=30s", "QUIET_TIME=30s"},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for n := range x.Sales {
		if err := r.sale(ctx, n); err != nil {
			return nil, err
		}
		if (n+1)%100 == 0 {
			r.Progress("clicks: %d sales, %d presses, %.0f a second", n+1, r.answered.Load(), float64(r.answered.Load())/r.busy.Seconds())
		}
	}
	if err := r.Resolved(ctx, 2*time.Minute); err != nil {
		return nil, err
	}
	return r.judge(ctx)
}

// sale lets everybody click the button of one new sale.
func (r *run) sale(ctx context.Context, n int) error {
	sale, err := r.Sell(ctx, lab.Sale{Terminal: n % r.Terminals()})
	if err != nil {
		return err
	}
	begin := time.Now()
	var group sync.WaitGroup
	for i, person := range r.Managers {
		for j := range r.Presses {
			// The same click goes to both servers alternately.
			click := fmt.Sprintf("sale%d-%d", n, j%r.Fresh)
			group.Go(func() { r.press(ctx, person, r.Servers[(i+j/r.Fresh+j)%2], sale.ID, click) })
		}
	}
	group.Wait()
	took := time.Since(begin)
	r.busy += took
	r.longest = max(r.longest, took)
	return ctx.Err()
}

// press clicks once and checks that the response is allowed: success, or a refusal
// which states that a cancellation is open or has ended.
func (r *run) press(ctx context.Context, p *lab.Person, s *lab.Server, sale int64, click string) {
	a := p.Click(ctx, s, sale, click, false)
	r.answered.Add(1)
	words := false
	for _, text := range refusals {
		words = words || strings.Contains(a.Text, text)
	}
	if a.Err == nil && (a.Status == 303 || a.Status == 409 && words) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Violate("click %s of %s on sale %d: %v", click, p.Name, sale, a.Problem())
}

// refusals are allowed for a sale that another click reached first.
var refusals = []string{
	"ya solicitó cancelarla a las", "Ya solicitaste cancelarla a las",
	"ya la canceló: la solicitó a las", "Ya la cancelaste: la solicitaste a las", // it is canceled by now
}

// judge adds this experiment's own checks to the judge's verdict: one cancellation
// and one delivery for each sale.
func (r *run) judge(ctx context.Context) (*lab.Report, error) {
	v, err := r.Judge(ctx)
	if err != nil {
		return nil, err
	}
	r.report.Verdict = v
	if v.Cancellations != r.Sales {
		r.report.Violate("%d sales have %d cases", r.Sales, v.Cancellations)
	}
	if v.Deliveries != r.Sales {
		r.report.Violate("%d sales were delivered %d times", r.Sales, v.Deliveries)
	}
	// All repetitions of the click that was first belong to its cancellation; all
	// other clicks are refused.
	if want := r.Sales * r.Presses / r.Fresh; v.Acknowledged != want {
		r.report.Violate("%d presses were told that they opened the case, want %d", v.Acknowledged, want)
	}
	if v.States["confirmed"] != r.Sales {
		r.report.Violate("of %d sales %d are confirmed", r.Sales, v.States["confirmed"])
	}
	r.report.Add("presses at once, on each sale", r.People*r.Presses, "")
	r.report.Add("presses", r.answered.Load(), "")
	r.report.Add("presses a second", int(float64(r.answered.Load())/r.busy.Seconds()), "")
	r.report.Add("longest round of one sale", r.longest, "")
	return r.report.Done(), nil
}

func TestMain(m *testing.M) { chaos.Main(m) }

// The short version has 60 concurrent clicks on each of five sales.
func TestClicks(t *testing.T) {
	t.Parallel()
	chaos.Try(t, chaos.Choose(
		&Experiment{Sales: 5, People: 3, Presses: 20, Fresh: 10},
		&Experiment{Sales: 1000, People: 5, Presses: 100, Fresh: 50},
	).Run)
}
