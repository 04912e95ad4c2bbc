// Package wiring makes one of each service and connects them. It is the only
// package that knows them all: who needs what is said here, once, for the server,
// the commands, the laboratory and the tests.
package wiring

import (
	"context"
	"log/slog"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/proposals"
	"veinte/models/addresses"
	"veinte/models/alerts"
	"veinte/models/apikeys"
	"veinte/models/audit"
	"veinte/models/audit/attest"
	"veinte/models/audit/compare"
	"veinte/models/audit/export"
	"veinte/models/audit/sealing"
	"veinte/models/audit/verify"
	"veinte/models/bulk"
	"veinte/models/cancellations"
	"veinte/models/changes"
	"veinte/models/clocks"
	"veinte/models/closings"
	"veinte/models/counters"
	"veinte/models/database"
	"veinte/models/entrance"
	"veinte/models/imports"
	"veinte/models/intake"
	"veinte/models/lineage"
	"veinte/models/notices"
	"veinte/models/operations"
	"veinte/models/oversight"
	"veinte/models/reconciliation"
	"veinte/models/results"
	"veinte/models/review"
	"veinte/models/rules"
	"veinte/models/sales"
	"veinte/models/savedviews"
	"veinte/models/secretbox"
	"veinte/models/terminals"
	"veinte/models/webhooks"
)

// Config is what the services are made of.
type Config struct {
	DB        *database.DB
	Queue     models.Queue
	API       models.CancelAPI
	Inquiries models.InquiryAPI // nil: terminals cannot be asked
	Clock     models.Clock
	Clocks    *clocks.Service // says when Clock is wrong; nil: it never is
	Logger    *slog.Logger    // nil: nothing is logged
	// Window and Waits are the rules until a version in the database says
	// otherwise. The zone, Ahead and AckMeansCanceled stay as they are here.
	Window models.Window
	Waits  models.Waits
	// ClockAhead returns how far the service's clock is ahead of ours beyond
	// doubt, for people to be told; nil: nothing is known. The window goes by what
	// is possible, see models.Window.
	ClockAhead func() time.Duration
	// Credential reports why the key to the service cannot be read; nil: it is
	// not asked.
	Credential func() error
	// Addresses makes the own address of each terminal; nil: they have none.
	Addresses *addresses.Keys
	// Address is what people type, for passkeys; "": they work nowhere.
	Address string
	// Box encrypts what must be stored and not readable; nil: no key is set.
	Box *secretbox.Box
	// Deliveries forwards results and events; nil: nothing is forwarded.
	Deliveries *webhooks.Service
	// Seals seals the trail; nil: nothing is sealed, and nobody told.
	Seals *sealing.Service
	// Attest has checkpoints signed by others; nil: it only reads who does.
	Attest *attest.Service
	// Actor reads again who acts; nil: as the accounts and the keys of programs are.
	Actor func(database.Tx, models.Actor) (models.Actor, error)
	// KeepsCommits is the operator's word that commits wait for a standby.
	KeepsCommits bool
	// CanMail, Sealed and CheckpointsLeave say what alerts can count on: a mail
	// server, a key that seals, a directory for checkpoints.
	CanMail, Sealed, CheckpointsLeave bool
}

// Services are all of them.
type Services struct {
	DB             *database.DB
	Accounts       *accounts.Service
	Alerts         *alerts.Service
	APIKeys        *apikeys.Service
	Attest         *attest.Service
	Audit          *audit.Service
	Bulk           *bulk.Service
	Changes        *changes.Service
	Cancellations  *cancellations.Service
	Closings       *closings.Service
	Compare        *compare.Service
	Counters       *counters.Service
	Entrance       *entrance.Service
	Export         *export.Service
	Imports        *imports.Service
	Intake         *intake.Service
	Lineage        *lineage.Service
	Notices        *notices.Service
	Operations     *operations.Service
	Oversight      *oversight.Service
	Proposals      *proposals.Service
	Reconciliation *reconciliation.Service
	Results        *results.Service
	Review         *review.Service
	Rules          *rules.Service
	Sales          *sales.Service
	SalesFiles     *sales.Exporter
	SavedViews     *savedviews.Service
	Sealing        *sealing.Service
	Terminals      *terminals.Service
	Verify         *verify.Service
	Webhooks       *webhooks.Service // nil: nothing is forwarded
}

