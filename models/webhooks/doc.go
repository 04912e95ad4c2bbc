// Package webhooks keeps endpoints and delivers events to them in lanes,
// signed and in order. Whoever has something to tell publishes an event; it
// must not know what events say.
package webhooks
