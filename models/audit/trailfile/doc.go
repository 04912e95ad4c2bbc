// Package trailfile is what stands for the audit trail outside the database: the
// leaves of its Merkle tree, the checkpoints that are signed over it, the keys,
// exports and proofs that leave the house, and how all of them are verified.
//
// It reads bytes and computes. It knows no database, no clock and no words of
// the domain beyond what FORMAT.md says of an entry, so that whoever doubts the
// rest of the product can check this much alone.
package trailfile
