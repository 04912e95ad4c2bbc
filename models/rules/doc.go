// Package rules manages the settings in force: cut-off, margin, waits, receipts,
// reasons and pauses, in versions that state from when they hold. It does not know
// the states of a cancellation.
package rules
