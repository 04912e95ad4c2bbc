package sealing

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile"
	"veinte/models/database"
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

// AddLeaf appends a leaf to a tree. It appends to stored the nodes above the leaves
// that the leaf completes and that are stored, and returns it.
func AddLeaf(e *trailfile.Edge, leaf tlog.Hash, stored []SealedNode) []SealedNode {
	e.AddSubtree(0, leaf, func(level int, n int64, h tlog.Hash) {
		if level%TileHeight == 0 {
			stored = append(stored, SealedNode{Level: level / TileHeight, N: n, Hash: h})
		}
	})
	return stored
}

// readEdge reads the edge of the tree of the first size leaves.
func readEdge(r tlog.HashReader, size int64) (*trailfile.Edge, error) {
	var levels []int // the largest subtree first
	var at []int64
	for level := bits.Len64(uint64(size)) - 1; level >= 0; level-- {
		if size>>level&1 == 1 {
			levels, at = append(levels, level), append(at, tlog.StoredHashIndex(level, size>>level-1))
		}
	}
	roots, err := r.ReadHashes(at)
	if err != nil {
		return nil, err
	}
	edge := &trailfile.Edge{}
	for i, root := range roots {
		edge.AddSubtree(levels[i], root, nil)
	}
	return edge, nil
}

// SealedTree reads the tree from the tables, a few hundred hashes at most for any
// proof; it never loads the tree. It serves one call, whose context it has.
type SealedTree struct {
	ctx context.Context
	q   database.Querier
}

// TreeOf reads the tree through the pool, or within a transaction.
func TreeOf(ctx context.Context, q database.Querier) SealedTree { return SealedTree{ctx, q} }

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
	type part struct {
		I    int64 // from 1
		Hash []byte
	}
	rows, err := database.Rows[part](t.ctx, t.q, readHashes, levels, from, to)
	if err != nil {
		return nil, fmt.Errorf("read sealed tree: %w", err)
	}
	for _, row := range rows {
		parts[row.I-1] = append(parts[row.I-1], tlog.Hash(row.Hash))
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
