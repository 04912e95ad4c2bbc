// Package sandbox simulates the card-payment cancellation service and its terminals.
// It owns its own reading of the specification, the simulated terminals and sales,
// the faults it can inject, and an append-only ledger of everything it received. It
// knows nothing of our other packages, so that it cannot share their mistakes. It
// connects to loopback addresses only.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"
)

// Config is a sandbox's configuration, and the flags of the command that runs one.
// Typical durations get a jitter of half in both directions. An empty ClientID
// refuses all clients of the token operation.
type Config struct {
	Addr         string        `default:"127.0.0.1:8021" help:"Where to listen; port 0 takes a free one, which is printed."`
	Ledger       string        `default:"sandbox.jsonl" help:"Append-only file of everything received; empty for none."`
	ResponseURL  string        `name:"response-url" help:"Where terminals post, such as http://127.0.0.1:8020/results/SECRET."`
	AccessToken  string        `env:"SANDBOX_ACCESS_TOKEN" help:"A token that is always good."`
	Username     string        `env:"SANDBOX_USERNAME" help:"Of the token operation."`
	Password     string        `env:"SANDBOX_PASSWORD" help:"Of the token operation."`
	ClientID     string        `env:"SANDBOX_CLIENT_ID" help:"Of the token operation."`
	ClientSecret string        `env:"SANDBOX_CLIENT_SECRET" help:"Of the token operation."`
	ClockOffset  time.Duration `help:"How far the service's clock is from the real one."`
	Latency      time.Duration `default:"150ms" help:"Typical time to acknowledge."`
	ResultDelay  time.Duration `default:"4s" help:"Typical time a terminal takes to post its result."`
	AnyHour      bool          `name:"any-hour" hidden:"" help:"Terminals cancel at any hour of any day, for experiments that run at night."`
	Logger       *slog.Logger  `kong:"-"` // nil discards
}

// Sandbox is one service with its terminals. Its methods may be called concurrently.
type Sandbox struct {
	config   Config
	logger   *slog.Logger
	ledger   *ledger
	registry *registry
	tokens   *tokenStore
	faults   *faultBook
	screens  *screens
	settings guarded[settingValues]
	poster   *http.Client
	stopLive guarded[context.CancelFunc] // nil while there are no live sales

	addr guarded[string] // where Run listens; "" while it does not

	ctx    context.Context // ends at Close; everything that waits also waits on it
	cancel context.CancelFunc
	tasks  sync.WaitGroup
	mu     sync.Mutex // guards closed, so that no task starts after Close began to wait
	closed bool
}

// New returns a sandbox with the state of its ledger: terminals, sales, and which of
// them are canceled. Tokens, faults and pushes on a screen do not survive a restart.
func New(config Config) (*Sandbox, error) {
	if err := checkZone(); err != nil {
		return nil, err
	}
	if err := checkResponseURL(config.ResponseURL); err != nil {
		return nil, err
	}
	logger := config.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	s := &Sandbox{
		config:   config,
		logger:   logger,
		registry: &registry{anyHour: config.AnyHour, terminals: map[string]*terminal{}, sales: map[saleKey]*sale{}},
		faults:   &faultBook{},
		screens:  &screens{bySerial: map[string]*push{}},
		poster:   newPoster(),
	}
	s.settings.set(startSettings(config))
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.tokens = &tokenStore{static: config.AccessToken, now: s.now, expires: map[string]time.Time{}}
	l, err := openLedger(config.Ledger, s.now, s.registry.replay)
	if err != nil {
		s.cancel()
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	s.ledger = l
	s.registry.ledger = l
	if l.garbage > 0 {
		logger.Warn("ledger has unreadable lines, left by a kill", "lines", l.garbage)
	}
	return s, nil
}

// Close stops every terminal and waits for its goroutines. It ends requests that
// hang on purpose. It may be called more than once.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.tasks.Wait()
	s.poster.CloseIdleConnections()
	return s.ledger.close()
}

// recovered catches the panic of a goroutine and logs it, so that the other
// terminals go on.
func (s *Sandbox) recovered() {
	if p := recover(); p != nil {
		s.logger.Error("panic in the sandbox", "value", p, "stack", string(debug.Stack()))
	}
}

// start runs task in a goroutine that Close waits for. After Close it does nothing.
func (s *Sandbox) start(task func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.tasks.Go(func() {
			defer s.recovered()
			task()
		})
	}
}

// shutdownWait is how long Run waits for running requests when it ends.
const shutdownWait = 2 * time.Second

// Addr is the address Run listens on, or "" while it does not.
func (s *Sandbox) Addr() string { return s.addr.get() }

// Run listens on Config.Addr and serves until ctx ends, then closes the sandbox.
// Then it returns nil.
func (s *Sandbox) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	server := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(s.logger.Handler(), slog.LevelDebug),
	}
	err := s.serveUntil(ctx, server)
	s.addr.set("")
	s.cancel() // ends the requests that hang, so that Shutdown need not wait for them
	patience, stop := context.WithTimeout(context.Background(), shutdownWait)
	defer stop()
	if server.Shutdown(patience) != nil {
		err = errors.Join(err, server.Close())
	}
	return errors.Join(err, s.Close())
}

// serveUntil serves until ctx ends.
func (s *Sandbox) serveUntil(ctx context.Context, server *http.Server) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.config.Addr)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("listen on %s: %w", s.config.Addr, err)
	}
	s.addr.set(listener.Addr().String())
	served := make(chan error, 1)
	go func() {
		defer s.recovered()
		defer close(served) // also after an error
		served <- server.Serve(listener)
	}()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return nil
	}
}
