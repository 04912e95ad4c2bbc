// Package results keeps what terminals post, before anybody reads a meaning
// into it, and turns it into sales and into evidence. It moves no cancellation
// itself.
package results
