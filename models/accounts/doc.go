// Package accounts keeps people: who they are, what they may, their passwords
// and their sessions. It knows nothing of the keys of programs.
package accounts
