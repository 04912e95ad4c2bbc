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

// Deliveries is the source of the deliveries to send.
type Deliveries interface {
	Due(ctx context.Context) (endpoints []int64, err error)
	Claim(ctx context.Context, endpointID int64, most int) ([]webhooks.Lane, error)
	Head(ctx context.Context, lane webhooks.Lane) (*webhooks.Outgoing, error)
	Report(ctx context.Context, p *webhooks.Outgoing, a webhooks.Response) (next bool, err error)
	Release(ctx context.Context, lane webhooks.Lane) error
	Sweep(ctx context.Context) error
	Woken() <-chan struct{}
}

// Sender tries to send a delivery once.
type Sender interface {
	Send(ctx context.Context, p *webhooks.Outgoing) webhooks.Response
}

const (
	// maxLanes is how many lanes of one endpoint one process delivers at
	// the same time. The limit is per endpoint, so that one that hangs delays no
	// other.
	maxLanes = 16
	// maxAtDatabase is how many of them may use the database at the same time:
	// most of its connections are for users and terminals.
	maxAtDatabase = 4
	// pollEvery is how often the database is polled for due deliveries, besides
	// when this process has queued some.
	pollEvery = time.Second
	// gather is how long to wait after a notification before polling: a few
	// posts are then found together, and the transaction that notified us is
	// committed.
	gather = 15 * time.Millisecond
)

// Deliverer sends deliveries. It does not use River: a job for each result would
// cost more than the result itself. When a process dies its lanes are free again
// when their lease ends, half a minute later.
type Deliverer struct {
	deliveries Deliveries
	sender     Sender
	log        *slog.Logger
	database   chan struct{}
	// Seen is told of each try; it is set before Start. nil: nobody measures.
	Seen func(webhooks.Response)

	mu       sync.Mutex
	busy     map[int64]int // lanes in progress, by endpoint
	room     chan struct{} // notified when an endpoint at its limit has room again
	polling  <-chan error  // ends when no more lanes are claimed
	under    sync.WaitGroup
	stop     context.CancelFunc // ends the claiming of lanes
	breakOff context.CancelFunc // cancels what is in progress
}

func NewDeliverer(d Deliveries, s Sender, log *slog.Logger) *Deliverer {
	return &Deliverer{
		deliveries: d, sender: s, log: log, database: make(chan struct{}, maxAtDatabase), busy: map[int64]int{},
		room: make(chan struct{}, 1),
	}
}

func (d *Deliverer) Start(ctx context.Context) {
	ctx, d.breakOff = context.WithCancel(ctx)
	polling, stop := context.WithCancel(ctx)
	d.stop = stop
	d.polling = goroutine.Result(d.log, "polling for deliveries", func() error { return d.poll(polling, ctx) })
}

// Stop claims nothing new and waits for deliveries in progress until ctx ends. Then
// they are canceled, and will be sent again.
func (d *Deliverer) Stop(ctx context.Context) error {
	if d.stop == nil {
		return nil
	}
	d.stop()
	d.stop = nil // a second Stop does nothing
	defer d.breakOff()
	<-d.polling
	done := goroutine.Result(d.log, "waiting for deliveries", func() error { d.under.Wait(); return nil })
	select {
	case <-done:
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

// poll claims due lanes until ctx ends. sending is the context for sending from
// them.
func (d *Deliverer) poll(ctx, sending context.Context) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for failing := false; ; {
		err := d.take(ctx, sending)
		if err != nil && !failing && ctx.Err() == nil {
			d.log.WarnContext(ctx, "deliveries", "error", err) // logged once, until it works again
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			continue
		case <-d.room:
		case <-d.deliveries.Woken():
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(gather):
		}
	}
}

// take claims as many lanes of each endpoint as its limit allows.
func (d *Deliverer) take(ctx, sending context.Context) error {
	endpoints, err := d.deliveries.Due(ctx)
	if err != nil {
		return err
	}
	for _, id := range endpoints {
		d.mu.Lock()
		free := maxLanes - d.busy[id]
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

// deliver sends the deliveries of a lane one after the other, until one fails, none
// is left, or no more are to be started.
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
	if d.busy[endpointID] == maxLanes {
		select {
		case d.room <- struct{}{}:
		default: // already notified
		}
	}
	if d.busy[endpointID]--; d.busy[endpointID] == 0 {
		delete(d.busy, endpointID)
	}
}

// deliverOne sends the first delivery of a lane and stores the outcome.
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
	if d.Seen != nil {
		d.Seen(answer)
	}
	if ctx.Err() != nil && answer.Detail != webhooks.TryDelivered {
		// Canceled by us: this proves nothing about the receiver.
		return false, d.atDatabase(ctx, func(ctx context.Context) error { return d.deliveries.Release(ctx, lane) })
	}
	err = d.atDatabase(ctx, func(ctx context.Context) error {
		next, err = d.deliveries.Report(ctx, parcel, answer)
		return err
	})
	return next, err
}

// atDatabase runs f within the limit of maxAtDatabase. The outcome of sending is
// stored even when the process stops.
func (d *Deliverer) atDatabase(ctx context.Context, f func(context.Context) error) error {
	d.database <- struct{}{}
	defer func() { <-d.database }()
	return f(context.WithoutCancel(ctx))
}
