// Package results is the door through which terminals post: sales, the outcome
// of cancellations, answers to inquiries. It reads the terminals' JSON, drops
// card data before anything is kept, and answers as they expect. What a post
// means for a case is decided in models.
package results
