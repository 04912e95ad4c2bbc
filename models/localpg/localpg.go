// Package localpg runs a private PostgreSQL from the binaries installed on this
// machine, for `veinte demo` and for tests. It owns one directory: the data in
// it, the lock on it, the socket, the log and every process that works there.
// It knows nothing of the application and of what the databases hold.
//
// The rules it keeps: a data directory is never deleted and belongs to one
// major version; two programs never share one; a server does not outlive the
// program that started it, and where it did, the next start puts that right.
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

// startTimeout bounds a start whose context has no deadline. A first start takes
// one or two seconds; crash recovery of a busy database can take many.
const startTimeout = 60 * time.Second

// Options says where a server lives and how it runs.
type Options struct {
	// Dir holds one data directory per major version (<Dir>/pg15/data), the lock
	// and the log. It is created, readable by its owner only, if it is missing.
	Dir string

	// NoSync trades safety against a power cut for speed. For tests only.
	NoSync bool

	// Settings are further settings of the server, as in `postgres -c name=value`.
	// Those that keep the server private (address, socket, port) cannot be changed.
	Settings map[string]string

	// Logger hears of healing and of a server that ends by itself. It may be nil.
	Logger *slog.Logger
}

// Start starts the server that lives in o.Dir, creating its data directory the
// first time, and returns when it accepts connections. The context bounds the
// start (60 s if it has no deadline), not the life of the server: end that with
// Stop. If another program uses o.Dir, the error wraps ErrInUse.
func Start(ctx context.Context, o Options) (*Server, error) {
	s, err := start(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	return s, nil
}

func start(ctx context.Context, o Options) (_ *Server, err error) {
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

	// The lock comes before anything that reads or changes what is in the directory.
	if s.lock, err = takeLock(h.lockFile()); err != nil {
		return nil, err
	}
	if s.log, err = openLog(h.logFile()); err != nil {
		return nil, err
	}
	if err = s.heal(ctx); err != nil {
		return nil, err
	}
	if err = s.ensureCluster(ctx, o.NoSync); err != nil {
		return nil, err
	}
	if s.socketDir, err = h.makeSocketDir(); err != nil {
		return nil, err
	}
	return s, s.launch(ctx, o)
}

// home is the directory a server lives in, and what it is run with.
type home struct {
	dir  string
	bin  Binaries
	user account
}

// openHome makes sure that dir exists and that the account the server will run
// as can work in it.
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
	// Looked at first, so that nothing is made where it is of no use.
	if err := h.user.canEnter(dir, bin.Dir); err != nil {
		return home{}, err
	}
	// What lies above may be passed through by others; dir itself is private.
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

// environment is all that the server inherits: no setting of ours (they hold
// secrets), no PG* variable (PGDATA and PGPORT would redirect it), and English
// messages, which launch has to recognise. macOS needs LC_ALL set in any case.
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
