package doubts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"veinte/web/lab"
	"veinte/web/lab/chaos"
)

// Experiment sets how much is tried, and with which waits.
type Experiment struct {
	Each                   int // cancellations of each kind
	Answer, Result, Quiet  time.Duration
	MostCanceled, MostLost time.Duration // for the evidence: see kinds
}

// kind is how a cancellation comes to be in doubt, and what its terminal then answers.
type kind struct {
	name  string
	fault string
	acts  bool
	delay string
	most  func(*Experiment) time.Duration // until there is evidence: the median's bound
}

func canceledSoon(x *Experiment) time.Duration { return x.MostCanceled }

// A terminal whose push nobody acknowledged may act on it until the quiet time is over.
func chargedLater(x *Experiment) time.Duration { return x.MostLost }

var kinds = []kind{
	{"no result, canceled", "lateResult", true, "20m", canceledSoon},     // and the result comes after the experiment
	{"no result, still charged", "ackNoResult", false, "", canceledSoon}, // the wait for it was as long as the quiet time
	{"no answer, still charged", "hang", false, "", chargedLater},
	{"connection lost, still charged", "dropAfterReading", false, "", chargedLater},
}

type run struct {
	*Experiment
	*lab.Lab
	report *lab.Report
	server *lab.Server
	kinds  map[string]kind // by order
}

