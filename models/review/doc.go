// Package review lists what a person has to review (doubts, conflicts, unmatched
// results) and marks what was reviewed. It moves no cancellation.
package review
