package network

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"

	"veinte/models"
	"veinte/web/lab"
	"veinte/web/lab/chaos"
)

// Experiment sets how much is tried.
type Experiment struct {
	PerFault int // cancellations with each of the ten faults
	Block    int // cancellations with one fault that are under way at the same time, besides those of the others
	Hung     int // requests of one store that the service leaves hanging while another store works
	Beside   int // cancellations of the other store meanwhile
}

// stores is how many the laboratory has: two, so that one can be looked at while
// the other has trouble.
const stores = 2

// run is one run of it.
type run struct {
	*Experiment
	*lab.Lab
	report  *lab.Report
	server  *lab.Server
	proxies *proxies
	door    *door
	rand    *rand.Rand
	trials  []*trial          // in all
	tally   map[string]*tally // by fault
}

// tally counts the outcomes of one fault.
type tally struct {
	cancellations, exact int
	said                 map[string]int // the last attempts' outcomes
	states               map[string]int
}

// trial is one cancellation: a sale, the fault of its request, and what its terminal
// does behind that.
type trial struct {
	*fault
	*variant
	behind behind
	harm   []toxic
	sale   *lab.Sale
	proxy  *toxiproxy.Proxy // created for this one; nil: none
}

// Run carries out the experiment.
func (x *Experiment) Run(ctx context.Context, setup lab.Setup) (_ *lab.Report, err error) {
	r := &run{Experiment: x, report: lab.NewReport("network", setup), tally: map[string]*tally{}}
	r.Lab, err = lab.Start(ctx, lab.Options{
		Setup: setup, Stores: stores, Terminals: max(len(faults)*min(x.Block, x.PerFault), stores*max(x.Hung, x.Beside)), Managers: 4,
		Settings: []string{
			"CANCEL_TIMEOUT=" + answerWait.String(), "RESULT_WAIT=" + resultWait.String(), "QUIET_TIME=" + quietTime.String(),
		},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	r.rand, r.proxies = r.Rand(0), newProxies(r.Box.URL)
	if r.door, err = openDoor(r.proxies.service); err != nil {
		return nil, err
	}
	defer r.door.Close()
	if r.server, err = r.Serve(ctx, "CANCEL_BASE_URL="+r.door.url()); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { return r.PostResultsTo(ctx, r.server) },
		func(ctx context.Context) error { return r.SignIn(ctx, r.server) },
		r.onTheWay, r.besideHanging, r.judge,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return r.report.Done(), nil
}

// onTheWay does every fault to requests that leave.
func (r *run) onTheWay(ctx context.Context) error {
	for done := 0; done < r.PerFault; done += r.Block {
		var block []*trial
		for i := range faults {
			for n := range min(r.Block, r.PerFault-done) {
				block = append(block, r.draw(&faults[i], done+n))
			}
		}
		r.rand.Shuffle(len(block), func(i, j int) { block[i], block[j] = block[j], block[i] })
		if err := r.round(ctx, block); err != nil {
			return err
		}
		if err := r.verify(ctx); err != nil {
			return err
		}
		r.Progress("network: %d of %d cases of each fault", min(done+r.Block, r.PerFault), r.PerFault)
	}
	return nil
}

// draw makes the n-th trial of a fault: its variants come in turn, the rest is
// left to chance.
func (r *run) draw(f *fault, n int) *trial {
	t := &trial{fault: f, variant: &f.variants[n%len(f.variants)]}
	if t.toxics != nil {
		t.harm = t.toxics(r.rand)
	}
	switch n := r.rand.IntN(10); {
	case n >= 8 && t.box == "":
		t.behind = declines
	case n >= 5:
		t.behind = nothing
	}
	return t
}

// round does trials at the same time, each on a terminal of its own, until each
// has ended or is in doubt.
func (r *run) round(ctx context.Context, trials []*trial) error {
	defer release(trials)
	for i, t := range trials {
		t.sale = &lab.Sale{Terminal: i}
	}
	if err := r.pressAll(ctx, trials); err != nil {
		return err
	}
	return r.ended(ctx)
}

// pressAll makes the sales, sets their cancels' faults, and clicks.
func (r *run) pressAll(ctx context.Context, trials []*trial) error {
	r.trials = append(r.trials, trials...)
	if err := atOnce(ctx, trials, r.prepare); err != nil {
		return err
	}
	return atOnce(ctx, trials, r.press)
}

// prepare makes the sale on a terminal, and sets its cancel's fault.
func (r *run) prepare(ctx context.Context, t *trial) (err error) {
	if t.sale, err = r.Sell(ctx, *t.sale); err != nil {
		return err
	}
	if name, acts := t.boxFault(); name != "" {
		err := r.Box.Fault(ctx, lab.Fault{Fault: name, OrderID: t.sale.OrderID, Delay: t.slow, Acts: acts})
		if err != nil {
			return err
		}
	}
	if len(t.harm) == 0 {
		return nil
	}
	if t.proxy, err = r.proxies.lay(t.harm); err != nil {
		return err
	}
	r.door.lay(t.sale.OrderID, t.proxy.Listen)
	return nil
}

// press clicks the button as a manager of the sale's store.
func (r *run) press(ctx context.Context, t *trial) error {
	mine := r.Managers[r.StoreOf(t.sale.Terminal)+stores*int(t.sale.ID%2)]
	answer := mine.Click(ctx, r.server, t.sale.ID, "click-"+t.sale.OrderID, true)
	if !answer.OK() {
		return fmt.Errorf("press for %s: %w", t.sale.OrderID, answer.Problem())
	}
	return nil
}

func release(trials []*trial) {
	for _, t := range trials {
		if t.proxy != nil {
			t.proxy.Stop()
		}
	}
}

// ended waits until no attempt is under way and no cancellation is waiting.
func (r *run) ended(ctx context.Context) error {
	if err := r.none(ctx, "attempt is under way", `SELECT count(*) FROM attempts WHERE meaning = ''`); err != nil {
		return err
	}
	return r.Resolved(ctx, 2*time.Minute)
}

// verify clicks "Verificar" as the supervisor for every doubt once its terminal can
// no longer act, and waits for the result. The judge reports a doubt that remains.
func (r *run) verify(ctx context.Context) error {
	err := r.none(ctx, "terminal can still act on a push", `SELECT count(*) FROM cancellations
		WHERE state = 'unknown' AND last_push_at > clock_timestamp() - make_interval(secs => $1)`, (quietTime + 100*time.Millisecond).Seconds())
	if err != nil {
		return err
	}
	cases, err := r.Cancellations(ctx)
	if err != nil {
		return err
	}
	err = atOnce(ctx, cases, func(ctx context.Context, c lab.Cancellation) error {
		if c.State != string(models.Unknown) {
			return nil
		}
		answer := r.Supervisor.Post(ctx, r.server, "/cancellations/"+strconv.FormatInt(c.ID, 10)+"/inquiry", url.Values{})
		if !answer.OK() {
			return fmt.Errorf("verify case %d: %w", c.ID, answer.Problem())
		}
		return nil
	})
	if err != nil {
		return err
	}
	_ = r.none(ctx, "doubt is left", `SELECT count(*) FROM cancellations WHERE state = 'unknown'`)
	return ctx.Err()
}

// besideHanging cancels in store 1 while the service leaves the requests of store 0
// hanging: they must not delay any others.
func (r *run) besideHanging(ctx context.Context) error {
	// Longer than the other store takes.
	if err := errors.Join(r.server.Stop(), r.server.Restart(ctx, "CANCEL_TIMEOUT=2m")); err != nil {
		return err
	}
	hung := r.of(&hungFault, 0, r.Hung)
	defer release(hung)
	if err := r.pressAll(ctx, hung); err != nil {
		return err
	}
	// There may be more than the server sends at once; the others then wait.
	bounded, stop := context.WithTimeout(ctx, 20*time.Second)
	defer stop()
	_ = lab.Eventually(bounded, 20*time.Second, "all of them hang", func(context.Context) (bool, error) {
		seen, _ := r.door.seenRequests()
		return !slices.ContainsFunc(hung, func(t *trial) bool { return seen[t.sale.OrderID] == 0 }), nil
	})
	began := time.Now()
	if err := r.pressAll(ctx, r.of(&unharmed, 1, r.Beside)); err != nil {
		return err
	}
	if err := r.none(ctx, "case of the other store is on its way", `SELECT count(*) FROM cancellations
		WHERE store_id = $1 AND state IN ('requested', 'sending')`, r.StoreIDs[1]); err != nil {
		return err
	}
	r.report.Add("a store's cancellations beside hanging ones, sent", time.Since(began), "")
	// Otherwise nothing was tested. It is right that they hang, because their
	// outcome is unknown.
	var n int
	err := r.Pool.QueryRow(ctx, `SELECT count(*) FROM cancellations WHERE store_id = $1 AND state = 'sending'`, r.StoreIDs[0]).Scan(&n)
	if err != nil {
		return err
	}
	if n != len(hung) {
		r.report.Violate("of %d hanging cases %d were still being sent when the other store was done", len(hung), n)
	}
	release(hung)
	if err := r.ended(ctx); err != nil {
		return err
	}
	return r.verify(ctx)
}

// of are trials of one fault on terminals of one store.
func (r *run) of(f *fault, store, n int) []*trial {
	trials := make([]*trial, n)
	for i := range trials {
		t := &trial{fault: f, variant: &f.variants[0], sale: &lab.Sale{Terminal: i*stores + store}}
		if t.toxics != nil {
			t.harm, t.behind = t.toxics(r.rand), cancels
		}
		trials[i] = t
	}
	return trials
}

// none waits until a query counts none.
func (r *run) none(ctx context.Context, what, query string, args ...any) error {
	return lab.Eventually(ctx, 3*time.Minute, "no "+what, func(ctx context.Context) (bool, error) {
		n := -1
		err := r.Pool.QueryRow(ctx, query, args...).Scan(&n)
		return n == 0, err
	})
}

// figures adds this experiment's own figures.
func (r *run) figures(seen map[string]int) {
	for _, f := range append(slices.Clone(faults), hungFault, unharmed) {
		t := r.tally[f.name]
		if t == nil {
			r.report.Violate("no case met %s", f.name)
			continue
		}
		r.report.Add(f.name, fmt.Sprintf("%d of %d exact", t.exact, t.cancellations), brief(t.said)+" → "+brief(t.states))
	}
	left, again := 0, 0
	for _, n := range seen {
		left += n
		again += n - 1
	}
	r.report.Add("cancel requests that left, seen at the door", left, "")
	r.report.Add("of them sent again after bytes may have left", again, "0")
}

func brief(m map[string]int) string {
	var parts []string
	for name, n := range m {
		parts = append(parts, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// atOnce does something with everyone, twelve at a time, and ends with the first
// error.
func atOnce[T any](ctx context.Context, all []T, do func(ctx context.Context, one T) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	places := make(chan struct{}, 12)
	var group sync.WaitGroup
	for _, one := range all {
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			if ctx.Err() != nil {
				return
			}
			if err := do(ctx, one); err != nil {
				stop(err)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

func TestMain(m *testing.M) { chaos.Main(m) }

// The short version has four cancellations with each fault, and a store beside one
// that hangs.
func TestNetwork(t *testing.T) {
	t.Parallel()
	x := chaos.Choose(
		&Experiment{PerFault: 4, Block: 4, Hung: 10, Beside: 3},
		&Experiment{PerFault: 200, Block: 20, Hung: 300, Beside: 30},
	)
	report, _ := chaos.Try(t, x.Run)
	if v, want := report.Verdict, 10*x.PerFault+x.Hung+x.Beside; v.Cancellations != want || v.LeftOpen != 0 {
		t.Errorf("%d cases, %d left open, want %d and 0", v.Cancellations, v.LeftOpen, want)
	}
}
