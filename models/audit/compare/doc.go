// Package compare holds the tables of the shop against the trail: it folds the entries
// to their end and looks whether the rows beside them say the same. Verification shows
// that the trail is as it was sealed; comparing shows that what pages read is what the
// trail recorded. It stands above all that it compares, reads their tables by itself and
// changes none.
package compare
