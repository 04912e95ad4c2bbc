package localpg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// Server is a running server. It ends with Stop, and with our program.
type Server struct {
	home      home
	logger    *slog.Logger
	lock      *lock
	log       *logfile
	socketDir string
	child     *child
	temporary string // a directory to remove at the end; empty but for tests

	stopping atomic.Bool
	mu       sync.Mutex // one Stop at a time
}

// DSN returns the connection string for a database and a role, in the keyword
// form. Everybody who reaches the socket is trusted; the superuser is postgres.
func (s *Server) DSN(database, user string) string {
	return fmt.Sprintf("host=%s port=%s user=%s dbname=%s sslmode=disable",
		quote(s.socketDir), port, quote(user), quote(database))
}

// quote writes a value of a connection string, which may hold spaces and quotes.
func quote(value string) string {
	if value != "" && !strings.ContainsAny(value, " \t\r\n\f\v'\\") {
		return value
	}
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}

// PID returns the number of the server's first process, the postmaster.
func (s *Server) PID() int { return s.child.process.Pid }

// Stop shuts the server down: sessions are cut off, everything committed is kept.
// It returns when the process is gone, and may be called again. If ctx ends first
// the server is stopped at once, and the next start recovers from its log.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping.Store(true)
	if s.lock == nil { // stopped before
		return nil
	}
	err := s.child.stop(ctx, syscall.SIGINT)
	if err = errors.Join(err, s.release()); err != nil {
		return fmt.Errorf("stop postgres: %w", err)
	}
	return nil
}

// release gives back all that a server holds besides its process, the lock last.
// It also serves a start that failed half way.
func (s *Server) release() error {
	var errs []error
	if s.socketDir != "" {
		errs = append(errs, removeSocketDir(filepath.Join(s.home.versionDir(), "run")))
	}
	if s.log != nil {
		errs = append(errs, s.log.Close())
	}
	if s.temporary != "" {
		errs = append(errs, os.RemoveAll(s.temporary))
	}
	if s.lock != nil {
		errs = append(errs, s.lock.release())
		s.lock = nil
	}
	return errors.Join(errs...)
}