// New makes the services, each after those that it needs.
func New(c Config) *Services {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Services{DB: c.DB, Webhooks: c.Deliveries, Sealing: c.Seals}
	if s.Sealing == nil {
		// Without a key it seals nothing, and still reads what is sealed.
		s.Sealing = sealing.New(sealing.Config{DB: c.DB, Clock: c.Clock, Logger: c.Logger})
	}
	if s.Attest = c.Attest; s.Attest == nil {
		s.Attest = attest.New(attest.Config{DB: c.DB, Clock: c.Clock, Seals: s.Sealing, Logger: c.Logger})
	}
	s.Rules = rules.New(c.DB, c.Clock, c.Logger, c.Window, c.Waits)
	window := s.Rules.Window

	s.Audit = audit.New(c.DB, c.Clock, window)
	s.Verify = verify.New(c.DB, c.Queue, c.Clock, c.Logger, s.Sealing, s.Audit)
	s.Export = export.New(c.DB, c.Clock, c.Logger, window, s.Sealing, s.Audit)
	s.Accounts, s.APIKeys, s.SavedViews = accounts.New(c.DB, c.Clock, s.Audit), apikeys.New(c.DB, c.Clock), savedviews.New(c.DB, c.Clock)
	s.Entrance = entrance.New(c.DB, c.Clock, s.Audit, s.Accounts)
	s.Entrance.EncryptFactors(c.Box)
	s.Entrance.PasskeysAt(c.Address)
	s.Counters = counters.New(c.DB, c.Clock, s.Audit, s.Accounts, s.Entrance)
	if c.Actor == nil {
		c.Actor = s.Current
	}
	s.Terminals = terminals.New(c.DB, c.Clock, window, c.Addresses)
	s.Terminals.PostsOptional = c.Waits.AckMeansCanceled
	s.Sales = sales.New(c.DB, c.Clock, window, s.Rules.Waits, s.Terminals)
	s.Sales.AsksFirst, s.Sales.KeepsCommits = c.Inquiries != nil, c.KeepsCommits
	s.Changes = changes.New(c.DB)
	s.SalesFiles = sales.NewExporter(s.Sales, s.Export)
	s.Lineage = lineage.New(lineage.Config{
		DB: c.DB, Clock: c.Clock, Logger: c.Logger, KeepsCommits: c.KeepsCommits, Compare: s.Sealing.Compare,
		Changed: func(ctx context.Context) error {
			s.Operations.ForgetNotices()
			return s.Cancellations.DoubtElsewhere(ctx)
		},
	})
	s.Cancellations = cancellations.New(cancellations.Config{
		DB: c.DB, Queue: c.Queue, API: c.API, Inquiries: c.Inquiries, Clock: c.Clock, Clocks: c.Clocks,
		Rules: s.Rules, Terminals: s.Terminals, Audit: s.Audit, Lineage: s.Lineage, Deliveries: c.Deliveries, Credential: c.Credential,
		Actor:   c.Actor,
		Paused:  func(ctx context.Context) bool { return s.Operations.Notices(ctx).Pause != nil },
		OnPause: func() { s.Operations.ForgetNotices() },
		OnEnded: func(t database.Tx, c *models.Cancellation) error {
			if err := review.NoteEnded(t, c); err != nil {
				return err
			}
			return s.Alerts.MailEnded(t, c)
		},
	})
	s.Bulk = bulk.New(c.DB, s.Terminals, s.Cancellations)
	s.Accounts.NotifyEnded(s.Cancellations.EndRequestsOf, s.withdrawEnded(&c))
	s.APIKeys.NotifyAsked(s.Accounts.NotifyAsked)
	s.Proposals = proposals.New(c.DB, c.Clock, map[proposals.Kind]proposals.Give{
		proposals.OfPerson: s.Accounts.GiveRights, proposals.OfKey: s.APIKeys.GiveScope,
	})
	s.APIKeys.NotifyEnded(s.Cancellations.EndRequestsOf, s.withdrawEnded(&c))
	s.Notices = notices.New(c.DB, c.Clock, window, s.Cancellations)
	s.Intake = intake.New(c.DB, c.Clock, c.Logger, window, s.Terminals)
	s.Results = results.New(c.DB, c.Clock, c.Logger, window, s.Cancellations, c.Deliveries, s.Audit)
	s.Terminals.NotifyPlaced(s.Results.RereadTerminal)
	s.Intake.NotifyRecorded(s.Results.RereadFor)
	s.Imports = imports.New(c.DB, c.Queue, c.Clock, c.Logger, window, s.Audit, c.Actor)
	s.Reconciliation = reconciliation.New(c.DB, c.Clock, window, s.Rules.Waits, s.Cancellations)
	s.Closings = closings.New(c.DB, c.Clock, c.Clocks, window, s.Audit, c.Deliveries)
	s.Oversight = oversight.New(c.DB, c.Clock, window, s.Terminals)
	s.Alerts = alerts.New(alerts.Config{
		DB: c.DB, Clock: c.Clock, Deliveries: c.Deliveries, CanMail: c.CanMail, Links: s.Accounts, Checkpoints: s.Attest,
		Sealing: c.Sealed, CheckpointsLeave: c.CheckpointsLeave,
		Calendar: func() models.Calendar { return window().Calendar },
	})
	s.Review = review.New(review.Config{
		DB: c.DB, Clock: c.Clock, Window: window, Cancellations: s.Cancellations, Terminals: s.Terminals,
		Alerts: s.Alerts, Reconciliation: s.Reconciliation, Oversight: s.Oversight,
	})
	s.Compare = compare.New(c.DB, c.Clock, c.Logger, window)
	s.Accounts.NotifyLink(s.Alerts.MailLink)
	s.Accounts.MailNotices(s.Alerts.MailNotice)
	s.Operations = operations.New(operations.Config{
		DB: c.DB, Clock: c.Clock, Clocks: c.Clocks, Logger: c.Logger, ClockAhead: c.ClockAhead, Credential: c.Credential,
		Deliveries: c.Deliveries, Sealing: c.Seals, Signing: s.Attest.Notice,
		Lineage: s.Lineage, Sweepers: s.sweepers(c.Clock), Ended: s.Review.EndedDoubts,
		Blocked: s.Accounts.BlockedNames,
	})
	return s
}

