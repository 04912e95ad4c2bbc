package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// orphanGrace is how long an orphan may take for an orderly shutdown before it is
// told to quit at once.
const orphanGrace = 10 * time.Second

// heal cleans up after a killed program in our data directory. The caller holds the
// lock, so nobody uses a server that is found there.
func (s *Server) heal(ctx context.Context) error {
	stopped, err := healDir(ctx, s.home.dataDir(), s.home.user)
	if stopped {
		s.logger.WarnContext(ctx, "stopped a postgres that an earlier run left behind", "dir", s.home.dataDir())
	}
	return err
}

func healDir(ctx context.Context, dataDir string, a account) (stopped bool, err error) {
	pidFile := filepath.Join(dataDir, "postmaster.pid")
	pid, err := postmasterPID(pidFile)
	if err != nil {
		return false, err
	}
	if pid > 0 && worksIn(pid, dataDir, a) {
		stopped = true
		if err := stopOrphans(ctx, syscall.SIGINT, []int{pid}, dataDir, a); err != nil {
			return true, err
		}
	}
	// The remaining processes of a killed postmaster. They end when they next
	// wait for something, but one in a long query does not wait.
	if pids := serversIn(dataDir, a); len(pids) > 0 {
		stopped = true
		if err := stopOrphans(ctx, syscall.SIGTERM, pids, dataDir, a); err != nil {
			return true, err
		}
	}
	return stopped, disown(pidFile)
}

// postmasterPID reads the process id in a server's lock file: 0 if there is no file
// or no number in it.
func postmasterPID(pidFile string) (int, error) {
	text, err := os.ReadFile(pidFile)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read process number: %w", err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid < 0 {
		return 0, nil
	}
	return pid, nil
}

// stopOrphans signals the processes and waits until none of them works in dataDir.
// It checks each one again right before the signal, through a handle that cannot
// refer to another process.
func stopOrphans(ctx context.Context, signal syscall.Signal, pids []int, dataDir string, a account) error {
	for _, step := range []struct {
		signal syscall.Signal
		grace  time.Duration
	}{{signal, orphanGrace}, {syscall.SIGQUIT, lastGrace}} {
		for _, pid := range pids {
			if p, err := os.FindProcess(pid); err == nil {
				if worksIn(pid, dataDir, a) {
					_ = p.Signal(step.signal) // it may have ended by now, which is the goal
				}
				_ = p.Release()
			}
		}
		waitCtx, cancel := context.WithTimeout(ctx, step.grace)
		err := waitGone(waitCtx, pids, dataDir, a)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
	return fmt.Errorf("postgres of an earlier run (process %v) does not stop", pids)
}

func waitGone(ctx context.Context, pids []int, dataDir string, a account) error {
	for _, pid := range pids {
		for worksIn(pid, dataDir, a) {
			select {
			case <-ctx.Done():
				return fmt.Errorf("wait for postgres of an earlier run (process %d) to stop: %w", pid, ctx.Err())
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	return nil
}

// disown makes a left-over lock file harmless, even if another process has its id
// today. A postmaster treats the id of its own parent as stale, so ours is written
// into the file. The file is not removed, because the postmaster also reads from it
// which shared memory must no longer be in use.
func disown(pidFile string) error {
	text, err := os.ReadFile(pidFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read stale lock file: %w", err)
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	if _, err := strconv.Atoi(strings.TrimSpace(first)); err != nil {
		return os.Remove(pidFile) // truncated by a crash; a server refuses to start with it
	}
	// Overwritten in place to preserve the owner.
	err = os.WriteFile(pidFile, []byte(strconv.Itoa(os.Getpid())+"\n"+rest), 0o600)
	if err != nil {
		return fmt.Errorf("disown stale lock file: %w", err)
	}
	return nil
}
