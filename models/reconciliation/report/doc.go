// Package report reads a provider's daily report by a mapping of its columns.
// It reads only, and knows no database.
package report
