package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
)

// treeRun computes the tree again from its leaves, and compares it with the stored
// nodes and with every checkpoint, inside and outside the database.
type treeRun struct {
	*trailRun
	tx      pgx.Tx
	edge    trailfile.Edge
	nodes   map[nodeAt]tlog.Hash // stored, and not reached yet
	made    []sealing.SealedNode
	lost    bool               // leaves are missing: nothing after them can be computed
	stored  []storedCheckpoint // read, and not passed yet: up to the first behind the leaves of a piece
	read    int64              // entries of the last of those
	good    int64              // entries of the largest stored checkpoint that was right so far
	bad     bool               // one was not: those behind it are not either
	times   leafTimes          // of the leaves so far
	outside []trailfile.Checkpoint
	sound   int64 // entries of the largest one outside that was right so far
}

type nodeAt struct {
	level int16
	n     int64
}

// storedCheckpoint is what the tree is compared with; its note is judged elsewhere.
type storedCheckpoint struct {
	size  int64
	root  tlog.Hash
	at    time.Time
	era   int
	entry int64
}

// tree verifies the tree.
func (t *trailRun) tree(ctx context.Context, tx pgx.Tx) error {
	r := &treeRun{trailRun: t, tx: tx}
	if err := r.readNodes(ctx); err != nil {
		return err
	}
	r.openOutside()
	for from := int64(0); from < t.leaves; from += leavesAhead {
		if err := r.piece(ctx, from, min(from+leavesAhead, t.leaves)); err != nil {
			return err
		}
	}
	r.end()
	return nil
}

func (r *treeRun) readNodes(ctx context.Context) error {
	r.nodes = map[nodeAt]tlog.Hash{}
	rows, err := r.tx.Query(ctx, `SELECT level, n, hash FROM sealed_nodes ORDER BY level, n`)
	if err != nil {
		return err
	}
	var at nodeAt
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&at.level, &at.n, &hash}, func() error {
		r.nodes[at] = tlog.Hash(hash)
		return nil
	})
	return err
}

// piece processes the leaves from one up to, but not including, another.
func (r *treeRun) piece(ctx context.Context, from, to int64) error {
	rows, err := r.tx.Query(ctx, `SELECT size, root, sealed_at, era, entry_id FROM checkpoints
		WHERE size > $1 AND size <= coalesce((SELECT min(size) FROM checkpoints WHERE size >= $2), $2) ORDER BY size`, max(from, r.read), to)
	if err != nil {
		return err
	}
	var root []byte
	var c storedCheckpoint
	_, err = pgx.ForEachRow(rows, []any{&c.size, &root, &c.at, &c.era, &c.entry}, func() error {
		c.root, r.read = tlog.Hash(root), c.size
		r.stored = append(r.stored, c)
		return nil
	})
	if err != nil {
		return err
	}
	leaves, err := r.tx.Query(ctx, `SELECT n, entry_id, at, hash FROM sealed_entries WHERE n >= $1 AND n < $2 ORDER BY n`, from, to)
	if err != nil {
		return err
	}
	var l leafRow
	var at time.Time
	var hash []byte
	_, err = pgx.ForEachRow(leaves, []any{&l.n, &l.id, &at, &hash}, func() error {
		l.hash = tlog.Hash(hash)
		r.leaf(&l, at)
		return nil
	})
	return err
}

// leaf processes the next leaf.
func (r *treeRun) leaf(l *leafRow, at time.Time) {
	if l.n != r.edge.Size {
		if !r.lost {
			r.found(r.edge.Size, Finding{Code: FindLeafMissing, N: r.edge.Size, Detail: fmt.Sprintf("leaves %d to %d", r.edge.Size, l.n-1)})
		}
		r.lost, r.edge.Size = true, l.n
	}
	if r.lost {
		r.edge.Size++
	} else {
		r.made = sealing.AddLeaf(&r.edge, l.hash, r.made[:0])
		for _, node := range r.made {
			r.node(node)
		}
	}
	var own *storedCheckpoint
	if len(r.stored) > 0 {
		own = &r.stored[0]
	}
	if code, detail := r.times.judge(at, own); code != "" {
		r.found(l.n, Finding{Code: code, EntryID: l.id, N: l.n, Detail: detail, At: at})
	}
	for len(r.stored) > 0 && r.stored[0].size <= r.edge.Size {
		r.checkpoint(&r.stored[0], l)
		r.stored = r.stored[1:]
	}
	r.compareOutside()
}

// node compares a completed node with the stored one.
func (r *treeRun) node(made sealing.SealedNode) {
	at := nodeAt{int16(made.Level), made.N}
	kept, there := r.nodes[at]
	delete(r.nodes, at)
	first := made.N << (made.Level * sealing.TileHeight)
	f := Finding{Code: FindNode, N: first, Detail: fmt.Sprintf("level %d, node %d, over leaves %d to %d", made.Level, made.N, first, first+1<<(made.Level*sealing.TileHeight)-1)}
	switch {
	case !there:
		f.Code = FindNodeMissing
	case kept == made.Hash:
		return
	}
	r.found(first+1<<(made.Level*sealing.TileHeight)-1, f) // behind what is named more closely
}

// checkpoint compares the tree with a stored checkpoint whose last leaf is l.
func (r *treeRun) checkpoint(c *storedCheckpoint, l *leafRow) {
	r.times.passed(c)
	if c.size == l.n+1 && c.entry != l.id {
		r.found(l.n, Finding{Code: FindCheckpoint, EntryID: c.entry, N: l.n, Detail: fmt.Sprintf("checkpoint of %d entries: it ends with entry %d, the tree with %d", c.size, c.entry, l.id)})
	}
	if r.lost || r.bad {
		return
	}
	if c.root == r.edge.Root() {
		r.good = c.size
		return
	}
	r.bad = true
	r.found(c.size, Finding{Code: FindRoot, N: r.good, Detail: fmt.Sprintf("leaves %d to %d", r.good, c.size-1), At: c.at})
}

// end reports what is left over after the last leaf.
func (r *treeRun) end() {
	if !r.lost {
		r.v.Root = r.edge.Root()
	}
	size := r.last.Size
	for at, hash := range r.nodes {
		first := at.n << (int(at.level) * sealing.TileHeight)
		if !r.lost || first >= r.leaves {
			r.found(first, Finding{Code: FindBeyond, N: first, Detail: fmt.Sprintf("node %d of level %d, %s", at.n, at.level, hash)})
		}
	}
	if r.leaves > size {
		r.found(size, Finding{Code: FindBeyond, N: size, Detail: fmt.Sprintf("leaves %d to %d; the last checkpoint has %d", size, r.leaves-1, size)})
	}
	if size > r.leaves {
		r.found(r.leaves, Finding{Code: FindLeafMissing, N: r.leaves, Detail: fmt.Sprintf("leaves %d to %d", r.leaves, size-1)})
	}
	r.restOutside()
}
