// Package stamp reads and verifies time stamps (RFC 3161) that stand below a checkpoint:
// an authority's word that the checkpoint's text existed at a time.
//
// It reads a token by the few rules of FORMAT.md, strictly, rather than by a library: those
// take BER for DER, any of several signers, and algorithms that other verifiers of a trail
// do not have, and so would come to another verdict about the same file. Certificates,
// their chains and all signatures are the standard library's.
package stamp

import (
	"crypto/sha256"
	"encoding/binary"

	"veinte/models/audit/trailfile/notes"
)

// Max is how long a token may be, in bytes: so long that it fits a note beside others.
const Max = 32 << 10

// Stamp is a time stamp in a note. It is not verified.
type Stamp struct {
	Name  string // of the authority, as whoever asked it calls it
	Token []byte // DER of the CMS ContentInfo
}

// KeyHash is what a line of a stamp has in place of the hash of a key: it depends on the
// name alone, so that every verifier knows a stamp when it sees one.
func KeyHash(name string) uint32 {
	sum := sha256.Sum256([]byte(name + "\n\xffrfc3161"))
	return binary.BigEndian.Uint32(sum[:])
}

// Line is the line of a note that carries a token, without its end.
func Line(name string, token []byte) string { return notes.Line(name, KeyHash(name), token) }

// Is reports whether a line of a note is a time stamp.
func Is(l notes.Signature) bool { return l.Hash == KeyHash(l.Name) }

// InNote returns the stamps of a note, in its order; none where the text is no note.
func InNote(signed string) (stamps []Stamp) {
	for _, line := range notes.Lines(signed) {
		if l, err := notes.ReadLine(line); err == nil && Is(l) {
			stamps = append(stamps, Stamp{l.Name, l.Bytes})
		}
	}
	return stamps
}
