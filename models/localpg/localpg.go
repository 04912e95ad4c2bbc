// Package localpg runs a private PostgreSQL from the binaries installed on this
// machine, for `veinte demo` and for tests. It owns one directory: the data in
// it, the lock on it, the socket, the log and every process that works there. It
// does not know the application or the contents of the databases.
//
// Its rules: a data directory is never deleted and belongs to one major version; two
// programs never share one; a server does not outlive the program that started it.
// If it did, the next start stops it.
package localpg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// startTimeout limits a start whose context has no deadline. A first start takes one
// or two seconds; crash recovery of a busy database can take many.
const startTimeout = 60 * time.Second

// Options are the location and the settings of a server.
type Options struct {
	// Dir holds one data directory per major version (<Dir>/pg15/data), the lock
	// and the log. It is created, readable by its owner only, if it is missing.
	Dir string

	// NoSync gives up durability after a power cut for speed. For tests only.
	NoSync bool

	// Settings are additional settings of the server, as in `postgres -c
	// name=value`. Those that make the server private (address, socket, port)
	// cannot be changed.
	Settings map[string]string

	// Logger logs healing and the unexpected end of a server. It may be nil.
	Logger *slog.Logger
}

// Start starts the server of o.Dir and returns when it accepts connections. It
// creates the data directory the first time. The context limits the start (60 s if
// it has no deadline), not how long the server runs: Stop ends that. If another
// program uses o.Dir, the error wraps ErrInUse.
func Start(ctx context.Context, o Options) (*Server, error) {
	s, err := start(ctx, o, nil)
	if err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	return s, nil
}

// filling puts data into the empty directory of a new server.
type filling func(ctx context.Context, s *Server, dir string, noSync bool) error

// start starts the server of o.Dir. A new data directory is filled; nil: with a new cluster.
func start(ctx context.Context, o Options, fill filling) (_ *Server, err error) {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, startTimeout)
		defer cancel()
	}

	bin, err := FindBinaries()
	if err != nil {
		return nil, err
	}
	h, err := openHome(o.Dir, bin)
	if err != nil {
		return nil, err
	}

	s := &Server{home: h, logger: o.Logger}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.release())
		}
	}()

	// Take the lock before reading or changing anything in the directory.
	if s.lock, err = takeLock(h.lockFile()); err != nil {
		return nil, err
	}
	if s.log, err = openLog(h.logFile()); err != nil {
		return nil, err
	}
	if err = s.heal(ctx); err != nil {
		return nil, err
	}
	if err = s.ensureCluster(ctx, o.NoSync, fill); err != nil {
		return nil, err
	}
	if s.socketDir, err = h.makeSocketDir(); err != nil {
		return nil, err
	}
	return s, s.launch(ctx, o)
}

// home is the directory of a server, with the binaries and the account that run it.
type home struct {
	dir  string
	bin  Binaries
	user account
}

// openHome makes sure that dir exists and that the server's account can work in it.
func openHome(dir string, bin Binaries) (home, error) {
	if dir == "" {
		return home{}, errors.New("no directory given")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return home{}, err
	}
	h := home{dir: dir, bin: bin}
	if h.user, err = accountFor(h.versionDir()); err != nil {
		return home{}, err
	}
	// Checked first, so that nothing is created when it cannot be used.
	if err := h.user.canEnter(dir, bin.Dir); err != nil {
		return home{}, err
	}
	// The parents may be passed through by others; dir itself is private.
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return home{}, err
	}
	if err := h.user.mkdir(dir); err != nil {
		return home{}, err
	}
	if h.dir, err = filepath.EvalSymlinks(dir); err != nil {
		return home{}, err
	}
	if err := h.user.canEnter(h.dir); err != nil {
		return home{}, err
	}
	return h, h.user.mkdir(h.versionDir())
}

func (h home) versionDir() string { return filepath.Join(h.dir, fmt.Sprintf("pg%d", h.bin.Major)) }
func (h home) dataDir() string    { return filepath.Join(h.versionDir(), "data") }
func (h home) lockFile() string   { return filepath.Join(h.dir, "lock") }
func (h home) logFile() string    { return filepath.Join(h.dir, "postgres.log") }

// environment is everything that the server inherits: none of our settings (they
// contain secrets), no PG* variable (PGDATA and PGPORT would redirect it), and
// English messages, which launch has to recognise. macOS always needs LC_ALL.
func environment() []string {
	env := []string{"LC_ALL=C", "TZ=UTC"}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "PATH", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH":
			env = append(env, entry)
		}
	}
	return env
}
