package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	temporaryPrefix = "veinte-pgtest-"

	// sweepAge is how old a directory must be to be swept. A younger one may
	// belong to a test that has not taken the lock yet.
	sweepAge = time.Minute
)

// StartTemporary starts a temporary server for tests, in its own directory that Stop
// removes with everything in it. It also removes the directories of test processes
// that were killed before they called Stop.
func StartTemporary(ctx context.Context) (*Server, error) { return startTemporaryOf(ctx, nil) }

// StartTemporaryCopy is StartTemporary with the data of a server that Start made in dir
// and Stop has stopped: much quicker than to make them anew. Both have one system identifier.
func StartTemporaryCopy(ctx context.Context, dir string) (*Server, error) {
	return startTemporaryOf(ctx, func(_ context.Context, s *Server, to string, _ bool) error {
		if err := os.CopyFS(to, os.DirFS(home{dir: dir, bin: s.home.bin}.dataDir())); err != nil {
			return err
		}
		return filepath.WalkDir(to, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, s.home.user.own(path))
		})
	})
}

func startTemporaryOf(ctx context.Context, fill filling) (*Server, error) {
	s, err := startTemporary(ctx, fill)
	if err != nil {
		return nil, fmt.Errorf("start temporary postgres: %w", err)
	}
	return s, nil
}

func startTemporary(ctx context.Context, fill filling) (*Server, error) {
	sweepTemporary(ctx)
	dir, err := os.MkdirTemp("", temporaryPrefix)
	if err != nil {
		return nil, err
	}
	user, err := accountFor(dir)
	if err == nil {
		err = user.own(dir)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(dir))
	}
	s, err := start(ctx, Options{
		Dir:    dir,
		NoSync: true,
		// Parallel tests use one pool each.
		Settings: map[string]string{"max_connections": "200"},
	}, fill)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.temporary = dir
	return s, nil
}

// sweepTemporary removes directories that are no longer used. It ignores what it
// cannot remove: no test should fail because of another's remains.
func sweepTemporary(ctx context.Context) {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), temporaryPrefix+"*"))
	for _, dir := range dirs {
		if a, abandoned := inspectTemporary(dir); abandoned {
			_ = sweep(ctx, dir, a)
		}
	}
}

// inspectTemporary reports whether dir is old enough to be swept and belongs to us:
// anybody can create a directory of that name in the temporary directory.
func inspectTemporary(dir string) (account, bool) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || time.Since(info.ModTime()) < sweepAge {
		return account{}, false
	}
	a, err := accountFor("") // not the owner of dir: root would trust anybody
	if err != nil {
		return account{}, false
	}
	owner := int(info.Sys().(*syscall.Stat_t).Uid)
	return a, owner == os.Geteuid() || owner == a.uid
}

// sweep stops what still runs in a temporary directory and removes it, if its lock
// is free.
func sweep(ctx context.Context, dir string, a account) error {
	l, err := takeLock(filepath.Join(dir, "lock"))
	if err != nil {
		return err
	}
	defer l.release()
	versions, _ := filepath.Glob(filepath.Join(dir, "pg*"))
	for _, version := range versions {
		if _, err := healDir(ctx, filepath.Join(version, "data"), a); err != nil {
			return err
		}
		if err := removeSocketDir(filepath.Join(version, "run")); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}