// Current returns a person or a program as they are now, and keeps them so until the end
// of the transaction.
func (s *Services) Current(t database.Tx, actor models.Actor) (models.Actor, error) {
	if actor.Program() {
		return s.APIKeys.Current(t, actor)
	}
	return s.Accounts.Current(t, actor)
}

// withdrawEnded withdraws what went back with an access. A command has no queue and leaves
// it to the server's sweep; until then nothing of it is sent.
func (s *Services) withdrawEnded(c *Config) func(context.Context) {
	return func(ctx context.Context) {
		if c.Queue == nil {
			return
		}
		if err := s.Cancellations.WithdrawEnded(context.WithoutCancel(ctx)); err != nil {
			c.Logger.WarnContext(ctx, "requests of whose access ended are not withdrawn yet", "error", err)
		}
	}
}

// Over makes the services over a database for a command: they read and change
// what people may, and send nothing.
func Over(db *database.DB) *Services {
	return New(Config{DB: db, Clock: models.ShiftedClock(0), Logger: slog.Default()})
}

// verifyNightly verifies the trail in the night of the shops.
func (s *Services) verifyNightly(ctx context.Context) error {
	return s.Verify.VerifyNightly(ctx, s.Rules.Window().Calendar.Zone())
}

// signAtCutoff has the witnesses sign what was decided until the cut-off.
func (s *Services) signAtCutoff(clock models.Clock) operations.Sweeper {
	return func(ctx context.Context) error {
		return s.Attest.WantAtCutoff(ctx, s.Rules.Window().Calendar.Cutoff(clock.Now()))
	}
}

// sweepers are asked in this order: which database this is, then what is open.
func (s *Services) sweepers(clock models.Clock) []operations.Sweeper {
	return []operations.Sweeper{
		s.Lineage.Recognize, s.Cancellations.DoubtElsewhere,
		s.Cancellations.SweepOpen, s.Cancellations.WithdrawEnded, s.Results.InterpretPending, s.Results.RereadExplained,
		s.Cancellations.RedispatchIdle, s.Cancellations.ReinquireIdle,
		s.Imports.SweepImports, s.Export.SweepExports, s.Verify.SweepVerifications, s.verifyNightly, s.Audit.SweepAPI, s.Entrance.SweepSessions,
		s.Proposals.Sweep, s.signAtCutoff(clock),
	}
}
