// Package accounts manages people: their data, roles, stores and passwords, the links by
// which they set one, and what the groups of a provider give them. It does not know how
// they come in, nor the API keys of programs.
package accounts
