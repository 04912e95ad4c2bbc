package network

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"

	"veinte/models"
	"veinte/web/lab"
)

// stores is how many stores a laboratory has: two, so that one can be looked at
// while the other has trouble.
const stores = 2

// station is one laboratory with one server, and what is done in it.
type station struct {
	*run
	name      string
	terminals int
	work      func(*station, context.Context) error

	*lab.Lab
	server  *lab.Server
	proxies *proxies
	door    *door
	rand    *rand.Rand
	trials  []*trial // in all
}

// trial is one case: a sale, what is done to its request, and what its terminal
// does behind that.
type trial struct {
	*fault
	*variant
	behind behind
	harm   []toxic
	sale   *lab.Sale
	proxy  *toxiproxy.Proxy // laid for this one; nil: none
}

func (s *station) carryOut(ctx context.Context, number uint64) (err error) {
	if err := s.open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	s.rand, s.proxies = s.Rand(number), newProxies(s.Box.URL)
	if s.door, err = openDoor(s.proxies.service); err != nil {
		return err
	}
	defer s.door.Close()
	if s.server, err = s.Serve(ctx, "CANCEL_BASE_URL="+s.door.url()); err != nil {
		return err
	}
	if err := s.PostResultsTo(ctx, s.server); err != nil {
		return err
	}
	if err := s.SignIn(ctx, s.server); err != nil {
		return err
	}
	if err := s.work(s, ctx); err != nil {
		return err
	}
	return s.judge(ctx)
}

// open starts the laboratory. They start one after the other: to make a database
// is the heaviest thing in all of this.
func (s *station) open(ctx context.Context) (err error) {
	s.starting.Lock()
	defer s.starting.Unlock()
	ctx, stop := context.WithTimeout(ctx, 3*time.Minute)
	defer stop()
	s.Lab, err = lab.Start(ctx, lab.Options{
		Setup: s.setup, Stores: stores, Terminals: s.terminals, Managers: 4,
		Settings: []string{
			"CANCEL_TIMEOUT=" + answerWait.String(), "RESULT_WAIT=" + resultWait.String(), "QUIET_TIME=" + quietTime.String(),
		},
	})
	return err
}

// onTheWay is the work of the station whose requests leave.
func (s *station) onTheWay(ctx context.Context) error {
	for done := 0; done < s.PerFault; done += s.Block {
		var block []*trial
		for i := range after {
			for n := range min(s.Block, s.PerFault-done) {
				block = append(block, s.draw(&after[i], done+n))
			}
		}
		s.rand.Shuffle(len(block), func(i, j int) { block[i], block[j] = block[j], block[i] })
		if err := s.round(ctx, block); err != nil {
			return err
		}
		if err := s.verify(ctx); err != nil {
			return err
		}
		s.Progress("network: %d of %d cases of each fault on the way", min(done+s.Block, s.PerFault), s.PerFault)
	}
	return s.neighbours(ctx)
}

// life lets the server live for a while with an address of the service to which
// nothing can be sent, and tries to cancel.
func (s *station) life(ctx context.Context, f *fault, open func() (*deadEnd, error), base string, settings ...string) error {
	end, err := open()
	if err != nil {
		return err
	}
	defer end.Close()
	settings = append(settings, "CANCEL_BASE_URL="+strings.Replace(base, "ADDR", end.addr, 1))
	if err := errors.Join(s.server.Stop(), s.server.Restart(ctx, settings...)); err != nil {
		return err
	}
	for done := 0; done < s.PerFault; done += s.terminals {
		var block []*trial
		for n := range min(s.terminals, s.PerFault-done) {
			block = append(block, s.draw(f, done+n))
		}
		if err := s.round(ctx, block); err != nil {
			return err
		}
	}
	s.Progress("network: %d cases of %s", s.PerFault, f.name)
	return nil
}

// draw makes the n-th trial of a fault: its variants come in turn, the rest is
// left to chance.
func (s *station) draw(f *fault, n int) *trial {
	t := &trial{fault: f, variant: &f.variants[n%len(f.variants)]}
	if t.toxics != nil {
		t.harm = t.toxics(s.rand)
	}
	switch n := s.rand.IntN(10); {
	case n >= 8 && t.box == "":
		t.behind = declines
	case n >= 5:
		t.behind = nothing
	}
	return t
}

