//go:build chaos

package crashpoint

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Enabled reports whether a crash point can be armed in this build.
const Enabled = true

// trigger is the point at which this process ends, or freezes. left is the number of
// calls until then, including the last one.
type trigger struct {
	armed Point
	left  atomic.Int64
}

var kill, freeze trigger

// ClockError is how far the clock of this process is wrong.
var ClockError = clockError(os.Getenv(ClockErrorVariable))

// ClockBlind reports whether the process does not notice.
var ClockBlind = os.Getenv(ClockBlindVariable) == "on"

func clockError(text string) time.Duration {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(ClockErrorVariable + " is not a duration, such as 90s")
	}
	return d
}

func init() {
	kill.read(Variable)
	freeze.read(FreezeVariable)
}

func (t *trigger) read(variable string) {
	name, passing, _ := strings.Cut(os.Getenv(variable), ":")
	n, err := strconv.ParseInt(passing, 10, 64)
	if name == "" {
		return
	}
	if err != nil || n < 1 || !known(Point(name)) {
		panic(variable + " is not a point and a passing, such as afterDial:1")
	}
	t.armed = Point(name)
	t.left.Store(n)
}

// now reports whether this call is the one.
func (t *trigger) now(p Point) bool { return p == t.armed && t.left.Add(-1) == 0 }

func known(p Point) bool {
	for _, point := range All() {
		if p == point {
			return true
		}
	}
	return false
}

// Here kills the process with SIGKILL when the armed point is reached for the chosen
// time, or stops it with SIGSTOP until somebody sends it SIGCONT.
func Here(p Point) {
	switch {
	case kill.now(p):
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way: do not continue
	case freeze.now(p):
		stop()
	}
}
