// Package audit writes the entries of the trail in the transaction of whoever
// changes something, records what was refused, and finds and lists entries for
// those who may read them. It knows nothing of sealing, and of no room that
// writes entries. See ../TRAIL.md.
package audit
