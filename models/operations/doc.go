// Package operations is what concerns the whole: whether anything can be done,
// what everyone should know, the test of the connection, onboarding, and the
// sweep of what was left behind.
package operations
