// Package export writes files for people and programs: CSV and workbooks of the
// trail, of oversight and of differences. It writes no HTML.
package export
