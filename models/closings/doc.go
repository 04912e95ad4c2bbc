// Package closings closes each day at its cut-off: every sale in one column,
// frozen with its hash. It changes no sale and no cancellation.
package closings
