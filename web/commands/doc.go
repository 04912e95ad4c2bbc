// Package commands holds the commands that work on a database without running a
// server: users, API keys, imports of sales and terminals, and the audit trail. Each
// opens the database, acts for the user who runs it, and ends.
package commands
