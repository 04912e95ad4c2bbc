package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// resultsSecret is the last part of the address for terminals' posts.
const resultsSecret = "lab-results-secret-0123456789"

// Server is one process of the product. It has the same address and settings after a
// restart.
type Server struct {
	URL     string // http://127.0.0.1:…
	Number  int    // counted from 0
	process *Process
}

// Serve starts a server and waits until it is ready. Settings are NAME=value; they
// override those of the laboratory, and apply to all of the server's runs.
func (l *Lab) Serve(ctx context.Context, settings ...string) (*Server, error) {
	s, err := l.NewServer(settings...)
	if err != nil {
		return nil, err
	}
	return s, s.process.Start(ctx)
}

// NewServer is Serve without the start: call Restart.
func (l *Lab) NewServer(settings ...string) (*Server, error) {
	env := []string{
		"DATABASE_URL=" + l.pg.app, "CANCEL_BASE_URL=" + l.Box.URL, "ACCESS_TOKEN=" + accessToken, "ADMIN_ADDR=",
		"RESULTS_SECRET=" + resultsSecret, "RESULTS_PACE=1000000", "CUTOFF_ZONE=" + l.zone,
		"TEST_WAITS=on", "CANCEL_TIMEOUT=2s", "RESULT_WAIT=5s", "QUIET_TIME=5s", "LOG_LEVEL=warn",
		"DRAIN_DELAY=0s",
	}
	env = append(append(env, l.options.Settings...), settings...)
	n := len(l.Servers)
	p, err := NewProcess(l.options.Bin, l.file(fmt.Sprintf("server-%d.log", n)), "/readyz", env, "serve", "--addr", "ADDR")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + p.Addr, Number: n, process: p}
	l.Servers = append(l.Servers, s)
	return s, nil
}

// ResultsURL is where terminals post to this server.
func (s *Server) ResultsURL() string { return s.URL + "/results/" + resultsSecret }

// Kill is kill -9.
func (s *Server) Kill() { s.process.Kill() }

// Stop ends the server in order, as a deployment does.
func (s *Server) Stop() error { return s.process.Stop() }

// Restart starts the server again at its address, with settings for this run only,
// and waits until it is ready. If it was killed during the start, by a crash point
// in its settings, the error wraps ErrEnded.
func (s *Server) Restart(ctx context.Context, settings ...string) error {
	s.process.Kill()
	return s.process.Start(ctx, settings...)
}

// Respawn is Restart without waiting until the server is ready.
func (s *Server) Respawn(settings ...string) error {
	s.process.Kill()
	return s.process.spawn(settings...)
}

// Freeze stops the server's process where it is, with SIGSTOP; Thaw has it go on.
func (s *Server) Freeze() error { return s.process.cmd.Process.Signal(syscall.SIGSTOP) }

// Thaw has a frozen server go on.
func (s *Server) Thaw() error { return s.process.cmd.Process.Signal(syscall.SIGCONT) }

// Frozen reports whether the server's process is stopped.
func (s *Server) Frozen() bool { return s.Alive() && stopped(s.process.PID()) }

// Ready waits until the server reports that it is ready.
func (s *Server) Ready(ctx context.Context) error { return s.process.answers(ctx) }

// Dead is closed when the server's present run has ended.
func (s *Server) Dead() <-chan struct{} { return s.process.Dead() }

// Alive reports whether the server's process runs.
func (s *Server) Alive() bool { return s.process.alive() }

// Log returns what the server wrote on standard error in all its runs.
func (s *Server) Log() string {
	text, _ := os.ReadFile(s.process.log.Name())
	return string(text)
}

// EndedInOrder reports whether the present run ended, by itself or by Stop, without
// a signal.
func (s *Server) EndedInOrder() bool { return !s.Alive() && s.process.cmd.ProcessState.Exited() }

// PostResultsTo lets every terminal post to one server from now on. A terminal
// without a response tries again every 200 ms.
func (l *Lab) PostResultsTo(ctx context.Context, s *Server) error {
	return l.Box.Control(ctx, "PUT", "/control/config", map[string]any{"responseURL": s.ResultsURL()}, nil)
}

// Eventually waits for a condition. Its error names the condition that was not met.
func Eventually(ctx context.Context, most time.Duration, what string, f func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	var last error
	for {
		ok, err := f(ctx)
		if ok {
			return nil
		}
		if err != nil && ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("after %s it is still not so that %s", most, strings.TrimSpace(what)), last)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// CPU is the CPU time that this run of the server has used so far; 0 where there is no
// /proc.
func (s *Server) CPU() time.Duration { return s.process.CPU() }
