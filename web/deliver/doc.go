// Package deliver sends deliveries to the endpoints of the merchant: it signs them
// after Standard Webhooks, connects to allowed addresses only, and returns the
// outcome. When something is sent, and sent again, is decided in models. README.md
// describes for integrators what they receive.
package deliver
