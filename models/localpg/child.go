package localpg

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"veinte/models/goroutine"
)

// lastGrace is how long a server that was told to quit at once may take. It kills
// its own children after five seconds, so a healthy one needs little more.
const lastGrace = 10 * time.Second

// child is a process of ours: initdb or the server.
type child struct {
	process *os.Process
	done    chan struct{} // closed when the process is gone
	state   *os.ProcessState
}

// spawn starts cmd from a thread that lives exactly as long as the child: Linux
// sends the death signal (see dieWithParent) when the parent's *thread* ends, and
// Go ends threads as it likes unless a goroutine is locked to them.
func spawn(cmd *exec.Cmd) (*child, error) {
	c := &child{done: make(chan struct{})}
	started := make(chan error, 2)
	go func() {
		defer goroutine.Recover(nil, "starting postgres", func(err error) { started <- err })
		runtime.LockOSThread() // never unlocked
		err := cmd.Start()
		c.process = cmd.Process
		started <- err
		if err != nil {
			return
		}
		_ = cmd.Wait() // how it ended is in the state
		c.state = cmd.ProcessState
		close(c.done)
	}()
	return c, <-started
}

// stop ends the child with the signal and waits until it is gone. When ctx ends
// first the child is stopped at once: a server then recovers at its next start,
// without loss. The error says so.
func (c *child) stop(ctx context.Context, signal os.Signal) error {
	_ = c.process.Signal(signal) // fails only when it is gone already
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
	}
	_ = c.process.Signal(syscall.SIGQUIT)
	select {
	case <-c.done:
	case <-time.After(lastGrace):
		_ = c.process.Kill()
		<-c.done
	}
	return ctx.Err()
}
