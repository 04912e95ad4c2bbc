// Package cancellations holds the states of a cancellation and the only code that
// changes them: requests of people, sending, and evidence. Other packages apply
// Evidence to a Held sale. The package does not know how results, reports or files
// are read. What evidence does is decided in the package evidence. ../STATES.md is the
// specification of both.
package cancellations
