// Package rules owns what is in force: cut-off, margin, waits, receipts,
// reasons and pauses, in versions that say from when they hold. It knows
// nothing of the life of a cancellation, which goes by them.
package rules
