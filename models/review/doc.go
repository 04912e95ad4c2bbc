// Package review lists what a person has to review (doubts, conflicts, unmatched
// results), marks what was reviewed, and lists what is pending of a day. It moves no
// cancellation.
package review
