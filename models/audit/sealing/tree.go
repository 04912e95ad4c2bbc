package sealing

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"
)

// TileHeight is the number of levels of the tree from one that is stored to the
// next: the leaves and every eighth level above them are stored.
const TileHeight = 8

// SealedNode is a stored hash: the root of the n-th complete subtree of 2^(8·level)
// leaves; level 0 are the leaves.
type SealedNode struct {
	Level int
	N     int64
	Hash  tlog.Hash
}

// TreeEdge is what of a tree is needed to add to it: the roots of the complete
// subtrees that make it up, the largest first. It has as many as its size has
// ones in binary.
type TreeEdge struct {
	Size  int64
	roots []tlog.Hash
}

// Add appends a leaf. It appends to kept the stored nodes above the leaves that the
// leaf completes, and returns it.
func (e *TreeEdge) Add(leaf tlog.Hash, kept []SealedNode) []SealedNode {
	h := leaf
	level := 0
	for ; e.Size>>level&1 == 1; level++ {
		last := len(e.roots) - 1
		h = tlog.NodeHash(e.roots[last], h)
		e.roots = e.roots[:last]
		if (level+1)%TileHeight == 0 {
			kept = append(kept, SealedNode{Level: (level + 1) / TileHeight, N: e.Size >> (level + 1), Hash: h})
		}
	}
	e.roots = append(e.roots, h)
	e.Size++
	return kept
}

// Root is the hash of the whole tree.
func (e *TreeEdge) Root() tlog.Hash {
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

// clone is a copy that may be added to without changing the edge.
func (e *TreeEdge) clone() *TreeEdge {
	return &TreeEdge{Size: e.Size, roots: append([]tlog.Hash(nil), e.roots...)}
}

// readEdge reads the edge of the tree of the first size leaves.
func readEdge(r tlog.HashReader, size int64) (*TreeEdge, error) {
	var at []int64
	for level := bits.Len64(uint64(size)) - 1; level >= 0; level-- {
		if size>>level&1 == 1 {
			at = append(at, tlog.StoredHashIndex(level, size>>level-1))
		}
	}
	roots, err := r.ReadHashes(at)
	if err != nil {
		return nil, err
	}
	return &TreeEdge{Size: size, roots: roots}, nil
}

// SealedTree reads the tree from the tables, a few hundred hashes at most for any
// proof; it never loads the tree. It serves one call, whose context it has.
type SealedTree struct {
	ctx context.Context
	q   querier
}

// TreeOf reads the tree through the pool, or within a transaction.
func TreeOf(ctx context.Context, q querier) SealedTree { return SealedTree{ctx, q} }

// querier is the pool, or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

var _ tlog.HashReader = SealedTree{}

// ErrTreeIncomplete is wrapped when a hash that must be stored is missing.
var ErrTreeIncomplete = errors.New("the sealed tree lacks hashes that it had")

// readHashes has its limits in the text so that the planner knows how few rows are
// read: else it would compile a plan, which takes ten times as long as running it.
const readHashes = `SELECT r.i, s.hash
	FROM unnest($1::smallint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY r(level, lo, hi, i)
	CROSS JOIN LATERAL (
		(SELECT n, hash FROM sealed_entries WHERE r.level = 0 AND n >= r.lo AND n < r.hi ORDER BY n LIMIT 128)
		UNION ALL
		(SELECT n, hash FROM sealed_nodes WHERE r.level > 0 AND level = r.level AND n >= r.lo AND n < r.hi ORDER BY n LIMIT 128)
	) s ORDER BY r.i, s.n`

// ReadHashes returns the hashes at tlog's indexes. Those between two stored levels
// are computed from the lower one.
func (t SealedTree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	levels, from, to := make([]int16, len(indexes)), make([]int64, len(indexes)), make([]int64, len(indexes))
	parts := make([][]tlog.Hash, len(indexes))
	for i, index := range indexes {
		level, n := tlog.SplitStoredHashIndex(index)
		levels[i] = int16(level / TileHeight)
		from[i], to[i] = n<<(level%TileHeight), (n+1)<<(level%TileHeight)
	}
	rows, err := t.q.Query(t.ctx, readHashes, levels, from, to)
	if err != nil {
		return nil, fmt.Errorf("read sealed tree: %w", err)
	}
	var i int64
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&i, &hash}, func() error {
		parts[i-1] = append(parts[i-1], tlog.Hash(hash))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read sealed tree: %w", err)
	}
	hashes := make([]tlog.Hash, len(indexes))
	for i, part := range parts {
		if int64(len(part)) != to[i]-from[i] {
			return nil, fmt.Errorf("%w: level %d, %d to %d", ErrTreeIncomplete, levels[i], from[i], to[i])
		}
		for ; len(part) > 1; part = part[:len(part)/2] {
			for k := range len(part) / 2 {
				part[k] = tlog.NodeHash(part[2*k], part[2*k+1])
			}
		}
		hashes[i] = part[0]
	}
	return hashes, nil
}
