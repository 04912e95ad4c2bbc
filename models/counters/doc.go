// Package counters owns the devices at the counters of stores, which several people share,
// and the PINs by which these people come in there. It knows no pages; models/entrance owns
// the sessions.
package counters
