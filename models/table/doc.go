// Package table reads tables that people and other programs wrote: CSV in the forms
// that spreadsheets produce, and XLSX. It is tolerant about form (encoding,
// separator, names of columns, formats of numbers and dates) and strict about
// meaning: an ambiguous value is an error, and nothing is guessed. It reads row by
// row in constant memory, and refuses files that are cut, too large, or no tables at
// all.
//
// It has no database and does not know what the columns mean. FORMAT.md in this
// folder describes what it accepts, for those who write the files.
//
// XLSX is read by our own code over archive/zip and encoding/xml. The meaning of a
// cell depends on whether it held a number or a text, and the streaming readers of
// the libraries do not report that.
package table
