package web

import (
	"context"
	"errors"
	"fmt"

	"veinte/handlers"
	"veinte/handlers/results"
	"veinte/migrations"
	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/audit/attest"
	"veinte/models/audit/sealing"
	"veinte/models/database"
	"veinte/models/operations"
	"veinte/models/webhooks"
	"veinte/models/wiring"
	entranceview "veinte/views/entrance"
	"veinte/views/gallery"
	oversightview "veinte/views/oversight"
	"veinte/web/cancelapi"
	"veinte/web/deliver"
	"veinte/web/jobs"
	"veinte/web/mail"
	"veinte/web/metrics"
)

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
	schemas, err := migrations.Compare(ctx, s.db.SQL())
	if err == nil {
		err = schemas.Err()
	}
	if err != nil {
		return err
	}
	if schemas.Database > schemas.Program {
		s.log.Warn("the schema is of a later release, beside whose servers this one may serve until it is upgraded",
			"schema", schemas.Database, "own", schemas.Program)
	}
	if err := wiring.Over(s.db).Operations.CheckInstallation(ctx, s.kind); err != nil {
		return err
	}
	if c.practice {
		if err := cancelapi.IsSandbox(ctx, c.cancelapi.BaseURL); err != nil {
			return err
		}
	}
	return s.checkRole(ctx, c)
}

// checkRole refuses a role that could change the trail: whoever gets hold of the
// server would have it. Where no money moves it warns, as it does when it was told to
// serve so.
func (s *server) checkRole(ctx context.Context, c *checked) error {
	may, err := s.db.Rights(ctx)
	if err != nil {
		return err
	}
	const how = "serve with one that veinte migrate up --app-role has granted its rights"
	switch {
	case !may.Owns && !may.Rewrites:
	case c.ownerServes || s.kind != operations.RealInstallation:
		s.log.Warn("DATABASE_URL is a role that could change the trail; " + how)
	default:
		return errors.New("DATABASE_URL: its role could change the trail, because it owns the tables, is a superuser or was granted too much; " +
			how + ", or set SERVE_AS_OWNER=on")
	}
	missing, err := s.db.MissingRights(ctx)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		s.log.Error("DATABASE_URL: its role lacks rights, and what needs them fails: run veinte migrate up --app-role ROLE as the owner",
			"missing", missing)
	}
	if may.Temporary && !may.Owns {
		s.log.Warn("DATABASE_URL is a role that may make temporary tables, for servers of the release before: " +
			"once none of them runs, run veinte migrate up again, as the owner of the database")
	}
	if may.LargeObjects && !may.Owns {
		s.log.Warn("DATABASE_URL is a role that may make large objects, which fill the disk and stand in no table: as a superuser, run " +
			"REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC")
	}
	return nil
}