// round does trials at the same time, each on a terminal of its own, until each
// has ended or is in doubt.
func (s *station) round(ctx context.Context, trials []*trial) error {
	s.trials = append(s.trials, trials...)
	defer release(trials)
	err := atOnce(ctx, trials, s.prepare)
	if err != nil {
		return err
	}
	if err := atOnce(ctx, trials, s.press); err != nil {
		return err
	}
	return s.ended(ctx)
}

// prepare lets a terminal make the sale, and lays what will befall its cancel.
func (s *station) prepare(ctx context.Context, terminal int, t *trial) (err error) {
	if t.sale, err = s.Sell(ctx, lab.Sale{Terminal: terminal}); err != nil {
		return err
	}
	if name, acts := t.boxFault(); name != "" {
		err := s.Box.Fault(ctx, lab.Fault{Fault: name, OrderID: t.sale.OrderID, Delay: t.slow, Acts: acts})
		if err != nil {
			return err
		}
	}
	if len(t.harm) == 0 {
		return nil
	}
	if t.proxy, err = s.proxies.lay(t.harm); err != nil {
		return err
	}
	s.door.lay(t.sale.OrderID, t.proxy.Listen)
	return nil
}

// press lets a manager of the sale's store press the button.
func (s *station) press(ctx context.Context, _ int, t *trial) error {
	mine := s.Managers[s.StoreOf(t.sale.Terminal)+stores*int(t.sale.ID%2)]
	answer := mine.Click(ctx, s.server, t.sale.ID, "click-"+t.sale.OrderID, true)
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

// ended waits until no attempt is under way and no case is waited for.
func (s *station) ended(ctx context.Context) error {
	if err := s.none(ctx, "attempt is under way", `SELECT count(*) FROM attempts WHERE meaning = ''`); err != nil {
		return err
	}
	return s.Settled(ctx, 2*time.Minute)
}

// verify lets the supervisor press "Verificar" for every doubt once its terminal
// can no longer act, and waits for what comes of it. A doubt that stays is for
// the judge to see.
func (s *station) verify(ctx context.Context) error {
	err := s.none(ctx, "terminal can still act on a push", `SELECT count(*) FROM cancellations
		WHERE state = 'unknown' AND last_push_at > clock_timestamp() - make_interval(secs => $1)`, (quietTime + 100*time.Millisecond).Seconds())
	if err != nil {
		return err
	}
	cases, err := s.Cases(ctx)
	if err != nil {
		return err
	}
	err = atOnce(ctx, cases, func(ctx context.Context, _ int, c lab.Case) error {
		if c.State != string(models.Unknown) {
			return nil
		}
		answer := s.Supervisor.Post(ctx, s.server, "/cancellations/"+strconv.FormatInt(c.ID, 10)+"/inquiry", url.Values{})
		if !answer.OK() {
			return fmt.Errorf("verify case %d: %w", c.ID, answer.Problem())
		}
		return nil
	})
	if err != nil {
		return err
	}
	_ = s.none(ctx, "doubt is left", `SELECT count(*) FROM cancellations WHERE state = 'unknown'`)
	return ctx.Err()
}

// none waits until a query counts none.
func (s *station) none(ctx context.Context, what, query string, args ...any) error {
	return s.until(ctx, "no "+what, func() bool {
		n := -1
		return s.Pool.QueryRow(ctx, query, args...).Scan(&n) == nil && n == 0
	})
}

// until waits for a condition.
func (s *station) until(ctx context.Context, what string, is func() bool) error {
	ctx, stop := context.WithTimeout(ctx, 3*time.Minute)
	defer stop()
	for !is() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("it does not come true that %s: %w", what, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// handsAtOnce is how many things the experiment itself does at the same time.
const handsAtOnce = 12

// atOnce does something with everyone, several at a time, and ends with the
// first error.
func atOnce[T any](ctx context.Context, all []T, do func(ctx context.Context, i int, one T) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	places := make(chan struct{}, handsAtOnce)
	var group sync.WaitGroup
	for i, one := range all {
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			if ctx.Err() != nil {
				return
			}
			if err := do(ctx, i, one); err != nil {
				stop(err)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}
