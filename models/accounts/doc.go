// Package accounts manages users: their data, roles, passwords and sessions. It does
// not know the API keys of programs.
package accounts
