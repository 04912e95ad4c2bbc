// Package deliver sends deliveries to the endpoints of the merchant: it signs
// them after Standard Webhooks, keeps to the addresses that are allowed, and
// says what came of it. When something is sent, and again, is decided in models.
// README.md tells integrators what they receive.
package deliver
