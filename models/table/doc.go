// Package table reads tables that people and other programs wrote: CSV in the
// forms that spreadsheets leave it in, and XLSX. It is tolerant about form
// (encoding, separator, the names of columns, how a number or a date is
// written) and strict about meaning: what can be read in two ways is an error
// that says so, never a guess. It reads row by row in constant memory, and
// refuses files that are cut, too large, or no tables at all.
//
// It knows no database and nothing of what the columns mean. FORMAT.md, beside
// this file, describes what it accepts for those who write the files.
//
// XLSX is read by our own code over archive/zip and encoding/xml, because the
// meaning of a cell depends on whether it held a number or a text, which the
// streaming readers of the libraries do not tell.
package table
