// Package cutoff is the experiment about the cut-off: does a first byte ever leave
// after the cut-off less its margin? It runs the real parts (cancellations in
// PostgreSQL, the client of the service over loopback TCP with its check at the
// connection) on a virtual clock. A seeded schedule moves the clock between any two
// reads of it, up to and beyond the last instant.
//
// The judge shares nothing with the code it checks. It has a fake service that
// records when the first byte of a request arrives, and a hand-written table of
// zones from which it computes the cut-off in whole seconds.
package cutoff
