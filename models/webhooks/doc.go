// Package webhooks manages endpoints and delivers events to them in lanes, signed
// and in order. Other packages publish events; this one must not know their
// contents.
package webhooks