// Run carries out the experiment.
func (x *Experiment) Run(ctx context.Context, setup lab.Setup) (_ *lab.Report, err error) {
	r := &run{Experiment: x, report: lab.NewReport("doubts", setup), kinds: map[string]kind{}}
	r.Lab, err = lab.Start(ctx, lab.Options{
		Setup: setup, Terminals: x.Each * len(kinds), Servers: 1, Settings: []string{
			"CANCEL_TIMEOUT=" + x.Answer.String(), "RESULT_WAIT=" + x.Result.String(), "QUIET_TIME=" + x.Quiet.String(),
		},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	r.server = r.Servers[0]
	if err := r.press(ctx); err != nil {
		return nil, err
	}
	most := max(x.Answer, x.Result) + max(x.MostCanceled, x.MostLost) + time.Minute
	// What is left open is a violation, below.
	waited := lab.Eventually(ctx, most, "every doubt has ended", func(ctx context.Context) (bool, error) {
		var left int
		err := r.Pool.QueryRow(ctx, `SELECT count(*) FROM cancellations
			WHERE state IN ('requested', 'sending', 'accepted', 'unknown')`).Scan(&left)
		return left == 0, err
	})
	if ctx.Err() != nil {
		return nil, waited
	}
	if err := r.judge(ctx); err != nil {
		return nil, err
	}
	return r.report.Done(), nil
}

// press sells and cancels on every terminal at once.
func (r *run) press(ctx context.Context) error {
	var group sync.WaitGroup
	failures := make([]error, r.Terminals())
	sales := make([]*lab.Sale, r.Terminals())
	for i := range sales {
		k := kinds[i%len(kinds)]
		sale, err := r.Sell(ctx, lab.Sale{Terminal: i})
		if err != nil {
			return err
		}
		sales[i], r.kinds[sale.OrderID] = sale, k
		if err := r.Box.Fault(ctx, lab.Fault{Fault: k.fault, OrderID: sale.OrderID, Acts: &k.acts, Delay: k.delay}); err != nil {
			return err
		}
	}
	for i, sale := range sales {
		group.Go(func() {
			answer := r.Managers[i%len(r.Managers)].Click(ctx, r.server, sale.ID, "click-"+sale.OrderID, false)
			if !answer.OK() {
				failures[i] = fmt.Errorf("press for %s: %w", sale.OrderID, answer.Problem())
			}
		})
	}
	group.Wait()
	return errors.Join(failures...)
}

// judge compares the ends with the ledger, and the times with their bounds.
func (r *run) judge(ctx context.Context) (err error) {
	if r.report.Verdict, err = r.Judge(ctx); err != nil {
		return err
	}
	if v := r.report.Verdict; v.LeftOpen > 0 || v.ByPeople > 0 {
		r.report.Violate("%d doubts did not end, %d were ended by people", v.LeftOpen, v.ByPeople)
	}
	cancellations, err := r.Cancellations(ctx)
	if err != nil {
		return err
	}
	moves, err := r.Moves(ctx)
	if err != nil {
		return err
	}
	took := map[string][]time.Duration{}
	for _, c := range cancellations {
		took[r.kinds[c.OrderID].name] = append(took[r.kinds[c.OrderID].name], evidenceAfter(moves, c.ID))
	}
	for _, k := range kinds {
		r.report.Violations = append(r.report.Violations, r.Experiment.tooSlow(k, took[k.name])...)
		all := slices.Sorted(slices.Values(took[k.name]))
		r.report.Add(k.name+", median", all[len(all)/2], fmt.Sprintf("at most %s", k.most(r.Experiment)))
		r.report.Add(k.name+", longest", all[len(all)-1], "")
	}
	return nil
}

// tooSlow returns what is wrong with the times from the doubts to their evidence.
func (x *Experiment) tooSlow(k kind, took []time.Duration) (violations []string) {
	if len(took) != x.Each {
		return []string{fmt.Sprintf("%s: %d cancellations, want %d", k.name, len(took), x.Each)}
	}
	if slices.Contains(took, 0) {
		violations = append(violations, k.name+": one of them was never in doubt, or is still")
	}
	if median := slices.Sorted(slices.Values(took))[len(took)/2]; median > k.most(x) {
		violations = append(violations, fmt.Sprintf("%s: the median until the evidence is %s, want %s at most", k.name, median, k.most(x)))
	}
	return violations
}

// evidenceAfter returns how long a cancellation was in doubt; 0 when it was not, or is.
func evidenceAfter(moves []lab.Move, id int64) time.Duration {
	var began time.Time
	for _, m := range moves {
		switch {
		case m.CancellationID != id:
		case m.To == "unknown":
			began = m.At
		case !began.IsZero():
			return m.At.Sub(began)
		}
	}
	return 0
}

func TestMain(m *testing.M) { chaos.Main(m) }

// The long version has the product's own waits.
func TestDoubtsEndSoon(t *testing.T) {
	t.Parallel()
	x := chaos.Choose(
		&Experiment{
			Each: 2, Answer: time.Second, Result: 62 * time.Second, Quiet: 62 * time.Second,
			MostCanceled: time.Minute, MostLost: 85 * time.Second,
		},
		&Experiment{
			Each: 50, Answer: 30 * time.Second, Result: 180 * time.Second, Quiet: 180 * time.Second,
			MostCanceled: time.Minute, MostLost: 220 * time.Second,
		},
	)
	chaos.Try(t, x.Run)
}

// TestTheJudgeSeesWhatIsSlow: the times that were measured before there was an inquiry
// after the quiet time, and doubts that did not end.
func TestTheJudgeSeesWhatIsSlow(t *testing.T) {
	t.Parallel()
	x := &Experiment{Each: 3, MostCanceled: time.Minute, MostLost: 220 * time.Second}
	for _, tt := range []struct {
		fact string
		kind kind
		took []time.Duration
		want int
	}{
		{"in time", kinds[0], []time.Duration{31 * time.Second, 90 * time.Second, 32 * time.Second}, 0},
		{"in time, charged", kinds[2], []time.Duration{185 * time.Second, 186 * time.Second, 245 * time.Second}, 0},
		{"only the inquiry after 4 minutes proves it", kinds[2], []time.Duration{241 * time.Second, 241 * time.Second, 185 * time.Second}, 1},
		{"one that never ended", kinds[0], []time.Duration{31 * time.Second, 0, 32 * time.Second}, 1},
		{"one that is missing", kinds[0], []time.Duration{31 * time.Second, 31 * time.Second}, 1},
	} {
		if got := x.tooSlow(tt.kind, tt.took); len(got) != tt.want {
			t.Errorf("%s: %d violations %q, want %d", tt.fact, len(got), got, tt.want)
		}
	}
	at := time.Now()
	moves := []lab.Move{
		{CancellationID: 1, At: at, To: "unknown"},
		{CancellationID: 2, At: at.Add(time.Second), To: "confirmed"},
		{CancellationID: 1, At: at.Add(time.Minute), To: "notCanceled"},
	}
	if got := evidenceAfter(moves, 1); got != time.Minute {
		t.Errorf("evidenceAfter(1) = %s, want 1m0s", got)
	}
	if got := evidenceAfter(moves, 2); got != 0 {
		t.Errorf("evidenceAfter(of one that was never in doubt) = %s, want 0", got)
	}
}
