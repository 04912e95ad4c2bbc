// Package closings closes each day at its cut-off: it freezes the status of every
// sale, with a hash. It changes no sale and no cancellation.
package closings
