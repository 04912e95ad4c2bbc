// Package sealing seals committed entries into the Merkle tree, in commit order, and
// signs checkpoints that are published outside the database. It does not interpret
// the entries.
package sealing
