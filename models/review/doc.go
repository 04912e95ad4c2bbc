// Package review lists what a person has to look at (doubts, contradictions,
// results that match nothing) and marks what they have seen. It moves no
// cancellation.
package review
