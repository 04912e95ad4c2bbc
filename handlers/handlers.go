// Package handlers serves the browser. It has one route table with the permission on
// each line, and builds the application from the pages of each area. Shared code is
// in handlers/kit. Queries and rules belong to models, HTML to views.
package handlers

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/api"
	"veinte/handlers/audit"
	"veinte/handlers/entrance"
	"veinte/handlers/exchange"
	"veinte/handlers/kit"
	"veinte/handlers/oversight"
	"veinte/handlers/places"
	"veinte/handlers/sales"
	"veinte/handlers/settings"
	"veinte/handlers/today"
	"veinte/models"
	"veinte/models/operations"
	"veinte/models/wiring"
	entranceview "veinte/views/entrance"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
)

// Config holds what the application needs. Each area gets its part of it.
type Config struct {
	*wiring.Services
	Clock  models.Clock
	Logger *slog.Logger
	// TakeResult handles the addresses below /results/, where terminals post.
	TakeResult fiber.Handler
	// Events notifies open pages of changes.
	Events *Events
	// API serves programs.
	API *api.API
	// Ready reports why the server cannot do its work; nil when it can.
	Ready func(context.Context) error
	// Probe reports why requests should not be sent here; nil: they always may.
	Probe func(context.Context) error
	// Health lists what is out; nil: nothing ever is.
	Health func(context.Context) []operations.Problem
	// Seen is told of each answer, by the pattern of its route; nil: nobody measures.
	Seen func(method, route string, status int, took time.Duration)
	// Tracer has requests traced; nil: none are.
	Tracer Tracer
	// Draining reports whether the server is about to stop; nil: it never is.
	Draining func() bool
	// Stopping is closed when running downloads have to end, because the server stops. nil:
	// it never stops.
	Stopping <-chan struct{}
	// Connection is the client of the service.
	Connection settings.Connection
	// Shared is what holds for the address that all terminals share.
	Shared models.SharedAddress
	// Setup is how the service is reached, secrets as ***.
	Setup []settingsview.Setting
	// Differs lists what was set otherwise than the cancellation document says, as
	// it is at an instant; nil: nothing.
	Differs func(now time.Time) []settingsview.Difference
	// SecureCookies is for servers that people reach by https only.
	SecureCookies bool
	// Insecure is a server that others reach without https; its administrators read so.
	Insecure bool
	// Proxies are those whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
	// SSO is the provider of the single sign-on, and SSOSetup how it is reached; nil: there
	// is none.
	SSO      *entrance.SSO
	SSOSetup *settingsview.SSOSetup
	// Demo shows sample sign-ins, and a notice on every page that the data is not
	// real.
	Demo    bool
	Samples []entranceview.SampleLogin
	// Gallery returns a page of samples in a visitor's frame, "" for the list of them;
	// false when there is none of the name. nil: only the demo has a gallery.
	Gallery func(name string, frame ui.Page) (templ.Component, bool)
	// Practice shows a notice on every page, and sets a header on every response,
	// that nothing here moves money.
	Practice bool
	// SecurityContacts are those to tell of a weakness; none: no security.txt is served.
	SecurityContacts []string
	// PracticeURL is the address of the practice installation, where no money moves;
	// "" when there is none.
	PracticeURL string
}

// Handlers are the pages of every area.
type Handlers struct {
	*kit.Kit
	config    *Config
	audit     *audit.Handlers
	entrance  *entrance.Handlers
	exchange  *exchange.Handlers
	oversight *oversight.Handlers
	places    *places.Handlers
	sales     *sales.Handlers
	settings  *settings.Handlers
	today     *today.Handlers
}

