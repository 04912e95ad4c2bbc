package network

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"veinte/web/lab"
)

// Experiment is `chaos network`.
type Experiment struct {
	PerFault int `default:"200" help:"Cases of each of the fourteen faults."`
	Block    int `default:"20" help:"Cases of one fault that are under way at the same time, beside those of the others."`
	Hung     int `default:"300" help:"Requests of one store that the service leaves hanging while another store works."`
	Beside   int `default:"30" help:"Cancellations of the other store, each time that it is timed."`
	Rounds   int `default:"4" help:"Times that it is timed, each time without and with the hanging requests."`
}

// run is one run of it, over several laboratories at once: most of the time of
// the experiment is spent waiting.
type run struct {
	*Experiment
	setup lab.Setup

	starting sync.Mutex // held by the laboratory that starts

	mu     sync.Mutex // of what follows
	report *lab.Report
	tally  map[string]*tally // by fault
	seen   int               // cancel requests that left the servers
	resent int               // of them, beyond a case's first
	ratio  ratio
}

// Run carries it out.
func (x *Experiment) Run(ctx context.Context, setup lab.Setup) (*lab.Report, error) {
	r := &run{Experiment: x, setup: setup, report: lab.NewReport("network", setup), tally: map[string]*tally{}}
	r.report.Verdict = &lab.Verdict{}
	if r.setup.Progress == nil {
		r.setup.Progress = func(string) {}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	stations := r.stations()
	errs := make([]error, len(stations))
	for i, s := range stations {
		group.Go(func() {
			if errs[i] = s.carryOut(ctx, uint64(i)); errs[i] != nil {
				errs[i] = fmt.Errorf("%s: %w", s.name, errs[i])
				stop() // the others would only be a waste of time
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	r.figures()
	return r.report.Done(), nil
}

// stations are the laboratories: one for what befalls requests on their way,
// two for what keeps them from leaving.
func (r *run) stations() []*station {
	unsent := min(r.PerFault, 200)
	return []*station{
		{run: r, name: "on the way", terminals: max(len(after)*min(r.Block, r.PerFault), 2*max(r.Hung, r.Beside)), work: (*station).onTheWay},
		{run: r, name: "refused, TLS", terminals: unsent, work: func(s *station, ctx context.Context) error {
			return errors.Join(
				s.life(ctx, &before.refused, closedPort, "http://ADDR"),
				s.life(ctx, &before.tls, func() (*deadEnd, error) { return noHandshake(s.proxies.service) }, "https://ADDR"))
		}},
		{run: r, name: "DNS, connect timeout", terminals: unsent, work: func(s *station, ctx context.Context) error {
			return errors.Join(
				s.life(ctx, &before.dns, func() (*deadEnd, error) { return &deadEnd{addr: "pagos.invalid"}, nil }, "https://ADDR"),
				s.life(ctx, &before.connectTimeout, fullBacklog, "http://ADDR", "CANCEL_TIMEOUT="+connectWait.String()))
		}},
	}
}

// tally is how the cases of one fault came out.
type tally struct {
	cases, exact int
	said         map[string]int // what the last attempt said
	states       map[string]int
}

// figures adds what only this experiment knows.
func (r *run) figures() {
	for _, f := range append(everyFault(), hungFault, unharmed) {
		t := r.tally[f.name]
		if t == nil {
			r.report.Violate("no case met %s", f.name)
			continue
		}
		r.report.Add(f.name, fmt.Sprintf("%d of %d exact", t.exact, t.cases), brief(t.said)+" → "+brief(t.states))
	}
	r.report.Add("cancel requests that left, seen at the door", r.seen, "")
	r.report.Add("of them sent again after bytes may have left", r.resent, "0")
	r.ratio.figures(r.report)
}

func everyFault() []fault {
	return append([]fault{before.refused, before.dns, before.tls, before.connectTimeout}, after...)
}

func brief(m map[string]int) string {
	var parts []string
	for name, n := range m {
		parts = append(parts, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
