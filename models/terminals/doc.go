// Package terminals keeps stores, terminals and where each one stands since
// when, and the health of that map. Who waits for a terminal to be placed is
// told by a hook; it must not know results.
package terminals
