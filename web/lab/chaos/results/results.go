package results

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"veinte/web/lab"
)

// Experiment is `chaos results`.
type Experiment struct {
	Rounds      int `default:"20" help:"How often each kind of wrong post is played."`
	AtOnce      int `default:"8" help:"Rounds that are played at the same time."`
	Fuzzed      int `default:"100000" help:"Bodies that a fuzzer makes."`
	Connections int `default:"8" help:"Connections over which these are posted."`
	Sets        int `default:"6" help:"Sets of sales, one in each state, that fuzzed bodies name."`
}

// run is one run of it.
type run struct {
	*Experiment
	*lab.Lab
	servers [2]*lab.Server
	office  *office
	report  *lab.Report
	mu      sync.Mutex // of the report and what follows
	amount  int        // centavos of the next sale
	since   int64      // results before this one are another stage's

	rounds map[string]int // that were played, by kind
	began  time.Time

	clicks, posted, turn atomic.Int64
}

// Lives of the servers. While they wait long nothing but a post moves a case.
var (
	waitsLong  = []string{"CANCEL_TIMEOUT=60s", "RESULT_WAIT=1h", "QUIET_TIME=1h", "LOG_LEVEL=info"}
	refused    = []string{"CANCEL_BASE_URL=http://127.0.0.1:1"} // nobody listens there
	shortQuiet = []string{"QUIET_TIME=" + quietTime.String()}
	dayAfter   = []string{"VEINTE_CLOCK_OFFSET=24h"}
)

const quietTime = 2 * time.Second

// Run plays every kind, then the fuzzer, then the day after.
func (x *Experiment) Run(ctx context.Context, setup lab.Setup) (_ *lab.Report, err error) {
	r := &run{Experiment: x, report: lab.NewReport("results", setup), amount: 10000, rounds: map[string]int{}, began: time.Now()}
	if r.office, err = openOffice(); err != nil {
		return nil, err
	}
	defer r.office.close()
	r.Lab, err = lab.Start(ctx, lab.Options{
		Setup: setup, Terminals: x.Rounds*(len(refusedFirst)+len(afterQuiet)+len(sameDay)+len(overnight)) + x.Sets*terminalsOfSet + 1,
		Managers: 4, Settings: waitsLong, PostsHeld: true,
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		if closeErr := r.Close(); err == nil {
			err = closeErr
		}
	}()
	if err := r.stages(ctx); err != nil {
		return nil, err
	}
	r.report.Add("kinds of wrong posts, rounds of each", fmt.Sprintf("%d, %d", len(r.rounds), x.Rounds), "")
	r.report.Add("posts delivered, fuzzed ones apart", r.posted.Load(), "")
	return r.report.Done(), nil
}

// stages are the lives of the servers and what is done in each.
func (r *run) stages(ctx context.Context) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	r.say("the laboratory stands")
	first := r.terminals(refusedFirst, 0)
	if err := r.play(ctx, first, (*round).playToday); err != nil {
		return err
	}
	if err := r.live(ctx, shortQuiet...); err != nil {
		return err
	}
	quiet := r.terminals(afterQuiet, len(first))
	if err := r.play(ctx, append(first, quiet...), (*round).playBrief); err != nil {
		return err
	}
	if err := r.live(ctx); err != nil {
		return err
	}
	same := r.terminals(sameDay, len(first)+len(quiet))
	night := r.terminals(overnight, len(first)+len(quiet)+len(same))
	if err := r.play(ctx, append(same, night...), (*round).playToday); err != nil {
		return err
	}
	if err := r.fuzz(ctx, len(first)+len(quiet)+len(same)+len(night)); err != nil {
		return err
	}
	if err := r.nextDay(ctx); err != nil {
		return err
	}
	if err := r.play(ctx, night, (*round).playTomorrow); err != nil {
		return err
	}
	return r.judge(ctx)
}

