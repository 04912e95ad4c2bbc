package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"veinte/models/goroutine"
	"veinte/models/webhooks"
)

// Deliveries is what is delivered from.
type Deliveries interface {
	Due(ctx context.Context) (endpoints []int64, err error)
	Claim(ctx context.Context, endpointID int64, most int) ([]webhooks.Lane, error)
	Head(ctx context.Context, lane webhooks.Lane) (*webhooks.Outgoing, error)
	Report(ctx context.Context, p *webhooks.Outgoing, a webhooks.Response) (next bool, err error)
	Release(ctx context.Context, lane webhooks.Lane) error
	Sweep(ctx context.Context) error
	Woken() <-chan struct{}
}

// Sender sends a parcel once.
type Sender interface {
	Send(ctx context.Context, p *webhooks.Outgoing) webhooks.Response
}

const (
	// endpointPlaces is how many lanes of one endpoint one process delivers at
	// once. Each endpoint has its own, so that one that hangs holds up no other.
	endpointPlaces = 16
	// databasePlaces is how many of them may be at the database at once: most of
	// its connections are for people and terminals.
	databasePlaces = 4
	// lookEvery is how often is looked for what is due, besides when this process
	// has put something in line.
	lookEvery = time.Second
	// gather is how long after being woken is looked: a few posts are then found
	// together, and the transaction that woke us is committed.
	gather = 15 * time.Millisecond
)

// Deliverer works deliveries off. It does without River: a job for each result
// would be dearer than the result itself, and of a process that died the lanes
// are free again when its lease ends, half a minute later.
type Deliverer struct {
	deliveries Deliveries
	sender     Sender
	log        *slog.Logger
	database   chan struct{}

	mu       sync.Mutex
	busy     map[int64]int // lanes under way by endpoint
	room     chan struct{} // told when an endpoint that had no place left has one
	looking  sync.WaitGroup
	under    sync.WaitGroup
	stop     context.CancelFunc // takes no new lane
	breakOff context.CancelFunc // ends what is under way
}

// NewDeliverer makes a deliverer.
func NewDeliverer(d Deliveries, s Sender, log *slog.Logger) *Deliverer {
	return &Deliverer{
		deliveries: d, sender: s, log: log, database: make(chan struct{}, databasePlaces), busy: map[int64]int{},
		room: make(chan struct{}, 1),
	}
}

// Start begins to deliver.
func (d *Deliverer) Start(ctx context.Context) {
	ctx, d.breakOff = context.WithCancel(ctx)
	looking, stop := context.WithCancel(ctx)
	d.stop = stop
	d.looking.Add(1)
	goroutine.Go(d.log, "looking for deliveries", func() {
		defer d.looking.Done()
		d.look(looking, ctx)
	})
}

// Stop takes nothing new and waits for what is under way until ctx ends; then
// that is broken off, and will be sent again.
func (d *Deliverer) Stop(ctx context.Context) error {
	if d.stop == nil {
		return nil
	}
	d.stop()
	d.looking.Wait()
	done := make(chan struct{})
	goroutine.Go(d.log, "waiting for deliveries", func() {
		defer close(done)
		d.under.Wait()
	})
	select {
	case <-done:
		d.breakOff()
		return nil
	case <-ctx.Done():
	}
	d.breakOff()
	select {
	case <-done:
		return nil
	case <-time.After(5 * time.Second):
		return fmt.Errorf("stop deliveries: %w", ctx.Err())
	}
}

// look takes what is due until ctx ends; sending is the context of what it takes.
func (d *Deliverer) look(ctx, sending context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for failing := false; ; {
		err := d.take(ctx, sending)
		if err != nil && !failing && ctx.Err() == nil {
			d.log.WarnContext(ctx, "deliveries", "error", err) // once, until it works again
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			continue
		case <-d.room:
		case <-d.deliveries.Woken():
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(gather):
		}
	}
}

// take takes as many lanes of each endpoint as there are places for.
func (d *Deliverer) take(ctx, sending context.Context) error {
	endpoints, err := d.deliveries.Due(ctx)
	if err != nil {
		return err
	}
	for _, id := range endpoints {
		d.mu.Lock()
		free := endpointPlaces - d.busy[id]
		d.mu.Unlock()
		if free <= 0 {
			continue
		}
		lanes, err := d.deliveries.Claim(ctx, id, free)
		if err != nil {
			return err
		}
		d.mu.Lock()
		d.busy[id] += len(lanes)
		d.mu.Unlock()
		for _, lane := range lanes {
			d.under.Add(1)
			goroutine.Go(d.log, "delivering", func() { d.deliver(sending, ctx, lane) })
		}
	}
	return nil
}

// deliver works a lane off: one delivery after the other, until one fails, none
// is left, or no more are to be begun.
func (d *Deliverer) deliver(ctx, more context.Context, lane webhooks.Lane) {
	defer d.under.Done()
	defer d.free(lane.EndpointID)
	for {
		next, err := d.deliverOne(ctx, lane)
		if err != nil {
			d.log.WarnContext(ctx, "delivery", "endpoint", lane.EndpointID, "error", err)
			return // the lane is free again when its lease ends
		}
		if !next {
			return
		}
		if more.Err() != nil {
			break
		}
	}
	if err := d.atDatabase(ctx, func(ctx context.Context) error { return d.deliveries.Release(ctx, lane) }); err != nil {
		d.log.WarnContext(ctx, "delivery", "endpoint", lane.EndpointID, "error", err)
	}
}

func (d *Deliverer) free(endpointID int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.busy[endpointID] == endpointPlaces {
		select {
		case d.room <- struct{}{}:
		default: // told already
		}
	}
	if d.busy[endpointID]--; d.busy[endpointID] == 0 {
		delete(d.busy, endpointID)
	}
}

// deliverOne sends the head of a lane and writes what came of it.
func (d *Deliverer) deliverOne(ctx context.Context, lane webhooks.Lane) (next bool, err error) {
	var parcel *webhooks.Outgoing
	err = d.atDatabase(ctx, func(ctx context.Context) error {
		parcel, err = d.deliveries.Head(ctx, lane)
		return err
	})
	if err != nil || parcel == nil {
		return false, err
	}
	answer := d.sender.Send(ctx, parcel)
	if ctx.Err() != nil && answer.Detail != webhooks.TryDelivered {
		// Broken off by us: nothing is known of the receiver.
		return false, d.atDatabase(ctx, func(ctx context.Context) error { return d.deliveries.Release(ctx, lane) })
	}
	err = d.atDatabase(ctx, func(ctx context.Context) error {
		next, err = d.deliveries.Report(ctx, parcel, answer)
		return err
	})
	return next, err
}

// atDatabase runs f when there is a place at the database. What was sent is
// written even when the process stops.
func (d *Deliverer) atDatabase(ctx context.Context, f func(context.Context) error) error {
	d.database <- struct{}{}
	defer func() { <-d.database }()
	return f(context.WithoutCancel(ctx))
}
