package trailfile

import (
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

// Edge is the part of a tree that is needed to add to it and to compute its root:
// the roots of the complete subtrees that make it up, the largest first. It has as
// many as the tree's size has ones in binary, so a tree of any size is computed in
// the memory of a few dozen hashes.
type Edge struct {
	Size  int64
	roots []tlog.Hash
}

// Add appends a leaf.
func (e *Edge) Add(leaf tlog.Hash) { e.AddSubtree(0, leaf, nil) }

// AddSubtree appends a complete subtree of 2^level leaves; the size must be a
// multiple of that. It calls completed, unless nil, for each larger subtree that this
// completes: the n-th one of 2^level leaves.
func (e *Edge) AddSubtree(level int, h tlog.Hash, completed func(level int, n int64, h tlog.Hash)) {
	for l := level; e.Size>>l&1 == 1; l++ {
		last := len(e.roots) - 1
		h = tlog.NodeHash(e.roots[last], h)
		e.roots = e.roots[:last]
		if completed != nil {
			completed(l+1, e.Size>>(l+1), h)
		}
	}
	e.roots = append(e.roots, h)
	e.Size += 1 << level
}

// Root is the root of the tree.
func (e *Edge) Root() tlog.Hash {
	if e.Size == 0 {
		root, _ := tlog.TreeHash(0, nil) // reads nothing
		return root
	}
	h := e.roots[len(e.roots)-1]
	for i := len(e.roots) - 2; i >= 0; i-- {
		h = tlog.NodeHash(e.roots[i], h)
	}
	return h
}

// MaxLeaves limits the sizes that are accepted: no trail reaches it, and it does
// not overflow.
const MaxLeaves = 1 << 48

// Subtree is the level of the next subtree of those that cover [from, to): the
// largest that begins at from and does not reach beyond to. from < to.
func Subtree(from, to int64) (level int) {
	level = bits.Len64(uint64(to-from)) - 1
	if from > 0 {
		level = min(level, bits.TrailingZeros64(uint64(from)))
	}
	return level
}
