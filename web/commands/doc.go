// Package commands is what the command line does besides running a server: people,
// keys, files of sales and terminals, and the trail. Each command opens the
// database, acts for whoever runs it, and ends.
package commands
