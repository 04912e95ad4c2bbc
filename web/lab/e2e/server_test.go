package e2e

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// Roles as the demo prints them.
const (
	manager       = "manager"
	supervisor    = "supervisor"
	administrator = "administrator"
	auditor       = "auditor"
)

// login is a person whom the demo made.
type login struct{ email, password string }

// server is one `veinte demo` with its database and its sandbox.
type server struct {
	url      string
	dir      string
	box      *sandbox
	logins   map[string]login
	log      *lockedBuffer // what it wrote to standard error
	process  *os.Process
	ended    chan struct{}
	err      error // of the ended process
	sessions sessions
	tabs     tabs
}

// startServer starts the demo in dir with its clock at an instant and waits
// until its day has begun. The sales that go on arriving are turned off: a test
// makes those it needs.
func startServer(ctx context.Context, dir, at string) (*server, error) {
	s := &server{dir: dir, log: &lockedBuffer{}, logins: map[string]login{}, ended: make(chan struct{})}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	running := make(chan error, 1)
	go s.hold(write, at, running)
	if err := <-running; err != nil {
		return nil, err
	}
	started.add(s)
	late := time.AfterFunc(patience, func() { _ = s.process.Kill() })
	err = s.readStart(read)
	late.Stop()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("veinte demo: %w\n%s", err, s.log), s.end())
	}
	if err := s.box.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.end())
	}
	return s, nil
}

// hold runs the process from one thread that lives as long as it: the parent's
// death, as the kernel tells a child, is that of the thread.
func (s *server) hold(stdout *os.File, at string, running chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command(binary, "demo", "--addr", "127.0.0.1:0", "--data", s.dir, "--at", at)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = stdout, s.log, childAttr()
	err := cmd.Start()
	stdout.Close()
	s.process = cmd.Process
	running <- err
	if err == nil {
		s.err = cmd.Wait()
	}
	close(s.ended)
}

var (
	productLine = regexp.MustCompile(`^  Veinte +(http://\S+)`)
	personLine  = regexp.MustCompile(`^  (manager|supervisor|administrator|auditor) +(\S+) +(\S+)`)
	sandboxLine = regexp.MustCompile(`^  SANDBOX=(http://\S+)`)
)

// readStart reads what the demo prints for people: addresses and logins.
func (s *server) readStart(stdout *os.File) error {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		line := lines.Text()
		if m := productLine.FindStringSubmatch(line); m != nil {
			s.url = m[1]
		}
		if m := personLine.FindStringSubmatch(line); m != nil {
			s.logins[m[1]] = login{m[2], m[3]}
		}
		if m := sandboxLine.FindStringSubmatch(line); m != nil {
			s.box = &sandbox{url: m[1]}
		}
		if strings.Contains(line, "Ctrl-C") {
			go func() { _, _ = io.Copy(io.Discard, stdout) }() // nothing more of interest
			break
		}
	}
	if s.url == "" || s.box == nil || len(s.logins) != 4 {
		return errors.New("it did not print its addresses and four logins")
	}
	return nil
}

// end stops the server as Ctrl-C does. A server that does not stop, leaves
// something running or wrote an error into its log is an error.
func (s *server) end() error {
	started.remove(s)
	select {
	case <-s.ended:
		return errors.Join(fmt.Errorf("veinte ended by itself: %w\n%s", s.err, s.log), s.checkLog())
	default:
	}
	if err := s.process.Signal(os.Interrupt); err != nil {
		return err
	}
	select {
	case <-s.ended:
	case <-time.After(patience):
		_ = s.process.Kill()
		<-s.ended
		return fmt.Errorf("veinte was still running %s after SIGINT\n%s", patience, s.log)
	}
	if left := runningIn(s.dir); len(left) > 0 {
		return fmt.Errorf("veinte left processes running: %s", strings.Join(left, "; "))
	}
	if s.err != nil {
		return fmt.Errorf("veinte after SIGINT: %w\n%s", s.err, s.log)
	}
	return s.checkLog()
}

// checkLog finds errors that no page showed.
func (s *server) checkLog() error {
	var bad []string
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, "level=ERROR") || strings.Contains(line, "panic") {
			bad = append(bad, line)
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("errors in the server's log:\n%s", strings.Join(bad, ""))
	}
	return nil
}

// runningIn lists the processes that name dir, where /proc tells.
func runningIn(dir string) (left []string) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		line, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if err == nil && bytes.Contains(line, []byte(dir)) {
			left = append(left, e.Name()+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return left
}

// ownServer is a server of one test, stopped with it.
func ownServer(t *testing.T, at string) *server {
	t.Helper()
	dir, err := os.MkdirTemp(scratch, "own-")
	if err == nil {
		err = os.Chmod(dir, 0o711)
	}
	if err != nil {
		t.Fatal(err)
	}
	return startIn(t, dir+"/data", at)
}

// startIn is a server of one test in a directory that may have data already.
func startIn(t *testing.T, dir, at string) *server {
	t.Helper()
	s, err := startServer(t.Context(), dir, at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !slices.Contains(started.all(), s) {
			return // its test has stopped it
		}
		if err := s.end(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// stop ends the server, and the pages open on it, before their test does.
func (s *server) stop(t *testing.T) {
	t.Helper()
	for _, shut := range s.tabs.close {
		shut()
	}
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
}
