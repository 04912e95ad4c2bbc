// Package words names the domain in the user's language: states, reasons, entries of
// the trail, terminals. It draws nothing.
package words
