// Package results is the endpoint to which terminals post sales, the outcome of
// cancellations and replies to inquiries. It reads the terminals' JSON, drops card
// data before anything is stored, and responds as they expect. models decides what a
// post means for a cancellation.
package results
