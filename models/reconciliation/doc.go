// Package reconciliation compares a provider's day with ours, and brings what
// a person confirmed as evidence. It moves no cancellation itself.
package reconciliation
