package trailfile

import (
	"strconv"

	"golang.org/x/mod/sumdb/tlog"
)

// Leaf is one entry of the trail as a leaf of the tree. The database assigns the
// number and the transaction, so they are not in the canonical bytes; the leaf binds
// them together.
type Leaf struct {
	ID        int64
	Era       int // grows when a restored database counts transactions anew
	TxID      uint64
	Canonical []byte // exactly as stored: a JSON object
}

// leafPrefix begins the bytes of every leaf, and states their version.
const leafPrefix = "veinte-entry/1 "

// Bytes is what is hashed: a line with id, era and transaction in decimal, then
// the canonical bytes.
func (l Leaf) Bytes() []byte {
	return l.AppendTo(make([]byte, 0, len(leafPrefix)+48+len(l.Canonical)))
}

// AppendTo appends what Bytes returns.
func (l Leaf) AppendTo(b []byte) []byte {
	b = append(b, leafPrefix...)
	b = strconv.AppendInt(b, l.ID, 10)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(l.Era), 10)
	b = append(b, ' ')
	b = strconv.AppendUint(b, l.TxID, 10)
	b = append(b, '\n')
	return append(b, l.Canonical...)
}

// Hash is the leaf's hash in the tree, as RFC 6962 has it: SHA-256 over a zero
// byte and the leaf's bytes.
func (l Leaf) Hash() tlog.Hash { return tlog.RecordHash(l.Bytes()) }
