//go:build !chaos

package crashpoint

// Enabled reports whether this program can be armed.
const Enabled = false

// Here does nothing.
func Here(Point) {}
