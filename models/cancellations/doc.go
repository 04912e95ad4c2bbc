// Package cancellations is the life of a cancellation, and the only code that
// can move one: what people ask for, what is sent, and what evidence proves.
// Others bring Evidence to a Held sale. It knows nothing of how results,
// reports or files are read. ../STATES.md is its specification.
package cancellations