// newHandlers gives each area what it needs.
func newHandlers(c *Config) *Handlers {
	s := c.Services
	k := kit.New(kit.Config{
		Reads:        s.DB.Page,
		SessionActor: s.Entrance.SessionActor, RecordRefusal: s.Audit.RecordRefusal,
		NoteFile: s.Export.NoteFile, NoteFileSent: s.Export.NoteFileSent,
		Saw: func(ctx context.Context, actor models.Actor) error { // also who has hung up meanwhile
			return s.Entrance.Saw(context.WithoutCancel(ctx), actor)
		},
		Directory: s.Terminals.Directory, Window: s.Rules.Window, Notices: s.Operations.Notices, OwnNotices: s.Accounts.NoticesOf,
		Admit: s.Entrance.Admit, Confirm: s.Entrance.Confirm, TurnAway: s.Entrance.TurnAway,
		Programs: c.API.AnswerError,
		Clock:    c.Clock, Logger: c.Logger, Proxies: c.Proxies, Ready: c.Ready, Stopping: c.Stopping, Live: c.Events.live,
		SecureCookies: c.SecureCookies, Insecure: c.Insecure, Demo: c.Demo, Practice: c.Practice,
	})
	h, papers := &Handlers{Kit: k, config: c}, seals{s.Sealing, k.Logger}
	h.entrance = &entrance.Handlers{
		Kit: k, Accounts: s.Accounts, Counters: s.Counters, Entrance: s.Entrance, Operations: s.Operations,
		Pages: entrance.NewPages(), Samples: c.Samples, PracticeURL: c.PracticeURL, SSO: c.SSO,
	}
	h.audit = &audit.Handlers{
		Kit: k, Audit: s.Audit, Export: s.Export, Verify: s.Verify, Compare: s.Compare, Attest: s.Attest, Mail: s.Alerts,
		SavedViews: s.SavedViews, SalesFiles: s.SalesFiles,
		Checkpoint: s.Sealing.LatestCheckpoint, Noted: s.Attest.LatestCheckpoint,
		Colleagues: s.Accounts.Colleagues, AllReasons: s.Rules.AllReasons,
		OwnTerminals: s.Sales.OwnTerminals, BaseURL: c.API.BaseURL, Onboarding: h.entrance.Onboarding,
	}
	h.exchange = &exchange.Handlers{
		Kit: k, Imports: s.Imports, Reconciliation: s.Reconciliation, Results: s.Results.Results, Webhooks: s.Webhooks,
		APIKeys: s.APIKeys, Proposals: s.Proposals, API: c.API, WaitingOf: s.Cancellations.WaitingOf,
	}
	h.oversight = &oversight.Handlers{
		Kit: k, Alerts: s.Alerts, Review: s.Review, Closings: s.Closings, Oversight: s.Oversight, AllReasons: s.Rules.AllReasons,
		Compared: s.Compare.Last, Seal: papers.ofClosing,
	}
	h.today = &today.Handlers{
		Kit: k, DayOfStores: s.Sales.DayOfStores, Review: s.Review.First, Problems: s.Terminals.CountProblems,
		Proposals: s.Proposals.Waiting, Keys: s.APIKeys.Keys, ConnectionTest: s.Operations.LastConnectionTest,
		Onboarding: h.entrance.Onboarding,
	}
	h.places = &places.Handlers{
		Kit: k, Terminals: s.Terminals, Day: s.Sales.DayOfStores, TerminalDay: s.Sales.TerminalDay, People: s.Accounts.People,
		Shared: c.Shared, BaseURL: c.API.BaseURL,
	}
	h.sales = &sales.Handlers{
		Kit: k, Sales: s.Sales, Cancellations: s.Cancellations, Bulk: s.Bulk, Intake: s.Intake, IssueNotice: s.Notices.Issue, Rules: s.Rules,
		SavedViews: s.SavedViews.SavedViews, Pending: s.Review.Pending, Onboarding: h.entrance.Onboarding,
		Differences: s.Compare.OfSale, Seal: papers.now,
		SawEnded: func(ctx context.Context, actor models.Actor, ids []int64) error {
			defer s.Operations.ForgetNotices()
			return s.Review.SawEnded(ctx, actor, ids)
		},
	}
	h.settings = &settings.Handlers{
		Kit: k, Latest: s.Audit.Latest, Accounts: s.Accounts, Entrance: s.Entrance, Proposals: s.Proposals,
		Cancellations: s.Cancellations, Operations: s.Operations, Rules: s.Rules,
		BaseURL: c.API.BaseURL, Connection: c.Connection, Setup: c.Setup, Shared: c.Shared, Differs: c.Differs,
		SSO: c.SSOSetup,
	}
	k.Count = h.oversight.Count
	return h
}

