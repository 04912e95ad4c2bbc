package models

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
)

// AttemptKey is the attempt id that travels in traceability: 128 random bits.
// Results carry no signature, so whoever knows it can claim an outcome. It is a
// capability: the database stores only its hash, and it prints as "***".
type AttemptKey struct{ bits [16]byte }

// NewAttemptKey draws a key from the system's secure random source.
func NewAttemptKey() AttemptKey {
	var k AttemptKey
	_, _ = rand.Read(k.bits[:]) // never fails: crypto/rand ends the program instead
	return k
}

// Reveal returns the key as it is sent, in five hyphenated groups of hex
// digits. Only the client of the service calls it.
func (k AttemptKey) Reveal() string {
	h := hex.EncodeToString(k.bits[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// Hash returns what may be stored and compared in place of the key.
func (k AttemptKey) Hash() string { return HashAttemptKey(k.Reveal()) }

// HashAttemptKey hashes a key that a terminal returned.
func HashAttemptKey(revealed string) string {
	sum := sha256.Sum256([]byte(revealed))
	return hex.EncodeToString(sum[:])
}

// String hides the key.
func (k AttemptKey) String() string { return "***" }

// GoString hides the key from %#v.
func (k AttemptKey) GoString() string { return "***" }

// MarshalText hides the key from JSON and the like.
func (k AttemptKey) MarshalText() ([]byte, error) { return []byte("***"), nil }

// LogValue hides the key from structured logs.
func (k AttemptKey) LogValue() slog.Value { return slog.StringValue("***") }
