package export

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"sync/atomic"
)

// file is what leaves of an export: it counts and hashes what is handed over, so that
// whoever has the file later can compare it with what the trail says of it.
type file struct {
	out  io.Writer
	sum  hash.Hash
	sent atomic.Int64 // another goroutine reports it
}

// To returns where the export's bytes are written; everything of the file goes through it.
func (x *Export) To(out io.Writer) io.Writer {
	x.file = &file{out: out, sum: sha256.New()}
	return x.file
}

func (f *file) Write(b []byte) (int, error) {
	n, err := f.out.Write(b)
	f.sum.Write(b[:n])
	f.sent.Add(int64(n))
	return n, err
}

// sha256 is that of everything written, in hex.
func (f *file) sha256() string { return hex.EncodeToString(f.sum.Sum(nil)) }
