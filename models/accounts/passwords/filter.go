package passwords

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
)

// common is a Bloom filter of 24 bits for each password of the lists, of which 16 are
// set. It knows every password of the lists, and takes one in a hundred thousand others
// for one of them. See LICENSE.md for where it comes from.
//
//go:embed common.bin
var common []byte

const (
	hashes     = 16
	minOfList  = 4 // shorter ones are not in the filter
	headLength = 8 // how many passwords it has
)

// Size is how many passwords are in the filter, and its length in bytes.
func Size() (passwords, bytes int) {
	return int(binary.BigEndian.Uint64(common)), len(common)
}

// listed reports whether a folded password is one of the lists.
func listed(text string) bool {
	return len(text) >= minOfList && all(common[headLength:], text, func(b *byte, bit byte) bool { return *b&bit != 0 })
}

// all calls f with each bit of a text in a filter, until f says no.
func all(filter []byte, text string, f func(b *byte, bit byte) bool) bool {
	sum := sha256.Sum256([]byte(text))
	bits := uint64(len(filter)) * 8
	at, step := binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])|1
	for range hashes {
		bit := at % bits
		if !f(&filter[bit/8], 1<<(bit%8)) {
			return false
		}
		at += step
	}
	return true
}
