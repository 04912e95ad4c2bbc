// Package lineage knows in which databases this installation has lived. One that was
// restored from a copy, promoted while it lagged, or set back does not know what was
// sent since: the package recognizes that, records it, and says which requests were
// made elsewhere. What becomes of those is decided by the package cancellations.
package lineage