func (s *server) wire(ctx context.Context, c *checked, samples []entranceview.SampleLogin) error {
	if err := s.checkDatabase(ctx, c); err != nil {
		return err
	}
	s.db.OnCommitted(s.watch.Committed(s.log))
	if err := s.prepareTrail(ctx, c); err != nil {
		return err
	}
	quiet := jobs.Quiet(s.log)
	queue, err := jobs.NewQueue(s.db, quiet)
	if err != nil {
		return err
	}
	client := c.cancelapi
	client.Clock, client.Logger, client.Tokens, client.Early = s.clock, s.log, c.tokens(s.clock), s.clock.Early
	client.Seen = s.watch.Service
	service, err := cancelapi.New(client)
	if err != nil {
		return err
	}
	window := c.window
	window.Ahead = service.ClockDifference
	config := wiring.Config{
		DB: s.db, Queue: queue, API: s.tracer.Service(service), Clock: s.clock, Clocks: s.clock, Window: window, Waits: c.waits, Logger: s.log,
		Credential: c.credential, ClockAhead: service.ClockCertainly, Seals: s.seals, Addresses: c.results.keys,
		Address: c.baseURL, Attest: s.attest,
	}
	if c.cancelapi.InquiryPath != "" {
		config.Inquiries = s.tracer.Inquiries(service)
	}
	s.prepare = service.Prepare
	config.Box = c.sealer
	config.Deliveries = webhooks.New(webhooks.Config{DB: s.db, Clock: s.clock, Box: c.sealer, AllowPrivate: c.allowPrivate})
	config.CanMail, config.CheckpointsLeave = c.mail != nil, c.checkpointDir != ""
	config.KeepsCommits = c.keepsCommits
	config.Sealed = s.seals.Sealing() || s.seals.Elsewhere()
	s.services = wiring.New(config)
	s.services.Rules.Schedule() // the first page needs the rules of the database
	s.deliverer = jobs.NewDeliverer(s.services.Webhooks, deliver.New(deliver.Config{
		Clock: s.clock, Signing: models.ShiftedClock(0), AllowPrivate: c.allowPrivate, Proxy: c.deliveryProxy,
	}), s.log)
	s.deliverer.Seen = s.watch.Delivery
	work := jobs.Work{
		Cancellations: s.services.Cancellations, RunImport: s.services.Imports.RunImport,
		Verify: func(ctx context.Context, id int64) error {
			if err := s.services.Verify.RunVerification(ctx, id); err != nil {
				return err
			}
			return s.services.Compare.RunAsked(ctx)
		},
		Compare: s.services.Compare.RunNightly,
		Seen:    s.watch.Job, Begin: s.tracer.Job,
		Sweep: s.services.Operations.Sweep, CloseDays: s.services.Closings.CloseDays, MakeMonths: s.services.Sealing.MakeMonths,
	}
	if s.workers, err = jobs.NewWorkers(s.db, work, s.services.Webhooks, s.services.Alerts, s.mailSender(c), quiet); err != nil {
		return err
	}
	s.wirePages(c, service, samples)
	s.admin = metrics.New(metrics.Config{
		Addr: c.adminAddr, Version: version, DB: s.db, Services: s.services, Posts: s.results, Health: s.services.Operations.Health,
		Watch: s.watch, Leads: func(ctx context.Context) bool { return s.workers.Leads(ctx, s.db) },
	})
	return nil
}

// wirePages makes the handlers for browsers, the merchant's programs and terminals.
func (s *server) wirePages(c *checked, service *cancelapi.Client, samples []entranceview.SampleLogin) {
	s.results = results.New(results.Config{
		Receiver: s.services.Results, Deliveries: s.services.Webhooks, Clock: s.clock, Log: s.log,
		Keys: c.results.keys, Secret: c.results.secret, SharedEnds: c.results.shared.Ends(),
		Networks: c.results.networks, SharedPace: c.results.sharedPace,
	})
	s.events = handlers.NewEvents(s.services, s.log)
	programs := handlers.NewAPI(s.services, s.clock, s.log, c.baseURL)
	config := handlers.Config{
		API:      programs,
		Events:   s.events,
		Services: s.services, Clock: s.clock, Logger: s.log, Ready: s.ready, Probe: s.probe, Health: s.services.Operations.Health,
		Seen: s.watch.Request, Draining: s.draining.Load,
		Stopping:   s.ending,
		TakeResult: s.results.Handle,
		Connection: service, Setup: c.setup, Shared: c.results.shared, Differs: c.differences,
		SecureCookies: c.secureCookies, Insecure: c.insecure, Proxies: c.proxies,
		Demo: len(samples) > 0, Samples: samples, Practice: c.practice, PracticeURL: c.practiceURL,
		SecurityContacts: c.securityContacts,
	}
	s.wireSSO(c, &config)
	if s.tracer != nil {
		config.Tracer = s.tracer
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
	may, err := s.db.Rights(ctx)
	if err != nil {
		return err
	}
	config.Elsewhere = !may.Seals
	s.seals = sealing.New(config)
	s.attest = attest.New(attest.Config{DB: s.db, Clock: s.clock, Seals: s.seals, Asked: c.attesters, Logger: s.log})
	if err := s.seals.Check(ctx); err != nil {
		return err
	}
	if s.seals.Elsewhere() {
		s.log.Info("the trail is sealed by veinte seal, with a role of its own")
	} else if !s.seals.Sealing() {
		s.log.Warn("the trail is not sealed: nobody could prove that it was not changed; veinte audit keygen makes a key for AUDIT_KEY_FILE")
	} else if c.checkpointDir == "" {
		s.log.Warn("checkpoints stay in the database: whoever cuts the end of the trail can cut them too; name AUDIT_CHECKPOINT_DIR")
	}
	if _, err := s.seals.Unguarded(ctx); err != nil { // which logs what it finds
		return err
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
		return oversightview.Letter(m, c.baseURL, s.services.Rules.Window().Calendar.Zone())
	}
	return mail.New(*c.mail, words, s.clock)
}
