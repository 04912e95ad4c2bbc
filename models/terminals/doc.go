// Package terminals manages stores, terminals, the assignments of terminals to
// stores over time, and the problems of those assignments. Code that waits for a
// terminal to be assigned registers a hook, because this package must not depend on
// results.
package terminals
