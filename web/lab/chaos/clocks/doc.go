// Package clocks is the experiment in which the clock of one of two servers is ahead,
// or behind, while people press at both until the window closes, and terminals are too
// slow for all of it. Nothing may expire early, the server whose clock is wrong sends
// nothing within twice the difference before the end, and all that waits is settled by
// the other one.
//
// The judge goes by the clock of the experiment, which neither server reads: it looks
// at the database ten times a second, and at what passes a proxy between the server and
// the service.
package clocks
