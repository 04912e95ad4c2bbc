// Package lifemodel checks life.pml, the model of a cancellation's states, with spin.
// The sound model must hold, every move of the table and every situation that the
// model names must occur in it, and each deliberate mistake must violate the property
// that covers it. It knows nothing of the product's code: a test of
// veinte/web/lab/trace compares the table that both share.
package lifemodel
