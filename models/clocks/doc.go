// Package clocks is the time of this server. It compares the server's clock with the
// database's, which all servers share, and decides whose is wrong: see Judge. While its
// own is, the server goes by the database's, leaves to others what cannot be undone, and
// stops sending early.
package clocks
