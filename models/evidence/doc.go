// Package evidence is the table of what a statement about a cancellation does to it:
// evidence × state → a move, a conflict, an inquiry, or nothing. models/STATES.md is
// its specification. It touches no database, and changes nothing itself.
package evidence
