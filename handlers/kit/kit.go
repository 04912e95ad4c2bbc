// Package kit is shared by the pages of every area: users and permissions, forms and
// their errors, uploads, files, refusals and the common parts of a page. It depends
// on no area. Config lists what it needs of the models.
package kit

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/export"
	"veinte/models/entrance"
	"veinte/models/operations"
	"veinte/models/terminals"
)

// Config holds what a Kit needs.
type Config struct {
	// Reads makes a page whose reads share round trips, see database.DB.Page.
	Reads func(ctx context.Context, confirm, page func(context.Context) error) (err, stale error)
	// SessionActor finds the person behind a session.
	SessionActor func(ctx context.Context, token string) (actor models.Actor, language string, err error)
	// Saw notes that the person of a session does something.
	Saw func(ctx context.Context, actor models.Actor) error
	// RecordRefusal records what was refused, NoteFile which files are
	// downloaded, and NoteFileSent that they left whole.
	RecordRefusal func(context.Context, models.Actor, audit.RefusedRequest, error) error
	NoteFile      func(context.Context, models.Actor, export.FileExport) error
	NoteFileSent  func(ctx context.Context, actor models.Actor, of export.FileExport, sha256 string, bytes int64) error
	Directory     func(context.Context) (*terminals.Directory, error)
	Window        func() models.Window
	Notices       func(context.Context) operations.Notices
	// OwnNotices lists what a person is told of their account.
	OwnNotices func(ctx context.Context, actor models.Actor) ([]models.AccountNotice, error)
	// Admit lets somebody in who gives a proof, and Confirm takes it.
	Admit   func(ctx context.Context, from models.Actor, device string) (*entrance.Place, error)
	Confirm func(ctx context.Context, actor models.Actor, p entrance.Proof) error
	// TurnAway refuses who signs in while there is no place for strangers.
	TurnAway func(ctx context.Context, from models.Actor, device string) error
	// Programs writes an error as a response to a program.
	Programs fiber.ErrorHandler
	Clock    models.Clock
	Logger   *slog.Logger
	// Live are the answers that end with the access of their people.
	Live *Live
	// Proxies are those whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
	// As the fields of the same names of handlers.Config.
	Ready                                   func(context.Context) error
	Stopping                                <-chan struct{}
	SecureCookies, Insecure, Demo, Practice bool
}

// Kit answers requests. Every area embeds the same one.
type Kit struct {
	Config
	// Count returns the number beside a link of a page's navigation; nil: there is none.
	Count   func(ctx context.Context, reader models.Actor) int
	met     met
	origins *http.CrossOriginProtection
	turns   *turns
	large   chan struct{} // bodies larger than a form that are being read
}

// New makes the kit of an application.
func New(config Config) *Kit {
	return &Kit{Config: config, origins: http.NewCrossOriginProtection(), turns: newTurns(), large: make(chan struct{}, maxLargeBodies)}
}
