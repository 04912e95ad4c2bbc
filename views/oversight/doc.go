// Package oversight is the pages of whoever watches over the shops: the report,
// patterns, closings, alerts and what waits for review.
package oversight
