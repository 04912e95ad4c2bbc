// Package api serves programs: HTTP API v1 with its keys, scopes, limits and RFC
// 9457 problems, and the OpenAPI document that describes it. It checks the shape of
// a request; models checks its meaning. It uses no HTML, session or cookie.
package api

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/handlers/pace"
	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/cancellations"
	"veinte/models/changes"
	"veinte/models/intake"
	"veinte/models/rules"
	"veinte/models/sales"
	"veinte/models/terminals"
)

// Config holds what the API needs.
type Config struct {
	APIKeys interface {
		Authenticate(ctx context.Context, from models.Actor, secret string) (actor models.Actor, perMinute int, err error)
		BeginIdempotent(
			ctx context.Context, actor models.Actor, token, request [32]byte,
		) (*apikeys.Claim, *apikeys.IdempotencyRecord, error)
	}
	Audit interface {
		RecordRefusal(ctx context.Context, actor models.Actor, r audit.RefusedRequest, err error) error
		APIRefused(ctx context.Context, actor models.Actor, code, what string) error
		FollowAudit(ctx context.Context, actor models.Actor, after string, most int) (*audit.Stream, error)
	}
	Rules interface {
		Schedule() *rules.Schedule
		Window() models.Window
		AllReasons(ctx context.Context) ([]models.Reason, error)
	}
	Sales interface {
		DaySales(ctx context.Context, actor models.Actor, f sales.Filter) (*sales.DayPage, error)
		DayRevision(ctx context.Context, actor models.Actor, f sales.Filter) (int64, error)
		SalesOfRange(ctx context.Context, actor models.Actor, f sales.RangeFilter) (*sales.RangePage, error)
		CancellationsOfRange(ctx context.Context, actor models.Actor, f sales.RangeFilter) (*sales.CancellationPage, error)
		SalesOfOrder(ctx context.Context, actor models.Actor, name sales.OrderName) (found []sales.Found, hidden bool, err error)
		SaleOfID(ctx context.Context, actor models.Actor, id int64) (found []sales.Found, hidden bool, err error)
		SalesOfReference(ctx context.Context, actor models.Actor, reference string) (found []sales.Found, hidden bool, err error)
		Latest(ctx context.Context, actor models.Actor, cancellation int64) (found *sales.Found, hidden bool, err error)
	}
	Terminals interface {
		List(ctx context.Context, actor models.Actor, f terminals.ListFilter) (page []terminals.Listed, next string, err error)
		PutStore(ctx context.Context, actor models.Actor, seen terminals.Seen, in terminals.StoreInput) (*models.Store, bool, error)
		PutTerminal(ctx context.Context, actor models.Actor, seen terminals.Seen, in terminals.PutInput) (*terminals.Listed, bool, error)
	}
	Sealing interface {
		LatestCheckpoint(ctx context.Context) (*sealing.Checkpoint, error)
		ProveConsistency(ctx context.Context, from, to int64) (tlog.TreeProof, error)
	}
	Intake interface {
		RecordSales(ctx context.Context, actor models.Actor, o intake.Options, in []models.SaleInput) ([]intake.Outcome, error)
		Correct(ctx context.Context, actor models.Actor, sale int64, c intake.Correction) (*models.Sale, []*models.Error, error)
		TakeBack(ctx context.Context, actor models.Actor, sale int64, source models.SaleSource, note string) error
	}
	Cancellations interface {
		Request(ctx context.Context, actor models.Actor, r cancellations.CancelRequest) (*models.Cancellation, error)
		Withdraw(ctx context.Context, actor models.Actor, id int64) (*models.Cancellation, error)
		WhyNot(ctx context.Context, actor models.Actor, sales []*models.Sale, terminals map[int64]models.Terminal) ([]error, error)
	}
	FollowChanges func(ctx context.Context, actor models.Actor, after string, kinds []changes.Kind, most int) (*changes.Page, error)

	Paused    func(context.Context) bool
	Directory func(context.Context) (*terminals.Directory, error)
	ProofFor  func(ctx context.Context, actor models.Actor, id int64, kept ...int64) (proof *trailfile.Proof, hidden bool, err error)
	Clock     models.Clock
	Logger    *slog.Logger
	BaseURL   string // of the server, without a trailing slash; "" writes references without a host
}

// API serves programs.
type API struct {
	Config
	huma   huma.API
	from   func(*fiber.Ctx) models.Actor
	lines  []Line
	paces  *pace.Limiter[int64]  // by key
	faults *pace.Limiter[string] // failed authentications, by network

	opened sync.Map // hashes of secrets that open; see noteOpened

	documentsMu sync.Mutex
	documents   map[string][]byte // by kind and language
}

// Line is an operation with the permission that a key needs for it.
type Line struct {
	Method, Path string
	Scope        apikeys.Scope
	documented   *huma.Operation
}

// Prefix is where every operation lives.
const Prefix = "/api/v1"

// MaxBody is the largest request that is read: a thousand sales with every field
// at its longest fit in.
const MaxBody = 2 << 20

// New makes the API.
func New(config Config) *API {
	config.BaseURL = strings.TrimSuffix(config.BaseURL, "/")
	return &API{Config: config, paces: pace.New[int64](), faults: pace.New[string](), documents: map[string][]byte{}}
}

// Mount adds every operation to the application. from returns a request's origin:
// its address, program and request id.
func (a *API) Mount(app *fiber.App, from func(*fiber.Ctx) models.Actor) {
	a.from = from
	config := huma.Config{
		OpenAPI: a.outline(), DefaultFormat: "application/json",
		Formats: map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat},
	}
	a.huma = huma.NewAPI(config, withHead{humafiber.New(app, config).Adapter()})
	a.register()
	app.All(Prefix+"/*", a.missing)
	app.All(Prefix, a.missing)
}

// Lines lists the operations with the scopes they need.
func (a *API) Lines() []Line { return a.lines }

// Owns reports whether a path is the API's, so that its errors are problems and
// no pages.
func Owns(path string) bool { return path == Prefix || strings.HasPrefix(path, Prefix+"/") }

// withHead handles HEAD wherever GET is handled.
type withHead struct{ huma.Adapter }

// Handle registers an operation.
func (w withHead) Handle(op *huma.Operation, handler func(huma.Context)) {
	w.Adapter.Handle(op, handler)
	if op.Method == fiber.MethodGet {
		head := *op
		head.Method = fiber.MethodHead
		w.Adapter.Handle(&head, handler)
	}
}

// missing handles requests without an operation: an unknown address or a wrong
// method.
func (a *API) missing(c *fiber.Ctx) error {
	var methods []string
	for _, l := range a.lines {
		if fiber.RoutePatternMatch(c.Path(), fiberPath(l.Path)) {
			methods = append(methods, l.Method)
		}
	}
	if len(methods) == 0 {
		return a.answer(c, a.problem(c, errNoSuchAddress))
	}
	slices.Sort(methods)
	if methods = slices.Compact(methods); methods[0] == fiber.MethodGet {
		methods = append(methods, fiber.MethodHead)
	}
	c.Set(fiber.HeaderAllow, strings.Join(methods, ", "))
	return a.answer(c, a.problem(c, errMethod))
}

// fiberPath writes a path of the document as a route.
func fiberPath(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}
