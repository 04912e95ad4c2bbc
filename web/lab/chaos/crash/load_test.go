package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"veinte/web/lab"
)

// load is a group of workers: each sells something and cancels it.
type load struct {
	run     *run
	stopped atomic.Bool
	group   sync.WaitGroup
}

// streams numbers the workers' sources of random choices; 0 is the run's own.
var streams atomic.Uint64

func (r *run) startLoad(ctx context.Context) *load {
	l := &load{run: r}
	for range r.x.Workers {
		random := r.Rand(streams.Add(1))
		l.group.Go(func() {
			for !l.stopped.Load() && ctx.Err() == nil {
				l.one(ctx, random)
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

// faults are what the service does to some cancellations; "" is nothing.
var faults = []string{
	"", "", "", "", "", "", "", "", "", "", "", "", "", "", "",
	"ackNoResult", "dropAfterReading", "dropBeforeReading", "reset", "cutHeader", "cutBody", "html", "500",
	"unknownCode", "invalidJSON", "notFound", "expiredToken", "hang", "slow",
	"declined", "abandoned", "duplicateResult", "resultBeforeAnswer",
}

// one sells and cancels once. While something is down, it waits or tries again,
// as people do.
func (l *load) one(ctx context.Context, random *rand.Rand) {
	r := l.run
	sale := &lab.Sale{Terminal: random.IntN(r.Terminals()), Fault: faults[random.IntN(len(faults))]}
	if r.SellUnseen(ctx, sale) != nil || r.Seen(ctx, sale) != nil {
		return // the run is ending; the judge counts what exists
	}
	if random.IntN(30) == 0 {
		// This terminal does not respond to inquiries: only people can resolve a
		// doubt.
		silent := lab.Fault{OrderID: sale.OrderID, SerialNumber: sale.Serial, Operation: "reprint", Fault: "ackNoResult", Times: -1}
		if r.Box.Fault(ctx, silent) != nil {
			return
		}
	}
	hands := 1
	if random.IntN(5) == 0 {
		hands = 2 // somebody else presses too
	}
	var group sync.WaitGroup
	for h := range hands {
		person := r.Managers[random.IntN(len(r.Managers))]
		tries, first := 1+random.IntN(12), random.IntN(len(r.Servers))
		click := fmt.Sprintf("%s-%d", sale.OrderID, h)
		group.Go(func() { l.press(ctx, person, sale.ID, click, first, tries) })
	}
	group.Wait()
	think(ctx, time.Duration(random.IntN(100))*time.Millisecond)
}

// press clicks until there is a response that is not a failure, or until the person
// gives up. The same sheet sends the same click.
func (l *load) press(ctx context.Context, p *lab.Person, saleID int64, click string, first, tries int) {
	for try := range tries {
		a := p.Click(ctx, l.run.Servers[(first+try)%len(l.run.Servers)], saleID, click, try%2 == 0)
		if a.Err == nil && a.Status < 500 {
			return
		}
		think(ctx, 100*time.Millisecond)
	}
}

func think(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
