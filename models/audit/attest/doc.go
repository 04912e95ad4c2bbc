// Package attest has checkpoints signed by others: it asks time stamping authorities
// (RFC 3161) after a day was closed and witnesses (C2SP tlog-witness) every hour, verifies
// what they answer, and keeps it as further lines of the checkpoint's note. Nothing waits
// for it: who is away is asked again later, and the trail goes on.
package attest
