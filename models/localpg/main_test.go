package localpg

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// helperVariable makes the test binary a helper program: one that starts a server,
// or one that only exists. It runs until its standard input ends, or until it is
// killed.
const helperVariable = "LOCALPG_TEST_HELPER"

func TestMain(m *testing.M) {
	ctx := context.Background()
	switch os.Getenv(helperVariable) {
	case "":
		os.Exit(m.Run())
	case "idle":
		fmt.Println("idle")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "start":
		serve(Start(ctx, Options{Dir: os.Args[1], NoSync: true}))
	case "temporary":
		serve(StartTemporary(ctx))
	}
}

func serve(s *Server, err error) {
	if err != nil {
		fmt.Println("error", strings.ReplaceAll(err.Error(), "\n", " "))
		os.Exit(1)
	}
	fmt.Println(s.PID(), s.home.dir)
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = s.Stop(context.Background())
}

// helper is a running helper program.
type helper struct {
	cmd    *exec.Cmd
	stdout *bufio.Reader
}

// startHelper runs a helper as the account. Its arguments are a directory, if the
// kind needs one, and additional environment variables.
func startHelper(tb testing.TB, kind string, a account, args ...string) *helper {
	tb.Helper()
	cmd := exec.Command(publicCopy(tb), args[:min(1, len(args))]...)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), helperVariable+"="+kind)
	if len(args) > 1 {
		cmd.Env = append(cmd.Env, args[1:]...)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if a.switched {
		cmd.SysProcAttr.Credential = a.attributes().Credential
	}
	stdin, err := cmd.StdinPipe()
	must(tb, err)
	stdout, err := cmd.StdoutPipe()
	must(tb, err)
	must(tb, cmd.Start())
	h := &helper{cmd, bufio.NewReader(stdout)}
	tb.Cleanup(func() { stdin.Close(); _ = cmd.Wait() })
	return h
}

// line reads the next line that the helper prints.
func (h *helper) line(tb testing.TB) string {
	tb.Helper()
	text, err := h.stdout.ReadString('\n')
	must(tb, err)
	return strings.TrimSpace(text)
}

// server reads what a helper prints about the server it has started.
func (h *helper) server(tb testing.TB) (postmaster int, dir string) {
	tb.Helper()
	line := h.line(tb)
	if _, err := fmt.Sscan(line, &postmaster, &dir); err != nil {
		tb.Fatalf("helper says %q, want the number and the directory of a server", line)
	}
	return postmaster, dir
}

func (h *helper) pid() int { return h.cmd.Process.Pid }

// kill ends the helper with SIGKILL, and waits for its end.
func (h *helper) kill() {
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
}

// publicCopy is a copy of the test binary that other users can run: go test puts its
// own into a private directory.
func publicCopy(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(openDir(tb), "localpg.test")
	self, err := os.Executable()
	must(tb, err)
	binary, err := os.ReadFile(self)
	must(tb, err)
	writeProgram(tb, path, binary)
	return path
}

// writeProgram writes a file that can be run at once. A process that another test
// forks meanwhile would briefly hold the file open for writing, and the system does
// not run such a file ("text file busy"). A lock prevents that.
func writeProgram(tb testing.TB, path string, content []byte) {
	tb.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	must(tb, os.WriteFile(path, content, 0o755))
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// startIn starts a server in dir that is stopped with the test. Its commits are
// passed on to the system, so they survive any kill -9, but not a power cut.
func startIn(tb testing.TB, dir string) *Server {
	tb.Helper()
	return startWith(tb, Options{Dir: dir, NoSync: true, Settings: map[string]string{"synchronous_commit": "on"}})
}

func startWith(tb testing.TB, o Options) *Server {
	tb.Helper()
	s, err := Start(tb.Context(), o)
	must(tb, err)
	tb.Cleanup(func() { stop(tb, s) })
	return s
}

func stop(tb testing.TB, s *Server) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	must(tb, s.Stop(ctx))
}

// query runs one statement and returns its one text value.
func query(tb testing.TB, s *Server, sql string) string {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), s.DSN("postgres", "postgres"))
	must(tb, err)
	defer conn.Close(context.Background())
	var text string
	must(tb, conn.QueryRow(tb.Context(), sql).Scan(&text))
	return text
}

// remember writes a row that remembered finds again.
func remember(tb testing.TB, s *Server) {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), s.DSN("postgres", "postgres"))
	must(tb, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(tb.Context(), "CREATE TABLE kept AS SELECT 'veinte' AS word")
	must(tb, err)
}

func remembered(tb testing.TB, s *Server) {
	tb.Helper()
	if got, want := query(tb, s, "SELECT word FROM kept"), "veinte"; got != want {
		tb.Errorf("kept word = %q, want %q", got, want)
	}
}

// eventually waits until the condition holds.
func eventually(tb testing.TB, what string, condition func() bool) {
	tb.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); !condition(); <-tick.C {
		if time.Since(begin) > 20*time.Second {
			tb.Fatalf("waited 20 s in vain: %s", what)
		}
	}
}

// gone reports whether a process has ended, or is a zombie, which only its parent
// can remove.
func gone(pid int) bool {
	if !alive(pid) {
		return true
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// newDir returns the name of a directory that does not exist yet.
func newDir(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(openDir(tb), "pg")
}

// openDir creates a directory that others may enter, unlike that of testing.TB.
func openDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "veinte-localpg-")
	must(tb, err)
	must(tb, os.Chmod(dir, 0o755))
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	return dir
}
