// Package export writes the trail as files, row by row, with the filters of the
// page. It does not know the file formats: the caller supplies a writer.
package export
