package verify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
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
	level int
	n     int64
}

// storedCheckpoint is what the tree is compared with; its note is judged elsewhere.
type storedCheckpoint struct {
	Size     int64
	Root     []byte
	SealedAt time.Time
	Era      int
	EntryID  int64
	Until    time.Time // when it was signed last: nothing had been added
}

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
	rows, _ := r.tx.Query(ctx, `SELECT level, n, hash FROM sealed_nodes ORDER BY level, n`) // the rows have its error
	return database.Each(rows, func(row *struct {
		Level int
		N     int64
		Hash  []byte
	},
	) error {
		r.nodes[nodeAt{row.Level, row.N}] = tlog.Hash(row.Hash)
		return nil
	})
}

// piece processes the leaves from one up to, but not including, another.
func (r *treeRun) piece(ctx context.Context, from, to int64) error {
	stored, err := database.Rows[storedCheckpoint](ctx, r.tx, `SELECT size, root, sealed_at, era, entry_id,
			coalesce((SELECT max(b.sealed_at) FROM checkpoint_beats b WHERE b.size = c.size), sealed_at) AS until FROM checkpoints c
		WHERE size > $1 AND size <= coalesce((SELECT min(size) FROM checkpoints WHERE size >= $2), $2) ORDER BY size`, max(from, r.read), to)
	if err != nil {
		return err
	}
	if len(stored) > 0 {
		r.read = stored[len(stored)-1].Size
	}
	r.stored = append(r.stored, stored...)
	leaves, _ := r.tx.Query(ctx, `SELECT n, entry_id, at, hash FROM sealed_entries WHERE n >= $1 AND n < $2 ORDER BY n`, from, to)
	return database.Each(leaves, func(row *struct {
		N, EntryID int64
		At         time.Time
		Hash       []byte
	},
	) error {
		r.leaf(&leafRow{n: row.N, id: row.EntryID, hash: tlog.Hash(row.Hash)}, row.At)
		return nil
	})
}

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
	if len(r.archived) > 0 && r.archived[at.UTC().Format("2006-01")].covers(l.n) {
		r.times.gap()
	} else if code, detail := r.times.judge(l.n, at, own, r.jumps); code != "" {
		r.found(l.n, Finding{Code: code, EntryID: l.id, N: l.n, Detail: detail, At: at})
	}
	for len(r.stored) > 0 && r.stored[0].Size <= r.edge.Size {
		r.checkpoint(&r.stored[0], l)
		r.stored = r.stored[1:]
	}
	r.compareOutside()
}

func (r *treeRun) node(made sealing.SealedNode) {
	at := nodeAt{made.Level, made.N}
	stored, there := r.nodes[at]
	delete(r.nodes, at)
	if there && stored == made.Hash {
		return
	}
	height := made.Level * sealing.TileHeight
	first, last := made.N<<height, (made.N+1)<<height-1
	detail := fmt.Sprintf("level %d, node %d, over leaves %d to %d", made.Level, made.N, first, last)
	code := FindNode
	if !there {
		code = FindNodeMissing
	}
	r.found(last, Finding{Code: code, N: first, Detail: detail}) // behind what is named more closely
}

// checkpoint compares the tree with a stored checkpoint whose last leaf is l.
func (r *treeRun) checkpoint(c *storedCheckpoint, l *leafRow) {
	r.times.passed(c)
	if c.Size == l.n+1 && c.EntryID != l.id {
		detail := fmt.Sprintf("checkpoint of %d entries: it ends with entry %d, the tree with %d", c.Size, c.EntryID, l.id)
		r.found(l.n, Finding{Code: FindCheckpoint, EntryID: c.EntryID, N: l.n, Detail: detail})
	}
	if r.lost || r.bad {
		return
	}
	if tlog.Hash(c.Root) == r.edge.Root() {
		r.good = c.Size
		return
	}
	r.bad = true
	r.found(c.Size, Finding{Code: FindRoot, N: r.good, Detail: fmt.Sprintf("leaves %d to %d", r.good, c.Size-1), At: c.SealedAt})
}

// end reports what is left over after the last leaf.
func (r *treeRun) end() {
	if !r.lost {
		r.v.Root = r.edge.Root()
	}
	size := r.last.Size
	for at, hash := range r.nodes {
		first := at.n << (at.level * sealing.TileHeight)
		if !r.lost || first >= r.leaves {
			r.found(first, Finding{Code: FindBeyond, N: first, Detail: fmt.Sprintf("node %d of level %d, %s", at.n, at.level, hash)})
		}
	}
	if r.leaves > size {
		detail := fmt.Sprintf("leaves %d to %d; the last checkpoint has %d", size, r.leaves-1, size)
		r.found(size, Finding{Code: FindBeyond, N: size, Detail: detail})
	}
	if size > r.leaves {
		r.found(r.leaves, Finding{Code: FindLeafMissing, N: r.leaves, Detail: fmt.Sprintf("leaves %d to %d", r.leaves, size-1)})
	}
	r.restOutside()
}

// tooOld is by how much an entry may be older than what was sealed before it, or
// younger than its own checkpoint: clocks of several machines differ, and a
// transaction takes time.
const tooOld = 10 * time.Minute

// leafTimes finds entries whose times are older or younger than their position in
// the trail allows.
type leafTimes struct {
	youngest time.Time        // entry so far
	before   storedCheckpoint // the last checkpoint that the leaves have passed
	caughtUp bool             // it had sealed everything there was
	blind    bool             // entries since then are archived
}

// gap passes over an entry that is archived: it may be the one which says that the clock was
// put right, so that what comes is not older than what was before.
func (t *leafTimes) gap() { t.youngest, t.caughtUp, t.blind = time.Time{}, false, true }

// passed processes a checkpoint that the leaves have reached. A checkpoint with
// fewer entries than a full batch had sealed everything there was: what follows it
// was written later.
func (t *leafTimes) passed(c *storedCheckpoint) {
	t.caughtUp = !t.blind && c.Size-t.before.Size < sealing.MaxSealed
	t.before, t.blind = *c, false
}

// judge checks the time of a leaf against its own checkpoint, nil when it has none. A
// clock that was put back explains it, where the trail says so.
func (t *leafTimes) judge(n int64, at time.Time, own *storedCheckpoint, jumps []clockJump) (code, detail string) {
	for i := range jumps {
		if jumps[i].explains(n, at, t.youngest) {
			t.youngest = at
			if t.before.Until.After(at) {
				t.before.Until = at
			}
		}
	}
	switch {
	case own != nil && at.After(own.SealedAt.Add(tooOld)) &&
		!slices.ContainsFunc(jumps, func(j clockJump) bool { return j.sealedAfter(n, at, own.SealedAt) }):
		return FindFutureDated, fmt.Sprintf("its checkpoint is of %s", own.SealedAt.UTC().Format(time.RFC3339))
	case at.Before(t.youngest.Add(-tooOld)):
		return FindBackDated, fmt.Sprintf("an entry before it is of %s", t.youngest.UTC().Format(time.RFC3339))
	case own != nil && t.caughtUp && own.Era == t.before.Era && at.Before(t.before.Until.Add(-tooOld)):
		return FindBackDated, fmt.Sprintf("the checkpoint before it is of %s", t.before.Until.UTC().Format(time.RFC3339))
	}
	if at.After(t.youngest) {
		t.youngest = at
	}
	return "", ""
}
