package localpg

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestStartHealsADetachedServer(t *testing.T) {
	t.Parallel()
	s := startIn(t, newDir(t))
	remember(t, s)
	stop(t, s)
	orphan := detach(t, s)

	healed := startIn(t, s.home.dir)
	if !gone(orphan) {
		t.Errorf("orphan %d runs beside the new server %d, want it stopped", orphan, healed.PID())
	}
	remembered(t, healed)
}

// detach starts a server on the data of s, which is stopped. It does not end with
// this process.
func detach(t *testing.T, s *Server) int {
	t.Helper()
	log, err := openLog(s.home.logFile())
	must(t, err)
	defer log.Close()
	run := filepath.Join(s.home.versionDir(), "run")
	must(t, s.home.user.mkdir(run))
	by := &Server{home: s.home, log: log}
	cmd := by.command("postgres", arguments(s.home.dataDir(), run, Options{NoSync: true})...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: s.home.user.attributes().Credential}
	must(t, cmd.Start())
	go cmd.Wait()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	eventually(t, "the detached server answers", func() bool { return answers(run) })
	return cmd.Process.Pid
}

func TestKilledPostmasterLosesNothing(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := startIn(t, dir)
	remember(t, s)
	busy := busySession(t, s)
	must(t, syscall.Kill(s.PID(), syscall.SIGKILL))
	eventually(t, "the killed postmaster is gone", func() bool { return gone(s.PID()) })
	stop(t, s)

	healed := startIn(t, dir)
	if !gone(busy) {
		t.Errorf("session %d of the killed postmaster runs on, want it stopped", busy)
	}
	remembered(t, healed)
}

// busySession starts a query that runs until it is stopped and does not notice the
// death of the postmaster.
func busySession(t *testing.T, s *Server) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.DSN("postgres", "postgres"))
	must(t, err)
	pid := int(conn.PgConn().PID())
	t.Cleanup(func() {
		if worksIn(pid, s.home.dataDir(), s.home.user) { // only when the test has failed
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	go func() {
		_, _ = conn.Exec(context.Background(), "DO $$ BEGIN LOOP END LOOP; END $$")
		_ = conn.Close(context.Background())
	}()
	eventually(t, "the session is busy", func() bool {
		return query(t, s, "SELECT count(*)::text FROM pg_stat_activity WHERE query LIKE 'DO $$%' AND state = 'active'") == "1"
	})
	return pid
}

func TestStaleProcessNumberDoesNotStopTheStart(t *testing.T) {
	t.Parallel()
	s := startIn(t, newDir(t))
	remember(t, s)
	stop(t, s)
	// A process of the server's own account is the hard case: PostgreSQL itself
	// takes any such process for another postmaster.
	sameUser := startHelper(t, "idle", s.home.user)
	sameUser.line(t)

	rest := "\n" + s.home.dataDir() + "\n1700000000\n5432\n" + s.socketDir + "\n\n  1234567  12345\nready   \n"
	for what, content := range map[string]string{
		"the test itself":               strconv.Itoa(os.Getpid()) + rest,
		"a process of the same account": strconv.Itoa(sameUser.pid()) + rest,
		"a process that is dead":        "4000000" + rest,
		"a file that was cut off":       "",
		"no number at all":              "garbage\n",
	} {
		pidFile := filepath.Join(s.home.dataDir(), "postmaster.pid")
		must(t, os.WriteFile(pidFile, []byte(content), 0o600))
		must(t, s.home.user.own(pidFile))
		again, err := Start(t.Context(), Options{Dir: s.home.dir, NoSync: true})
		if err != nil {
			t.Errorf("Start with the number of %s = %v, want nil", what, err)
			continue
		}
		remembered(t, again)
		stop(t, again)
	}
	if gone(sameUser.pid()) {
		t.Error("the process of the same account was stopped, want it left alone")
	}
}

func TestInterruptedInitdbLeavesNoData(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error)
	go func() {
		_, err := Start(ctx, Options{Dir: dir, NoSync: true})
		failed <- err
	}()
	eventually(t, "initdb is half way", func() bool { return halfWay(dir) })
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted Start = %v, want context.Canceled", err)
	}
	noData(t, dir)
	startIn(t, dir)
	noUnfinished(t, dir)
}

func TestKilledInitdbLeavesNoData(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	h := startHelper(t, "start", account{}, dir)
	eventually(t, "initdb is half way", func() bool { return halfWay(dir) })
	h.kill()
	noData(t, dir)
	s := startIn(t, dir)
	remember(t, s)
	noUnfinished(t, dir)
}

func halfWay(dir string) bool {
	made, _ := filepath.Glob(filepath.Join(dir, "pg*", unfinished+"*", "base", "1", "*"))
	return len(made) > 0
}

func noData(t *testing.T, dir string) {
	t.Helper()
	if data, _ := filepath.Glob(filepath.Join(dir, "pg*", "data")); len(data) > 0 {
		t.Errorf("data directories after an interrupted start = %q, want none", data)
	}
}

func noUnfinished(t *testing.T, dir string) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(dir, "pg*", unfinished+"*")); len(left) > 0 {
		t.Errorf("left behind = %q, want nothing", left)
	}
}

func TestShortSocketOfAKilledProgramIsRemoved(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openDir(t), strings.Repeat("long/", 30))
	h := startHelper(t, "start", account{}, dir)
	postmaster, _ := h.server(t)
	links, _ := filepath.Glob(filepath.Join(dir, "pg*", "run"))
	if len(links) != 1 {
		t.Fatalf("links to the socket = %q, want one", links)
	}
	short, err := os.Readlink(links[0])
	must(t, err)
	h.kill()
	startIn(t, dir)
	if !gone(postmaster) {
		t.Errorf("server %d of the killed program runs, want it stopped", postmaster)
	}
	if _, err := os.Lstat(short); !os.IsNotExist(err) {
		t.Errorf("socket directory of the killed program: %v, want it removed", err)
	}
}
