// Package results is the endpoint to which terminals post sales, the outcome of
// cancellations and replies to inquiries. It reads the terminals' JSON, drops card
// data before anything is stored, and responds as they expect. models/results
// finds what a post is about, and models/cancellations decides what it does.
package results
