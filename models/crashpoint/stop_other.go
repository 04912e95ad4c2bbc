//go:build chaos && !linux

package crashpoint

import (
	"os"
	"syscall"
	"time"
)

// stop stands still until SIGCONT. Another thread may take the signal, a moment later, so
// it returns when it was away for longer than it takes to call this.
func stop() {
	last := time.Now() // the signal may be taken within the next call
	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	for time.Since(last) < 100*time.Millisecond {
		last = time.Now()
	}
}
