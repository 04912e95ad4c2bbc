// Package trailfile represents the audit trail outside the database: the leaves of
// its Merkle tree, the checkpoints that are signed over it, the keys, the exports
// and proofs that leave the process, and how all of them are verified.
//
// It reads bytes and computes. It uses no database and no clock, and of the domain
// it needs only what FORMAT.md defines of an entry, so that an auditor can review
// this package on its own.
package trailfile
