package network

import (
	"context"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/web/lab"
)

// hungFault is what befalls the store that has trouble. Its requests end when
// the experiment lets go of them.
var hungFault = fault{"hanging for a store", []variant{{how: "toxics timeout upstream and slow_close downstream", want: lost}}}

// unharmed is what befalls the other store.
var unharmed = fault{"another store meanwhile", []variant{{how: "nothing", delivered: true, want: acknowledged}}}

// hangWait is CANCEL_TIMEOUT here: longer than the other store is looked at.
const hangWait = 2 * time.Minute

// neighbours times one store's cancellations, from the click to the first byte,
// in turn after requests of the other store that went well, and beside as many
// that hang.
func (s *station) neighbours(ctx context.Context) error {
	if err := s.server.Stop(); err != nil {
		return err
	}
	err := s.server.Restart(ctx, "CANCEL_BASE_URL="+s.door.url(), "CANCEL_TIMEOUT="+hangWait.String())
	if err != nil {
		return err
	}
	if _, err := s.timed(ctx, &unharmed); err != nil { // a server that has just started is slower
		return err
	}
	for round := range s.Rounds {
		without, err := s.timed(ctx, &unharmed)
		if err != nil {
			return err
		}
		with, err := s.timed(ctx, &hungFault)
		if err != nil {
			return err
		}
		s.ratio.without, s.ratio.with = append(s.ratio.without, without...), append(s.ratio.with, with...)
		s.Progress("network: timed a store beside one that hangs, %d of %d", round+1, s.Rounds)
	}
	return nil
}

// timed cancels in store 0, in store 1 when the requests of store 0 have left,
// and lets go of those that hang. It returns the times of store 1.
func (s *station) timed(ctx context.Context, trouble *fault) ([]time.Duration, error) {
	first, err := s.pressFor(ctx, trouble)
	defer release(first)
	if err != nil {
		return nil, err
	}
	trials, err := s.sellFor(ctx, &unharmed, 1, s.Beside)
	if err != nil {
		return nil, err
	}
	pressed := make([]time.Time, len(trials))
	for i, t := range trials {
		pressed[i] = time.Now()
		if err := s.press(ctx, i, t); err != nil {
			return nil, err
		}
	}
	if err := s.none(ctx, "case of the other store is on its way", `SELECT count(*) FROM cancellations
		WHERE store_id = $1 AND state IN ('requested', 'sending')`, s.StoreIDs[1]); err != nil {
		return nil, err
	}
	if trouble == &hungFault {
		if err := s.stillHanging(ctx, len(first)); err != nil {
			return nil, err
		}
	}
	release(first)
	if err := s.ended(ctx); err != nil {
		return nil, err
	}
	waits, err := s.waits(ctx, trials, pressed)
	if err != nil {
		return nil, err
	}
	return waits, s.verify(ctx)
}

// pressFor cancels in store 0, and returns when every request has left, or no
// more do, and when those that do not hang are done.
func (s *station) pressFor(ctx context.Context, trouble *fault) ([]*trial, error) {
	trials, err := s.sellFor(ctx, trouble, 0, s.Hung)
	if err != nil {
		return nil, err
	}
	if trouble == &hungFault {
		hole, err := s.proxies.lay([]toxic{swallowRequest, neverEnd})
		if err != nil {
			return nil, err
		}
		for _, t := range trials {
			t.proxy = hole
			s.door.lay(t.sale.OrderID, hole.Listen)
		}
	}
	if err := atOnce(ctx, trials, s.press); err != nil {
		return trials, err
	}
	if trouble != &hungFault {
		return trials, s.ended(ctx)
	}
	// There may be more than the server sends at once; the others then wait.
	bounded, stop := context.WithTimeout(ctx, 20*time.Second)
	defer stop()
	_ = s.until(bounded, "all of them hang", func() bool { return s.leftDoor(trials) == len(trials) })
	return trials, ctx.Err()
}

// leftDoor counts the trials whose request has left the server.
func (s *station) leftDoor(trials []*trial) (n int) {
	seen, _ := s.door.witnessed()
	for _, t := range trials {
		n += min(seen[t.sale.OrderID], 1)
	}
	return n
}

// sellFor makes sales on terminals of one store.
func (s *station) sellFor(ctx context.Context, f *fault, store, n int) ([]*trial, error) {
	trials := make([]*trial, n)
	for i := range trials {
		trials[i] = &trial{fault: f, variant: &f.variants[0]}
	}
	s.trials = append(s.trials, trials...)
	return trials, atOnce(ctx, trials, func(ctx context.Context, i int, t *trial) (err error) {
		t.sale, err = s.Sell(ctx, lab.Sale{Terminal: i*stores + store})
		return err
	})
}

// stillHanging makes sure that the hanging requests hung all the time: else
// nothing was compared. That they do is also right: nothing is known of them.
func (s *station) stillHanging(ctx context.Context, hung int) error {
	var n int
	err := s.Pool.QueryRow(ctx, `SELECT count(*) FROM cancellations WHERE store_id = $1 AND state = $2`,
		s.StoreIDs[0], models.Sending).Scan(&n)
	if err == nil && n != hung {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.report.Violate("of %d hanging cases %d were still being sent when the other store was done", hung, n)
	}
	return err
}

// waits are the times from the click to the first byte.
func (s *station) waits(ctx context.Context, trials []*trial, pressed []time.Time) ([]time.Duration, error) {
	waits := make([]time.Duration, len(trials))
	for i, t := range trials {
		var first time.Time
		err := s.Pool.QueryRow(ctx, `SELECT min(a.first_byte_at) FROM attempts a
			JOIN cancellations c ON c.id = a.cancellation_id WHERE c.sale_id = $1`, t.sale.ID).Scan(&first)
		if err != nil {
			return nil, fmt.Errorf("first byte of sale %d: %w", t.sale.ID, err)
		}
		waits[i] = first.Sub(pressed[i])
	}
	return waits, nil
}

// ratio compares the times of the other store.
type ratio struct{ without, with []time.Duration }

func (r *ratio) figures(report *lab.Report) {
	if len(r.with) == 0 || len(r.without) == 0 {
		return
	}
	slices.Sort(r.with)
	slices.Sort(r.without)
	for _, at := range []struct {
		name    string
		percent int
	}{{"median", 50}, {"p95", 95}} {
		without, with := r.without[len(r.without)*at.percent/100], r.with[len(r.with)*at.percent/100]
		report.Add("another store, click to first byte, "+at.name, fmt.Sprintf("%s, beside hanging %s: ×%.2f",
			without.Round(time.Millisecond), with.Round(time.Millisecond), float64(with)/float64(without)), "")
	}
}