func (r *run) prepare(ctx context.Context) (err error) {
	for i := range r.servers {
		if r.servers[i], err = r.NewServer(); err != nil {
			return err
		}
	}
	if err := r.both(func(s *lab.Server) error { return s.Restart(ctx, refused...) }); err != nil {
		return err
	}
	r.office.deliversTo(r.servers[0].ResultsURL(), r.servers[1].ResultsURL())
	if err := r.Box.Control(ctx, "PUT", "/control/config", map[string]any{"responseURL": r.office.url}, nil); err != nil {
		return err
	}
	return r.SignIn(ctx, r.servers[0])
}

// live ends both servers in order and starts them with other settings.
func (r *run) live(ctx context.Context, settings ...string) error {
	// Both are down for a moment, so that no two lives overlap.
	if err := r.both(func(s *lab.Server) error { return s.Stop() }); err != nil {
		return err
	}
	return r.both(func(s *lab.Server) error { return s.Restart(ctx, settings...) })
}

func (r *run) both(f func(*lab.Server) error) error {
	var errs [2]error
	var group sync.WaitGroup
	for i, s := range r.servers {
		group.Go(func() { errs[i] = f(s) })
	}
	group.Wait()
	return errors.Join(errs[:]...)
}

// nextDay lets a night pass. What was awaited is no longer.
func (r *run) nextDay(ctx context.Context) error {
	r.say("the day after")
	if err := r.live(ctx, dayAfter...); err != nil {
		return err
	}
	if err := r.SignIn(ctx, r.servers[0]); err != nil {
		return err
	}
	return r.Settled(ctx, 2*time.Minute)
}

// server is one of the two, in turn.
func (r *run) server() *lab.Server { return r.servers[r.turn.Add(1)%2] }

func (r *run) violate(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Violate(format, args...)
}

// terminals gives every round of some kinds a terminal of its own: a case that
// stays open occupies it.
func (r *run) terminals(kinds []kind, from int) (rounds []*round) {
	for range r.Rounds {
		for i := range kinds {
			rounds = append(rounds, &round{run: r, kind: &kinds[i], terminal: from + len(rounds)})
			r.rounds[kinds[i].name]++
		}
	}
	return rounds
}

func (r *round) playToday()    { r.kind.today(r) }
func (r *round) playTomorrow() { r.kind.tomorrow(r) }

// playBrief goes on with what began with a refused connection, and plays the rest.
func (r *round) playBrief() {
	if r.kind.tomorrow != nil {
		r.kind.tomorrow(r)
		return
	}
	r.kind.today(r)
}

// play plays rounds, several at the same time.
func (r *run) play(ctx context.Context, rounds []*round, f func(*round)) error {
	places := make(chan struct{}, r.AtOnce)
	var group sync.WaitGroup
	for i, one := range rounds {
		places <- struct{}{}
		one.ctx = ctx
		group.Go(func() {
			f(one)
			<-places
		})
		if (i+1)%200 == 0 {
			r.say("%d of %d rounds", i+1, len(rounds))
		}
	}
	group.Wait()
	for _, one := range rounds {
		if one.err != nil {
			return one.err
		}
	}
	r.say("%d rounds played", len(rounds))
	return ctx.Err()
}

// say says how far the run is.
func (r *run) say(format string, args ...any) {
	r.Progress("results: after %s: %s", time.Since(r.began).Round(time.Second), fmt.Sprintf(format, args...))
}

// newSale is a sale of its own amount, which gives it a folio of its own.
func (r *run) newSale(terminal int, fault string) *lab.Sale {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.amount++
	s := &lab.Sale{
		Terminal: terminal, Fault: fault, OrderID: fmt.Sprintf("orden-%d", r.amount),
		Amount: fmt.Sprintf("%d.%02d", r.amount/100, r.amount%100),
	}
	r.office.mu.Lock()
	r.office.folios["venta_"+s.Amount] = s.OrderID
	r.office.mu.Unlock()
	return s
}

// judge lets the supervisor end what is in doubt, by what the terminals did, and
// the ledger judge the rest.
func (r *run) judge(ctx context.Context) error {
	settled, err := r.SettleByPeople(ctx, r.servers[0])
	if err != nil {
		return err
	}
	r.report.Add("doubts that a person ended", settled, "")
	r.report.Verdict, err = r.Judge(ctx)
	if err != nil {
		return err
	}
	return r.examineLogs()
}
