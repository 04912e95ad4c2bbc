package export

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"sync/atomic"

	"veinte/models/audit/trailfile"
)

// file is what leaves of an export: it counts and hashes what is handed over, so that
// whoever has the file later can compare it with what the trail says of it.
type file struct {
	out  io.Writer
	sum  hash.Hash
	sent atomic.Int64 // another goroutine reports it
	// sha256 is that of everything written, in hex.
	sha256 func() string
}

// To returns where the export's bytes are written; everything of the file goes through it.
func (x *Export) To(out io.Writer) io.Writer {
	f := &file{out: out, sum: sha256.New()}
	f.sha256 = func() string { return hex.EncodeToString(f.sum.Sum(nil)) }
	x.file = f
	return f
}

// trailTo is To for the format whose writer hashes what it writes by itself: a hash of a
// file takes as long as writing it.
func (x *Export) trailTo(out io.Writer) *trailfile.Writer {
	x.file = &file{out: out}
	w := trailfile.NewWriter(x.file)
	x.file.sha256 = w.SHA256
	return w
}

func (f *file) Write(b []byte) (int, error) {
	n, err := f.out.Write(b)
	if f.sum != nil {
		f.sum.Write(b[:n])
	}
	f.sent.Add(int64(n))
	return n, err
}
