// Package sealing seals committed entries into the Merkle tree, in the order
// of commits, and signs checkpoints that leave the database. It must not know
// what entries say.
package sealing