// NewAPI returns the API for programs.
func NewAPI(s *wiring.Services, clock models.Clock, log *slog.Logger, baseURL string) *api.API {
	return api.New(api.Config{
		APIKeys: s.APIKeys, Audit: s.Audit, Rules: s.Rules, Sales: s.Sales, Sealing: s.Attest,
		Cancellations: s.Cancellations, Intake: s.Intake, Directory: s.Terminals.Directory,
		Terminals: s.Terminals, FollowChanges: s.Changes.Follow,
		Paused:   func(ctx context.Context) bool { return s.Operations.Notices(ctx).Pause != nil },
		ProofFor: s.Verify.ProofFor, Clock: clock, Logger: log, BaseURL: baseURL,
	})
}

// New returns the application with every route.
func New(config Config) *fiber.App {
	h := newHandlers(&config)
	app := fiber.New(fiber.Config{
		AppName:               "veinte",
		DisableStartupMessage: true,
		// Without it, stored request strings would be overwritten by the next
		// request.
		Immutable:     true,
		StrictRouting: false,
		// Rules go by the letters of a path, so routes do too. kit.BeforeBody spells
		// what machines send.
		CaseSensitive: true,
		BodyLimit:     kit.MaxRequest,
		// Files are too large for memory; TakeBody holds all else to its limit.
		StreamRequestBody: true,
		// A terminal that labels its JSON as multipart gets the same response as any
		// other.
		DisablePreParseMultipartForm: true,
		ReadBufferSize:               16 << 10,
		ReadTimeout:                  15 * time.Second,
		WriteTimeout:                 30 * time.Second,
		IdleTimeout:                  75 * time.Second,
		ErrorHandler:                 h.RenderError,
		// No X-Forwarded header is fiber's to believe: handlers/client reads the address.
		EnableTrustedProxyCheck: true,
	})
	app.Server().HeaderReceived = kit.BeforeBody
	app.Use(h.Survive, h.Headers, compressed, h.TakeBody, h.CheckInput)
	app.Use(api.Prefix, h.looksOfPrograms)
	config.API.Mount(app, kit.Actor)
	app.Post("/login", h.entrance.Admit)
	app.Post("/login/passkey", h.entrance.Admit)
	for _, r := range withFormPaths(h.routes()) {
		handler := h.Guard(r.method, r.can, r.handler)
		if r.method == fiber.MethodGet && r.can != kit.Machine {
			handler = h.Looks(handler, slices.Contains(clicks, r.path))
		}
		handler = named(r.path, handler)
		app.Add(r.method, r.path, handler)
		if r.method == fiber.MethodGet {
			// Probes and link checkers ask for the head alone.
			app.Add(fiber.MethodHead, r.path, handler)
		}
	}
	app.Server().Handler = h.accounted(h.Shed(app.Handler(), h.entrance.Draws))
	return app
}

// looksOfPrograms has what programs only read be like the pages of people.
func (h *Handlers) looksOfPrograms(c *fiber.Ctx) error {
	defer func() { c.Locals(routeKey, c.Route().Path) }()
	traced(c)
	if c.Method() == fiber.MethodPost || c.Method() == fiber.MethodPut {
		return c.Next()
	}
	return h.Looks((*fiber.Ctx).Next, false)(c)
}

// Serve serves the application until it is shut down.
func Serve(app *fiber.App, ln net.Listener) error { return app.Listener(kit.Listener(ln)) }
