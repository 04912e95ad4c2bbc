// Package kit is what the pages of every area are answered with: who asks and
// whether they may, forms and what is wrong with them, uploads, files, refusals
// and what every page shows. It knows no area. What it asks of the models stands
// in Config.
package kit

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/export"
	"veinte/models/operations"
	"veinte/models/terminals"
	"veinte/views/ui"
)

// Sessions finds the person behind a session.
type Sessions interface {
	SessionActor(ctx context.Context, token string) (actor models.Actor, language string, err error)
}

// Refusals writes down what was refused.
type Refusals interface {
	RecordRefusal(ctx context.Context, actor models.Actor, r audit.RefusedRequest, err error) error
}

// Files writes down which files leave.
type Files interface {
	NoteFile(ctx context.Context, actor models.Actor, f export.FileExport) error
}

// Config is what a Kit is made of.
type Config struct {
	Sessions  Sessions
	Refusals  Refusals
	Files     Files
	Directory func(context.Context) (*terminals.Directory, error)
	Window    func() models.Window
	Notices   func(context.Context) operations.Notices
	// Programs words an error for a program that asked.
	Programs fiber.ErrorHandler
	Clock    models.Clock
	Logger   *slog.Logger
	// Ready reports why the server must not be sent requests; nil when it may.
	Ready func(context.Context) error
	// Stopping is closed when the server stops: files under way end then. nil:
	// it never does.
	Stopping <-chan struct{}
	// SecureCookies is for servers that people reach by https only.
	SecureCookies bool
	// Demo says on every page that nothing is real.
	Demo bool
	// Practice says on every page, and in a header of every answer, that nothing
	// here moves money.
	Practice bool
}

// Kit answers requests. Every area embeds the same one.
type Kit struct {
	Config
	// Count fills in the numbers beside the links of a page's navigation; nil:
	// there are none.
	Count   func(*fiber.Ctx, *ui.Page)
	origins *http.CrossOriginProtection
}

// New makes the kit of an application.
func New(config Config) *Kit {
	return &Kit{Config: config, origins: http.NewCrossOriginProtection()}
}
