// Package results stores what terminals post before it interprets it, and turns it
// into sales and into evidence. It does not move cancellations itself.
package results
