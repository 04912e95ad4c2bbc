// Package archive moves a month of the trail into a file that can be verified on its
// own, and deletes the month from the database once the file is verified. It runs as
// the owner of the trail, in a command, never in a server.
package archive
