// Package operations has what concerns the whole system: whether it is available,
// the notices for everyone, the test of the connection, onboarding, and the sweep of
// unfinished work.
package operations
