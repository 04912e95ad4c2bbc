//go:build !chaos

package crashpoint

// Enabled reports whether a crash point can be armed in this build.
const Enabled = false

// Here does nothing.
func Here(Point) {}
