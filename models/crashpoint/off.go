//go:build !chaos

package crashpoint

import "time"

// Enabled reports whether a crash point can be armed in this build.
const Enabled = false

// Here does nothing.
func Here(Point) {}

// ClockError is how far the clock of this process is wrong: not at all.
const ClockError = time.Duration(0)

// ClockBlind reports whether the process does not notice.
const ClockBlind = false
