package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

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

// serveUntil serves until ctx ends. It closes the listener for a while when
// requested.
func (s *Sandbox) serveUntil(ctx context.Context, server *http.Server) error {
	address := s.config.Addr
	for {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("listen on %s: %w", address, err)
		}
		address = listener.Addr().String() // a port chosen by the system stays the same
		s.addr.set(address)
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
		case d := <-s.closeFor:
			s.addr.set("")
			server.SetKeepAlivesEnabled(false) // idle connections would get around a closed listener
			_ = listener.Close()               // Serve closes it again and reports the same
			<-served
			if !wait(ctx, d) {
				return nil
			}
			server.SetKeepAlivesEnabled(true)
		}
	}
}
