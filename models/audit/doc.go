// Package audit writes the trail's entries in the transaction of the change they
// record, records refusals, and searches and lists entries for those who may read
// them. It knows nothing of sealing, nor of the packages that write entries. See
// ../TRAIL.md.
package audit
