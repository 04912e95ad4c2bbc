package export

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile"
)

// memoryTree is a tree with every hash in memory.
type memoryTree []tlog.Hash

func (m memoryTree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		if at >= int64(len(m)) {
			return nil, fmt.Errorf("no hash %d", at)
		}
		hashes[i] = m[at]
	}
	return hashes, nil
}

// rootOf computes the root from the content of an export, as a verifier would.
type rootOf struct {
	next    int64
	entries int64
	hashes  []tlog.Hash
	levels  []int
	gaps    int
}

func (r *rootOf) push(level int, h tlog.Hash) {
	r.hashes, r.levels = append(r.hashes, h), append(r.levels, level)
	r.next += 1 << level
	for n := len(r.levels); n > 1 && r.levels[n-1] == r.levels[n-2] && r.next>>r.levels[n-1]&1 == 0; n-- {
		r.hashes = append(r.hashes[:n-2], tlog.NodeHash(r.hashes[n-2], r.hashes[n-1]))
		r.levels = append(r.levels[:n-2], r.levels[n-1]+1)
	}
}

func (r *rootOf) EntryOf(n int64, leaf trailfile.Leaf, sealed tlog.Hash, _ int64, _ ...string) error {
	if n != r.next {
		return fmt.Errorf("entry %d where %d was due", n, r.next)
	}
	r.entries++
	if sealed != leaf.Hash() {
		return fmt.Errorf("entry %d was sealed as another", n)
	}
	r.push(0, sealed)
	return nil
}

func (r *rootOf) Gap(from, to int64, hashes []tlog.Hash) error {
	if from != r.next || to <= from {
		return fmt.Errorf("gap %d to %d where %d was due", from, to, r.next)
	}
	r.gaps++
	for _, h := range hashes {
		level := 0
		for r.next>>level&1 == 0 && r.next+2<<level <= to {
			level++
		}
		r.push(level, h)
	}
	if r.next != to {
		return fmt.Errorf("a gap up to %d ends at %d", to, r.next)
	}
	return nil
}

func (r *rootOf) root() tlog.Hash {
	h := r.hashes[len(r.hashes)-1]
	for i := len(r.hashes) - 2; i >= 0; i-- {
		h = tlog.NodeHash(r.hashes[i], h)
	}
	return h
}

func testLeaf(n int64) trailfile.Leaf {
	return trailfile.Leaf{ID: n + 1, Era: 1, TxID: uint64(n), Canonical: fmt.Appendf(nil, `{"n":%d}`, n)}
}

// TestGapsKeepTheRoot: whatever is left out, the root is the same.
func TestGapsKeepTheRoot(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{1, 2, 3, 255, 256, 257, 1000, 4096, 5000} {
		var tree memoryTree
		for n := range size {
			hashes, err := tlog.StoredHashes(n, testLeaf(n).Bytes(), tree)
			if err != nil {
				t.Fatal(err)
			}
			tree = append(tree, hashes...)
		}
		want, err := tlog.TreeHash(size, tree)
		if err != nil {
			t.Fatal(err)
		}
		for _, share := range []float64{0, 0.001, 0.02, 0.5, 0.98, 1} {
			seed := rand.Uint64()
			r := rand.New(rand.NewPCG(seed, 1))
			out := &rootOf{}
			g := &gapFiller{tree: tree, out: out}
			included := int64(0)
			for n := range size {
				if r.Float64() < share {
					included++
					if err := g.entry(n, testLeaf(n), testLeaf(n).Hash(), 0, nil); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := g.end(size); err != nil {
				t.Fatalf("size %d, share %g, seed %d: %v", size, share, seed, err)
			}
			if out.root() != want || out.entries != included {
				t.Errorf("size %d, share %g, seed %d: %d of %d entries, root %s, want %s", size, share, seed, out.entries, included, out.root(), want)
			}
		}
	}
}
