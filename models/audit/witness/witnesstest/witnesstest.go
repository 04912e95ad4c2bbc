// Package witnesstest is what every witness of tlog-witness has to do, as tests: ours, and
// one that somebody else wrote.
package witnesstest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/cosign"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/audit/witness"
)

// Trail is a trail of a shop: its key and a tree that grows.
type Trail struct {
	t      testing.TB
	origin string
	// Public is the key that a witness of the trail trusts.
	Public string
	signer note.Signer
	hashes []tlog.Hash
	size   int64
	at     time.Time
}

// NewTrail makes a key, and a trail without entries.
func NewTrail(t testing.TB, origin string) *Trail {
	t.Helper()
	private, public, err := trailfile.GenerateKey(origin)
	must(t, err)
	signer, err := note.NewSigner(private)
	must(t, err)
	return &Trail{t: t, origin: origin, Public: public, signer: signer, at: time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)}
}

// ReadHashes makes it a tlog.HashReader.
func (l *Trail) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		list[i] = l.hashes[x]
	}
	return list, nil
}

// Grow adds entries; what makes them other entries than another trail's of the same key.
func (l *Trail) Grow(n int64, what string) *Trail {
	l.t.Helper()
	for range n {
		more, err := tlog.StoredHashes(l.size, fmt.Appendf(nil, "%s %d", what, l.size), l)
		must(l.t, err)
		l.hashes = append(l.hashes, more...)
		l.size++
	}
	return l
}

// Fork is another trail of the same key, with other entries.
func (l *Trail) Fork(size int64) *Trail {
	l.t.Helper()
	f := *l
	f.hashes, f.size = nil, 0
	return (&f).Grow(size, "another past")
}

// Note is the signed checkpoint of a size.
func (l *Trail) Note(size int64) string {
	l.t.Helper()
	root := tlog.Hash(sha256.Sum256(nil))
	if size > 0 {
		var err error
		root, err = tlog.TreeHash(size, l)
		must(l.t, err)
	}
	signed, err := trailfile.Checkpoint{Origin: l.origin, Size: size, Root: root, Time: l.at}.Sign(l.signer)
	must(l.t, err)
	return signed
}

// Proof is the proof between two sizes; none where there can be none.
func (l *Trail) Proof(from, to int64) []tlog.Hash {
	l.t.Helper()
	if from == 0 || from >= to {
		return nil
	}
	p, err := tlog.ProveTree(to, from, l)
	must(l.t, err)
	return p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Start starts a witness that watches a trail under its origin and key, and returns how to
// ask it and its public key.
type Start func(t *testing.T, origin, public string) (c witness.Client, vkey string)

// Cosigned asks for a cosignature and verifies it.
func Cosigned(t testing.TB, c witness.Client, vkey string, l *Trail, from, to int64) time.Time {
	t.Helper()
	signed := l.Note(to)
	lines, err := c.Add(t.Context(), from, l.Proof(from, to), signed)
	if err != nil {
		t.Fatalf("Add(%d, %d) = %v", from, to, err)
	}
	v, err := cosign.NewVerifier(vkey)
	must(t, err)
	text, _, err := notes.Cut(signed)
	must(t, err)
	for _, line := range lines {
		s, err := notes.ReadLine(line)
		must(t, err)
		if s.Name == v.Name() && s.Hash == v.KeyHash() && v.Verify([]byte(text), s.Bytes) {
			at, err := cosign.Time(s.Bytes)
			must(t, err)
			return at
		}
	}
	t.Fatalf("none of %q is a cosignature of %s over %q", lines, vkey, text)
	return time.Time{}
}

// Refused asks for a cosignature that must be refused with one of the statuses, and returns
// the refusal.
func Refused(t testing.TB, c witness.Client, from int64, proof []tlog.Hash, signed string, statuses ...int) *witness.Refusal {
	t.Helper()
	lines, err := c.Add(t.Context(), from, proof, signed)
	var r *witness.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("Add = %q, %v, want a refusal of %v", lines, err, statuses)
	}
	for _, status := range statuses {
		if r.Status == status {
			return r
		}
	}
	t.Errorf("Add = %v, want a refusal of %v", err, statuses)
	return r
}

