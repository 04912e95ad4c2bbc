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

// lastGrace is how long a server may take after it was told to quit at once. It
// kills its own children after five seconds, so a healthy one needs little more.
const lastGrace = 10 * time.Second

// child is a process that we started: initdb or the server.
type child struct {
	process *os.Process
	done    chan struct{} // closed when the process has ended
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
		_ = cmd.Wait() // state contains how it ended
		c.state = cmd.ProcessState
		close(c.done)
	}()
	return c, <-started
}

// stop sends the signal to the child and waits until it has ended. When ctx ends
// first the child is stopped at once and an error is returned. A server then
// recovers at its next start, without loss.
func (c *child) stop(ctx context.Context, signal os.Signal) error {
	_ = c.process.Signal(signal) // fails only when it has already ended
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
