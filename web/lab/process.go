package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// startWait limits the start of a program, until it responds.
const startWait = 2 * time.Minute

// Process is a program of ours. It has the same address after a restart.
type Process struct {
	bin   string
	args  []string
	Addr  string   // host:port
	ready string   // the path that responds once it works; "": none does
	env   []string // beside PATH and TMPDIR; of two values of a name the later counts
	log   *os.File // standard error, of all its runs
	as    *syscall.Credential

	cmd  *exec.Cmd
	done chan struct{} // closed when this run has ended
}

// FreeAddr returns an unused loopback address.
func FreeAddr() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer ln.Close()
	return ln.Addr().String(), nil
}

// NewProcess prepares a program; ADDR in its arguments is replaced by its address.
func NewProcess(bin, logFile, ready string, env []string, args ...string) (*Process, error) {
	addr, err := FreeAddr()
	if err != nil {
		return nil, err
	}
	p := &Process{bin: bin, Addr: addr, ready: ready, env: env}
	for _, a := range args {
		p.args = append(p.args, strings.ReplaceAll(a, "ADDR", addr))
	}
	if p.log, err = os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	return p, nil
}

// As has the program run as another user.
func (p *Process) As(user *syscall.Credential) { p.as = user }

// spawn starts a run, with further settings for this run only.
func (p *Process) spawn(more ...string) error {
	cmd := exec.Command(p.bin, p.args...)
	cmd.Env = append(append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}, p.env...), more...)
	cmd.Stderr = p.log
	cmd.SysProcAttr = dieWithParent()
	cmd.SysProcAttr.Credential = p.as
	done, started := make(chan struct{}), make(chan error)
	go func() {
		// Linux sends the death signal when the parent's thread ends, so the thread
		// must live as long as the child.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // the state has its exit status
			close(done)
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start %s: %w", p.args[0], err)
	}
	p.cmd, p.done = cmd, done
	return nil
}

// Start starts a run and waits until it responds, if it is to. If the program ends before that,
// the error contains the end of its log.
func (p *Process) Start(ctx context.Context, more ...string) error {
	if err := p.spawn(more...); err != nil {
		return err
	}
	if p.ready == "" {
		return nil
	}
	return p.answers(ctx)
}

// ErrEnded is wrapped by the error about a program that ended before it was ready.
var ErrEnded = errors.New("it ended by itself")

func (p *Process) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	for !answered(ctx, "http://"+p.Addr+p.ready) {
		select {
		case <-p.done:
			return fmt.Errorf("start %s: %w\n%s", p.args[0], ErrEnded, p.tail())
		case <-ctx.Done():
			return fmt.Errorf("start %s: it does not answer: %w\n%s", p.args[0], ctx.Err(), p.tail())
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

func answered(ctx context.Context, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode < http.StatusInternalServerError
}

// tail returns the end of the log.
func (p *Process) tail() string {
	text, err := os.ReadFile(p.log.Name())
	if err != nil {
		return ""
	}
	return string(text[max(0, len(text)-4000):])
}

// Kill is kill -9; it returns when the process has ended.
func (p *Process) Kill() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Kill() // fails only when it has ended already
	<-p.done
}

// Stop ends the process with SIGTERM, or with kill -9 if that takes too long.
func (p *Process) Stop() error {
	if p.cmd == nil {
		return nil
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // fails only when it has ended already
	select {
	case <-p.done:
		return nil
	case <-time.After(startWait):
		p.Kill()
		return fmt.Errorf("stop %s: it had to be killed\n%s", p.args[0], p.tail())
	}
}

// Dead is closed when this run has ended.
func (p *Process) Dead() <-chan struct{} { return p.done }

// alive reports whether this run goes on.
func (p *Process) alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// PID is the process id of this run.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// CPU is the CPU time that this run has used so far, from /proc; 0 elsewhere.
func (p *Process) CPU() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond // hundredths of a second, on every Linux
}
