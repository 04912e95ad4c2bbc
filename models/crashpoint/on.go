//go:build chaos

package crashpoint

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// Enabled reports whether a crash point can be armed in this build.
const Enabled = true

// armed is the point at which this process ends. left is the number of calls until
// then, including the last one.
var (
	armed Point
	left  atomic.Int64
)

func init() {
	name, passing, _ := strings.Cut(os.Getenv(Variable), ":")
	n, err := strconv.ParseInt(passing, 10, 64)
	if name == "" {
		return
	}
	if err != nil || n < 1 || !known(Point(name)) {
		panic(Variable + " is not a point and a passing, such as afterDial:1")
	}
	armed = Point(name)
	left.Store(n)
}

func known(p Point) bool {
	for _, point := range All() {
		if p == point {
			return true
		}
	}
	return false
}

// Here kills the process with SIGKILL when the armed point is reached for the chosen
// time.
func Here(p Point) {
	if p != armed || left.Add(-1) != 0 {
		return
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // the signal is on its way: do not continue
}
