// Package words says what the domain means in the reader's language: states,
// reasons, entries of the trail, terminals. It draws nothing.
package words
