// Package archive moves a month of the trail into a file that verifies by
// itself, and takes it out of the database once it did. It runs as the owner
// of the trail, in a command, never in a server.
package archive
