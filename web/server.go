package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers"
	"veinte/handlers/results"
	"veinte/models"
	"veinte/models/audit/attest"
	"veinte/models/audit/sealing"
	"veinte/models/clocks"
	"veinte/models/database"
	"veinte/models/goroutine"
	"veinte/models/operations"
	"veinte/models/wiring"
	entranceview "veinte/views/entrance"
	"veinte/web/commands"
	"veinte/web/jobs"
	"veinte/web/metrics"
	"veinte/web/tracing"
)

// server is one process of the product: pages, results endpoint and workers.
type server struct {
	db        *database.DB
	clock     *clocks.Service
	services  *wiring.Services
	workers   *jobs.Workers
	deliverer *jobs.Deliverer
	seals     *sealing.Service
	attest    *attest.Service
	sealing   sync.WaitGroup
	results   *results.Endpoint
	app       *fiber.App
	events    *handlers.Events
	admin     *metrics.Server
	watch     *metrics.Watch
	tracer    *tracing.Tracer // nil: nothing is traced
	log       *slog.Logger
	prepare   func(context.Context) error // prepares for the first order
	kind      operations.Installation
	delay     time.Duration // how long it listens when it is told to stop
	draining  atomic.Bool
	stopping  chan struct{} // closed when it is told to stop
	ending    chan struct{} // closed when what has not ended by then is broken off
}

// newServer connects and wires everything. It refuses wrong zone data and pending
// migrations.
func newServer(ctx context.Context, c *checked, clock models.Clock, samples []entranceview.SampleLogin) (*server, error) {
	tracer, err := c.tracer(ctx)
	if err != nil {
		return nil, err
	}
	db, err := database.Open(ctx, database.DBConfig{
		URL: c.databaseURL, PagesURL: c.pagesURL, Application: "veinte", Logger: c.log, Shares: connections, Tracer: tracer.Database(),
	})
	if err != nil {
		return nil, err
	}
	if err := db.CheckAddress(ctx); err != nil {
		db.Close()
		return nil, err
	}
	for _, text := range c.notes(clock.Now()) {
		c.log.Warn(text)
	}
	s := &server{
		db: db, clock: clocks.New(db, clock, c.log), log: c.log, kind: c.kind(len(samples) > 0),
		watch: metrics.NewWatch(), tracer: tracer, stopping: make(chan struct{}),
		ending: make(chan struct{}), delay: c.drainDelay,
	}
	if err := s.wire(ctx, c, samples); err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// tracer begins to send traces where they are wanted.
func (c *checked) tracer(ctx context.Context) (*tracing.Tracer, error) {
	if c.traces == "" {
		return nil, nil
	}
	return tracing.New(ctx, c.traces, version, c.log)
}

// connections are those of a process, without the one on which its workers listen. They
// are opened when they are needed. More of them make nothing faster: as many statements
// run at a time as PostgreSQL has processors.
var connections = database.Shares{Acts: 12, Pages: 8, Heavy: 8}

// spareThreads has Go use two threads more than there are processors. The computing of a
// password takes one for some hundredths of a second, and up to two are computed at a time:
// on a machine with two processors nobody would look meanwhile which answers have come.
var spareThreads = sync.OnceFunc(func() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 2)
	}
})

// run serves on the listener until ctx ends, then drains.
func (s *server) run(ctx context.Context, ln net.Listener) error {
	defer s.db.Close()
	spareThreads()
	if err := s.services.Operations.ServerStarted(ctx, commands.Operator(), version, s.kind); err != nil {
		return err
	}
	// Nothing that goes by the clock begins before it was compared.
	if err := s.clock.Measure(ctx); err != nil {
		return err
	}
	goroutine.Go(s.log, "comparing the clocks", func() { s.clock.Run(ctx) })
	// Before anything is sent: the database may be a copy that does not know what was.
	if err := s.services.Lineage.Begin(ctx); err != nil {
		return err
	}
	if err := s.services.Cancellations.DoubtElsewhere(ctx); err != nil {
		s.log.Warn("what was requested in another database is not sent, and not all of it is in doubt yet", "error", err)
	}
	if err := s.workers.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	if err := s.admin.Start(); err != nil {
		return err
	}
	s.deliverer.Start(context.WithoutCancel(ctx))
	s.sealing.Go(func() {
		defer goroutine.Recover(s.log, "sealing the trail")
		s.seals.Run(ctx)
	})
	s.sealing.Go(func() {
		defer goroutine.Recover(s.log, "having checkpoints signed")
		s.attest.Run(ctx)
	})
	goroutine.Go(s.log, "getting ready for the first order", func() { s.prepareOrders(ctx) })
	goroutine.Go(s.log, "notifying open pages of changes", func() { s.events.Run(context.WithoutCancel(ctx)) })
	goroutine.Go(s.log, "watching the database", func() { s.services.Operations.Watch(ctx) })
	goroutine.Go(s.log, "counting refusals", func() { s.countRefusals(context.WithoutCancel(ctx)) })
	served := goroutine.Result(s.log, "serving", func() error { return handlers.Serve(s.app, ln) })
	s.log.Info("serving", "addr", ln.Addr().String())
	select {
	case err := <-served:
		return errors.Join(err, s.stop(0))
	case <-ctx.Done():
		return s.stop(s.delay)
	}
}

// refusalBeat is how often it is looked which minutes of refusals are over.
const refusalBeat = 5 * time.Second

// countRefusals records how many refusals there were in the minutes that are over. Each
// process counts its own.
func (s *server) countRefusals(ctx context.Context) {
	ticker := time.NewTicker(refusalBeat)
	defer ticker.Stop()
	for {
		select {
		case <-s.stopping:
			return
		case <-ticker.C:
		}
		if err := s.services.Audit.FlushRefusals(ctx, false); err != nil {
			s.log.Warn("counted refusals are not in the trail yet", "error", err)
		}
	}
}

// prepareTime is the timeout of prepareOrders.
const prepareTime = 30 * time.Second

// prepareOrders prepares the client for the first order. If this fails, that order
// tries again.
func (s *server) prepareOrders(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, prepareTime)
	defer cancel()
	if err := s.prepare(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("no token for the cancellation service yet", "error", err)
	}
}
