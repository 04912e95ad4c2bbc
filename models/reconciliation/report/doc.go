// Package report reads a provider's daily report by a mapping of its columns. It
// only reads, and has no database.
package report
