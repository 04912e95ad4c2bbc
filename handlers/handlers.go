// Package handlers answers the browser: one route table with the permission on
// each line, the session cookie, forms, status codes and error pages. It knows
// neither SQL nor HTML: models decide, views show.
package handlers

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/compress"

	"veinte/handlers/api"
	"veinte/models"
	"veinte/models/database"
	"veinte/models/wiring"
	entranceview "veinte/views/entrance"
	settingsview "veinte/views/settings"
)

// Config is what the handlers are made of.
type Config struct {
	DB *database.DB
	*wiring.Services
	Clock  models.Clock
	Logger *slog.Logger
	// TakeResult answers POST /results/:secret, where terminals post.
	TakeResult fiber.Handler
	// Events tells open pages of changes.
	Events *Events
	// API answers programs.
	API *api.API
	// Ready reports why the server must not be sent requests; nil when it may.
	Ready func(context.Context) error
	// Stopping is closed when the server stops: files under way end then. nil:
	// it never does.
	Stopping <-chan struct{}
	// Connection is the client of the service.
	Connection Connection
	// Setup is how the service is reached, secrets as ***.
	Setup []settingsview.Setting
	// SecureCookies is for servers that people reach by https only.
	SecureCookies  bool
	TrustedProxies []string
	// Demo shows sample sign-ins and says on every page that nothing is real.
	Demo    bool
	Samples []entranceview.SampleLogin
	// Practice says on every page, and in a header of every answer, that nothing
	// here moves money.
	Practice bool
	// PracticeURL is the twin of this server where one practises without money;
	// "" when there is none.
	PracticeURL string
}

// Handlers holds what every handler needs.
type Handlers struct {
	Config
	origins *http.CrossOriginProtection
}

// maxRequest bounds a request's body. Forms are far smaller and are bounded
// again; a terminal's post that is larger is still answered. The API has a limit
// of its own, and a file to be imported another.
const maxRequest = 1 << 20

// New makes the application that answers every route.
func New(config Config) *fiber.App {
	h := &Handlers{Config: config, origins: http.NewCrossOriginProtection()}
	app := fiber.New(fiber.Config{
		AppName:               "veinte",
		DisableStartupMessage: true,
		// Without it kept request strings silently become the next request's.
		Immutable:     true,
		StrictRouting: false,
		BodyLimit:     maxRequest,
		// Files are too large for memory; takeBody holds all else to its limit.
		StreamRequestBody: true,
		// A terminal that calls its JSON multipart is answered like any other.
		DisablePreParseMultipartForm: true,
		ReadBufferSize:               16 << 10,
		ReadTimeout:                  15 * time.Second,
		WriteTimeout:                 30 * time.Second,
		IdleTimeout:                  75 * time.Second,
		ErrorHandler:                 h.answerError,
		EnableTrustedProxyCheck:      true,
		TrustedProxies:               config.TrustedProxies,
		ProxyHeader:                  fiber.HeaderXForwardedFor,
		EnableIPValidation:           true,
	})
	app.Server().HeaderReceived = beforeBody
	app.Use(h.survive, h.headers, compress.New(compress.Config{Level: compress.LevelBestSpeed, Next: streamed}), h.takeBody, h.checkInput)
	h.API.Mount(app, actor)
	for _, r := range withFormPlaces(h.routes()) {
		app.Add(r.method, r.path, h.guard(r), r.answer)
		if r.method == fiber.MethodGet {
			// Probes and link checkers ask for the head alone.
			app.Add(fiber.MethodHead, r.path, h.guard(r), r.answer)
		}
	}
	return app
}
