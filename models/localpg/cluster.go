package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// unfinished is the prefix of a data directory that initdb is still creating. A
// directory with that prefix was never used, and nothing else below a version's
// directory is ever removed.
const unfinished = "init-"

// ensureCluster creates the data directory unless it exists.
func (s *Server) ensureCluster(ctx context.Context, noSync bool, fill filling) error {
	if err := s.home.sweepUnfinished(ctx); err != nil {
		return err
	}
	data := s.home.dataDir()
	if _, err := os.Lstat(data); err == nil {
		return checkVersion(data, s.home.bin.Major)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	if fill != nil {
		return s.newCluster(ctx, func(dir string) error { return fill(ctx, s, dir, noSync) })
	}
	// C.UTF-8 knows letters and their case and sorts by code point, the same on
	// every system. Where it is missing, C sorts the same way.
	for _, locale := range []string{"C.UTF-8", "C"} {
		err := s.initdb(ctx, locale, noSync)
		if err != nil && strings.Contains(err.Error(), "invalid locale") {
			continue
		}
		return err
	}
	return errors.New("initdb knows neither the locale C.UTF-8 nor C")
}

// sweepUnfinished removes the directories of an interrupted initdb. An initdb whose
// program was killed a moment ago may still be writing, so it gets time to notice.
func (h home) sweepUnfinished(ctx context.Context) error {
	dirs, _ := filepath.Glob(filepath.Join(h.versionDir(), unfinished+"*"))
	for _, dir := range dirs {
		for err := os.RemoveAll(dir); err != nil; err = os.RemoveAll(dir) {
			select {
			case <-ctx.Done():
				return fmt.Errorf("remove unfinished data directory: %w", err)
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return nil
}

// checkVersion refuses a directory of another major version, and changes nothing.
func checkVersion(data string, major int) error {
	text, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if err != nil {
		return fmt.Errorf("%s is not a data directory of PostgreSQL and is left untouched: %w", data, err)
	}
	if version := strings.TrimSpace(string(text)); version != strconv.Itoa(major) {
		return fmt.Errorf("%s belongs to PostgreSQL %s, not %d, and is left untouched", data, version, major)
	}
	return nil
}

// initdb creates an empty data directory.
func (s *Server) initdb(ctx context.Context, locale string, noSync bool) error {
	return s.newCluster(ctx, func(dir string) error {
		args := []string{"--pgdata=" + dir, "--username=" + superuser, "--auth=trust", "--encoding=UTF8", "--locale=" + locale}
		if noSync {
			args = append(args, "--no-sync")
		}
		return s.run(ctx, "initdb", args...)
	})
}

// newCluster creates the data directory under another name and renames it when it is
// complete, so that a directory with the final name is always complete.
func (s *Server) newCluster(ctx context.Context, create func(dir string) error) error {
	dir, err := os.MkdirTemp(s.home.versionDir(), unfinished)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // a no-op after the rename
	if err := s.home.user.own(dir); err != nil {
		return err
	}
	if err := s.log.mark(); err != nil {
		return err
	}
	if err := create(dir); err != nil {
		return err
	}
	if err := os.Rename(dir, s.home.dataDir()); err != nil {
		return fmt.Errorf("put data directory in place: %w", err)
	}
	return nil
}

// run runs one of the server's programs to its end, or until ctx is done.
func (s *Server) run(ctx context.Context, program string, args ...string) error {
	c, err := spawn(s.command(program, args...))
	if err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		// It gets extra time to end the processes that it has started.
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastGrace)
		defer cancel()
		_ = c.stop(grace, syscall.SIGTERM) // it has ended in any case; ctx's error is reported
		return fmt.Errorf("%s: %w", program, ctx.Err())
	}
	if !c.state.Success() {
		return fmt.Errorf("%s: %s\n%s", program, c.state, s.log.tail())
	}
	return nil
}

// command prepares one of the server's programs to run as the account, writing to the log.
func (s *Server) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.home.bin.Dir, program), args...)
	cmd.Dir = "/" // ours may be inaccessible to the account
	cmd.Env = environment()
	cmd.Stdout = s.log.File
	cmd.Stderr = s.log.File
	cmd.SysProcAttr = s.home.user.attributes()
	return cmd
}
