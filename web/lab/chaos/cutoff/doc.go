// Package cutoff is the experiment on the hour: does a first byte ever leave
// after the cut-off less its margin? It lets the real parts run — cases in
// PostgreSQL, the client of the service over loopback TCP with its gate on the
// wire — on a virtual clock that a seeded schedule moves between every two looks
// at it, up to and over the last instant.
//
// The judge shares nothing with what it judges: a stand-in for the service that
// notes when the first byte of a request arrives, and a table of zones written
// by hand from which it works out the cut-off in whole seconds.
package cutoff
