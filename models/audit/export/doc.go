// Package export writes the trail as files, row by row, with the filters of
// the page. It must not know how a file looks: its caller gives a writer.
package export
