// Package oversight has the supervisors' pages: the report, patterns, closings,
// alerts and what waits for review.
package oversight
