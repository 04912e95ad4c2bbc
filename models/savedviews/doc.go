// Package savedviews stores filters of lists under a name, and shares them.
package savedviews
