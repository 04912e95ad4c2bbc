// Package cancellations holds the states of a cancellation and the only code that
// changes them: requests of people, sending, and evidence. Other packages apply
// Evidence to a Held sale. The package does not know how results, reports or files
// are read. ../STATES.md is its specification.
package cancellations
