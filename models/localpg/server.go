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

// Server is a running server. It ends with Stop, or with our program.
type Server struct {
	home      home
	logger    *slog.Logger
	lock      *lock
	log       *logfile
	socketDir string
	child     *child
	temporary string // a directory to remove at the end; for tests only

	stopping atomic.Bool
	mu       sync.Mutex // one Stop at a time
}

// DSN returns the connection string for a database and a role, in the keyword form.
// Every connection through the socket is trusted; the superuser is postgres.
func (s *Server) DSN(database, user string) string {
	return fmt.Sprintf("host=%s port=%s user=%s dbname=%s sslmode=disable",
		quote(s.socketDir), port, quote(user), quote(database))
}

// quote quotes a value of a connection string, which may contain spaces and quotes.
func quote(value string) string {
	if value != "" && !strings.ContainsAny(value, " \t\r\n\f\v'\\") {
		return value
	}
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}

// PID returns the process id of the postmaster.
func (s *Server) PID() int { return s.child.process.Pid }

// Stop shuts the server down. Open sessions are ended; everything committed is
// preserved. It returns when the process has ended, and may be called again. If ctx
// ends first the server is stopped at once, and the next start recovers from its
// log.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping.Store(true)
	if s.lock == nil { // already stopped
		return nil
	}
	err := s.child.stop(ctx, syscall.SIGINT)
	if err = errors.Join(err, s.release()); err != nil {
		return fmt.Errorf("stop postgres: %w", err)
	}
	return nil
}

// release releases everything that a server holds besides its process, the lock
// last. It is also used after a failed start.
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
