// Package models is the back office's domain: stores, terminals, sales, their
// cancellations and the audit trail, with the rules that bind them. It keeps
// them in PostgreSQL. It knows nothing of HTTP, of HTML, or of the JSON that
// the payment service and its terminals speak.
package models