// Run tests a witness: a trail that grows is cosigned, one that forked is not.
func Run(t *testing.T, start Start) {
	t.Helper()
	const origin = "tienda.example/bitacora"
	l := NewTrail(t, origin).Grow(40, "entry")
	c, vkey := start(t, origin, l.Public)

	if at := Cosigned(t, c, vkey, l, 0, 5); time.Since(at).Abs() > time.Hour {
		t.Errorf("cosigned at %s, which is not now", at)
	}
	Cosigned(t, c, vkey, l, 5, 9)
	l.at = l.at.Add(time.Hour)
	Cosigned(t, c, vkey, l, 9, 9) // the same tree, signed anew

	forked := l.Fork(40)
	stranger := NewTrail(t, origin).Grow(12, "entry")
	unknown := NewTrail(t, "otra.example/bitacora").Grow(12, "entry")
	tests := []struct {
		name     string
		from     int64
		proof    []tlog.Hash
		note     string
		statuses []int
		size     int64 // that the answer states, if its status is 409
		fork     bool
	}{
		{"nothing was cosigned, it says", 0, nil, l.Note(12), []int{409}, 9, false},
		{"less was cosigned, it says", 5, l.Proof(5, 12), l.Note(12), []int{409}, 9, false},
		{"more was cosigned, it says", 12, l.Proof(12, 15), l.Note(15), []int{409}, 9, false},
		{"the end was cut", 5, l.Proof(5, 7), l.Note(7), []int{409}, 9, false},
		{"more than it has", 9, nil, l.Note(7), []int{400}, -1, false},
		{"another trail of the same size", 9, nil, forked.Note(9), []int{409, 422}, 9, true},
		{"another trail that is longer", 9, forked.Proof(9, 12), forked.Note(12), []int{422}, -1, true},
		{"no proof", 9, nil, l.Note(12), []int{422}, -1, true},
		{"the proof of another size", 9, l.Proof(8, 12), l.Note(12), []int{422}, -1, true},
		{"a proof that is too long", 9, append(l.Proof(9, 12), tlog.Hash{}), l.Note(12), []int{422}, -1, true},
		{"a key of the same name", 9, stranger.Proof(9, 12), stranger.Note(12), []int{403}, -1, false},
		{"a signature of another text", 9, l.Proof(9, 12), strings.Replace(l.Note(12), "time 2026", "time 2025", 1), []int{403}, -1, false},
		{"another origin", 0, nil, unknown.Note(12), []int{404}, -1, false},
	}
	for _, tt := range tests {
		r := Refused(t, c, tt.from, tt.proof, tt.note, tt.statuses...)
		if r.Status == http.StatusConflict && r.Size != tt.size {
			t.Errorf("%s: the answer states the size %d, want %d", tt.name, r.Size, tt.size)
		}
		size, err := trailfile.Unverified(tt.note)
		must(t, err)
		if got := r.Fork(tt.from, size.Size); got != tt.fork {
			t.Errorf("%s: Fork of %v = %v, want %v", tt.name, r, got, tt.fork)
		}
	}
	for _, body := range []string{
		"", "\n\n", "old 9\n", "old x\n\n" + l.Note(12), "old -9\n\n" + l.Note(12), "9\n\n" + l.Note(12), "old 9\nno hash\n\n" + l.Note(12),
		"old 9\n" + strings.Repeat(tlog.Hash{}.String()+"\n", 64) + "\n" + l.Note(12),
	} {
		resp, err := http.Post(strings.TrimRight(c.URL, "/")+"/add-checkpoint", "", strings.NewReader(body))
		must(t, err)
		answer, err := io.ReadAll(resp.Body)
		must(t, errors.Join(err, resp.Body.Close()))
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("the request %.40q is answered %d %q, want 400", body, resp.StatusCode, answer)
		}
	}
	Cosigned(t, c, vkey, l, 9, 40) // what was refused left nothing behind
}

// Beginning is another trail of the same key, as one that begins anew under its own origin.
func (l *Trail) Beginning(origin string, size int64) *Trail {
	l.t.Helper()
	b := *l
	b.origin, b.hashes, b.size = origin, nil, 0
	return (&b).Grow(size, origin)
}
