// Package savedviews keeps filters of lists under a name, and shares them.
package savedviews
