package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers"
	"veinte/handlers/results"
	"veinte/migrations"
	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/audit/sealing"
	"veinte/models/database"
	"veinte/models/goroutine"
	"veinte/models/operations"
	"veinte/models/webhooks"
	"veinte/models/wiring"
	entranceview "veinte/views/entrance"
	"veinte/views/gallery"
	oversightview "veinte/views/oversight"
	"veinte/web/cancelapi"
	"veinte/web/commands"
	"veinte/web/deliver"
	"veinte/web/jobs"
	"veinte/web/mail"
)

// server is one process of the product: pages, results endpoint and workers.
type server struct {
	db        *database.DB
	clock     models.Clock
	services  *wiring.Services
	workers   *jobs.Workers
	deliverer *jobs.Deliverer
	seals     *sealing.Service
	sealing   sync.WaitGroup
	app       *fiber.App
	events    *handlers.Events
	admin     *adminServer
	log       *slog.Logger
	prepare   func(context.Context) error // prepares for the first order
	kind      operations.Installation
	draining  atomic.Bool
	stopping  chan struct{} // closed when draining begins
}

// drainTime limits how long running requests may take when the server stops, and
// then running attempts.
const drainTime = 35 * time.Second

// newServer connects and wires everything. It refuses wrong zone data and pending
// migrations.
func newServer(ctx context.Context, c *checked, clock models.Clock, samples []entranceview.SampleLogin) (*server, error) {
	db, err := database.Open(ctx, database.DBConfig{URL: c.databaseURL, Application: "veinte", Logger: c.log, MaxConns: maxConns})
	if err != nil {
		return nil, err
	}
	s := &server{db: db, clock: clock, log: c.log, kind: c.kind(len(samples) > 0), stopping: make(chan struct{})}
	if err := s.wire(ctx, c, samples); err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// maxConns is the size of a process's connection pool, without the connections on
// which its workers listen.
const maxConns = 20

// checkDatabase refuses a database that must not be served: one with wrong zone
// data, of another schema or of another installation. It refuses practice against
// anything but a sandbox. It warns of a role that could change the trail.
func (s *server) checkDatabase(ctx context.Context, c *checked) error {
	if err := database.CheckZoneData(ctx, s.db); err != nil {
		return err
	}
	pending, err := migrations.Pending(ctx, s.db.SQL())
	if err != nil {
		return err
	}
	if len(pending) > 0 {
		return fmt.Errorf("the schema is not up to date (%d pending, next %s): run veinte migrate up, or serve --migrate", len(pending),
			pending[0])
	}
	if err := wiring.Over(s.db).Operations.CheckInstallation(ctx, s.kind); err != nil {
		return err
	}
	if c.practice {
		if err := isSandbox(ctx, c.cancelapi.BaseURL); err != nil {
			return err
		}
	}
	guarded, err := s.db.TrailGuarded(ctx)
	if err != nil {
		return err
	}
	if !guarded {
		s.log.Warn("DATABASE_URL is a role that could change the trail; serve with one that veinte migrate up --app-role has granted its rights")
	}
	return nil
}

func (s *server) wire(ctx context.Context, c *checked, samples []entranceview.SampleLogin) error {
	if err := s.checkDatabase(ctx, c); err != nil {
		return err
	}
	if err := s.prepareTrail(ctx, c); err != nil {
		return err
	}
	// River logs every poll at info; we log its warnings only.
	quiet := slog.New(atLeast{s.log.Handler(), slog.LevelWarn})
	queue, err := jobs.NewQueue(s.db, quiet)
	if err != nil {
		return err
	}
	service, err := s.client(c)
	if err != nil {
		return err
	}
	window := c.window
	window.Ahead = service.ClockDifference
	config := wiring.Config{
		DB: s.db, Queue: queue, API: service, Clock: s.clock, Window: window, Waits: c.waits, Logger: s.log,
		Credential: c.credential, ClockAhead: service.ClockCertainly, Seals: s.seals,
	}
	if c.cancelapi.InquiryPath != "" {
		config.Inquiries = service
	}
	s.prepare = service.Prepare
	config.Deliveries = webhooks.New(webhooks.Config{DB: s.db, Clock: s.clock, Box: c.sealer, AllowPrivate: c.allowPrivate})
	config.CanMail, config.CheckpointsLeave = c.mail != nil, c.checkpointDir != ""
	config.Sealed = c.auditKeys != nil && len(c.auditKeys.Signers()) > 0
	s.services = wiring.New(config)
	s.services.Rules.Schedule() // the first page needs the rules of the database
	s.deliverer = jobs.NewDeliverer(s.services.Webhooks, deliver.New(deliver.Config{Clock: s.clock, AllowPrivate: c.allowPrivate}), s.log)
	work := jobs.Work{
		Cancellations: s.services.Cancellations, RunImport: s.services.Imports.RunImport, Verify: s.services.Verify.RunVerification,
		Sweep: s.services.Operations.Sweep, CloseDays: s.services.Closings.CloseDays, CreateMonths: s.services.Sealing.CreateMonths,
	}
	if s.workers, err = jobs.NewWorkers(s.db, work, s.services.Webhooks, s.services.Alerts, s.mailSender(c), quiet); err != nil {
		return err
	}
	s.wirePages(c, service, samples)
	s.admin = newAdminServer(c.adminAddr, s.db, s.services.Operations, s.services.Webhooks, s.seals)
	return nil
}

// wirePages makes the handlers for browsers, the merchant's programs and terminals.
func (s *server) wirePages(c *checked, service *cancelapi.Client, samples []entranceview.SampleLogin) {
	s.events = handlers.NewEvents(s.services, s.log)
	programs := handlers.NewAPI(s.services, s.clock, s.log, c.baseURL)
	config := handlers.Config{
		API:      programs,
		Events:   s.events,
		Services: s.services, Clock: s.clock, Logger: s.log, Ready: s.ready, Stopping: s.stopping,
		TakeResult: results.Handler(c.resultsSecret, s.services.Results, s.log),
		Connection: service, Setup: c.setup,
		SecureCookies: c.secureCookies, TrustedProxies: c.trustedProxies,
		Demo: len(samples) > 0, Samples: samples, Practice: c.practice, PracticeURL: c.practiceURL,
	}
	if config.Demo {
		config.Gallery = gallery.GalleryPage
	}
	s.app = handlers.New(config)
}

// prepareTrail creates the coming months' partitions, and refuses keys that do not
// fit a sealed trail.
func (s *server) prepareTrail(ctx context.Context, c *checked) error {
	config := sealing.Config{DB: s.db, Clock: s.clock, Dir: c.checkpointDir, Logger: s.log}
	if c.auditKeys != nil {
		config.Signers, config.Public = c.auditKeys.Signers(), c.auditKeys.Public()
	}
	s.seals = sealing.New(config)
	if err := s.seals.Check(ctx); err != nil {
		return err
	}
	if !s.seals.Sealing() {
		s.log.Warn("the trail is not sealed: nobody could prove that it was not changed; veinte audit keygen makes a key for AUDIT_KEY_FILE")
	} else if c.checkpointDir == "" {
		s.log.Warn("checkpoints stay in the database: whoever cuts the end of the trail can cut them too; name AUDIT_CHECKPOINT_DIR")
	}
	if _, err := s.seals.MakeMonths(ctx); err != nil {
		s.log.Warn("the months of the trail were not made ahead; entries are kept all the same", "error", err)
	}
	return nil
}

// mailSender returns the sender of alert mails; nil when no mail server is set.
func (s *server) mailSender(c *checked) jobs.MailSender {
	if c.mail == nil {
		return nil
	}
	words := func(m *alerts.Mail) (subject, text string) {
		return oversightview.Letter(m, strings.TrimRight(c.baseURL, "/"), s.services.Rules.Window().Calendar.Zone())
	}
	return mail.New(*c.mail, words, s.clock)
}

func (s *server) client(c *checked) (*cancelapi.Client, error) {
	config := c.cancelapi
	config.Clock, config.Logger, config.Tokens = s.clock, s.log, c.tokens(s.clock)
	return cancelapi.New(config)
}

// ready reports why this process should get no requests; nil when it should.
func (s *server) ready(ctx context.Context) error {
	if s.draining.Load() {
		return errors.New("stopping")
	}
	return s.services.Operations.Ready(ctx)
}

// run serves on the listener until ctx ends, then drains.
func (s *server) run(ctx context.Context, ln net.Listener) error {
	defer s.db.Close()
	if err := s.services.Operations.ServerStarted(ctx, commands.Operator(), version, s.kind); err != nil {
		return err
	}
	if err := s.workers.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	if err := s.admin.start(); err != nil {
		return err
	}
	s.deliverer.Start(context.WithoutCancel(ctx))
	s.sealing.Go(func() {
		defer goroutine.Recover(s.log, "sealing the trail")
		s.seals.Run(ctx)
	})
	goroutine.Go(s.log, "getting ready for the first order", func() { s.prepareOrders(ctx) })
	goroutine.Go(s.log, "telling open pages of changes", func() { s.events.Run(context.WithoutCancel(ctx)) })
	served := goroutine.Result(s.log, "serving", func() error { return s.app.Listener(ln) })
	s.log.Info("serving", "addr", ln.Addr().String())
	select {
	case err := <-served:
		return errors.Join(err, s.stop())
	case <-ctx.Done():
		return s.stop()
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

// stop makes readiness fail, then ends requests, then attempts.
func (s *server) stop() error {
	s.draining.Store(true)
	close(s.stopping)
	s.log.Info("stopping")
	s.events.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	err := errors.Join(s.app.ShutdownWithContext(ctx), s.deliverer.Stop(ctx), s.workers.Stop(ctx), s.admin.stop(ctx))
	s.sealing.Wait()
	if err := s.services.Operations.ServerStopped(ctx, commands.Operator(), version); err != nil {
		s.log.Warn("the trail is not told that the server stops", "error", err)
	}
	_, _ = s.seals.Seal(ctx) // the last entries; an error is logged and does not delay the end
	return err
}

// atLeast is a log handler that passes on records at or above a level.
type atLeast struct {
	slog.Handler
	level slog.Level
}

// Enabled reports whether records of the level are passed on.
func (h atLeast) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= h.level && h.Handler.Enabled(ctx, l)
}

// Handle drops what a library logs because it was stopped: that is expected.
func (h atLeast) Handle(ctx context.Context, r slog.Record) error {
	stopped := false
	r.Attrs(func(a slog.Attr) bool {
		stopped = stopped || strings.Contains(a.Value.String(), context.Canceled.Error())
		return !stopped
	})
	if stopped {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs returns a handler with the same level.
func (h atLeast) WithAttrs(attrs []slog.Attr) slog.Handler {
	return atLeast{h.Handler.WithAttrs(attrs), h.level}
}

// WithGroup returns a handler with the same level.
func (h atLeast) WithGroup(name string) slog.Handler {
	return atLeast{h.Handler.WithGroup(name), h.level}
}
