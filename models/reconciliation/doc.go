// Package reconciliation compares a provider's daily report with our sales, and
// submits what a person confirmed as evidence. It changes no cancellation itself.
package reconciliation
