//go:build chaos

package crashpoint

import (
	"os"
	"runtime"
	"syscall"
)

// stop stands still until SIGCONT. The signal is for the thread that sends it, which
// therefore has it before this call returns: it stops here and not a moment later, and
// knows without looking at a clock when it goes on. The call keeps its processor, so that
// what follows is not behind timers that are due since.
func stop() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = syscall.Tgkill(os.Getpid(), syscall.Gettid(), syscall.SIGSTOP)
}
