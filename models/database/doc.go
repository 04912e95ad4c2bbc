// Package database is PostgreSQL for every room: the pool, the transaction
// that knows whether it committed, outages, cursors, and the one register of
// advisory locks. It knows no noun of the domain beyond the vocabulary, and no
// other room.
package database
