package export

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/attest"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
	"veinte/models/database"
)

// leafWriter writes sealed entries in the order of the tree, and hashes in place of
// those that are left out.
type leafWriter interface {
	EntryOf(n int64, leaf trailfile.Leaf, sealed tlog.Hash, amount int64, differs ...string) error
	Gap(from, to int64, hashes []tlog.Hash) error
}

const (
	// leavesAtOnce is how many entries wait for the hashes between them, and
	// hashesAtOnce how many stored hashes those are computed from: one query fills
	// many gaps, and a batch stays below some megabytes.
	leavesAtOnce = 512
	hashesAtOnce = 20_000
)

// gapFiller writes leaves, and reads the hashes of those between them from the tree.
type gapFiller struct {
	tree   tlog.HashReader
	out    leafWriter
	next   int64 // the next leaf of the file
	leaves []leafGap
	text   []byte  // their bytes, one after the other
	wanted []int64 // tlog's indexes of the hashes of all gaps that wait
	cost   int     // stored hashes to be read
}

// leafGap is an entry that waits, with the gap before it.
type leafGap struct {
	n         int64
	leaf      trailfile.Leaf
	sealed    tlog.Hash // as sealed, even where the entry was changed since
	first, to int       // its bytes in text
	gap       int64     // where the gap before it begins; n when there is none
	hashes    int       // of the gap
	amount    int64
	differs   []string // columns that do not say what its bytes say
}

func (g *gapFiller) entry(n int64, leaf trailfile.Leaf, sealed tlog.Hash, amount int64, differs []string) error {
	if n < g.next {
		return fmt.Errorf("sealed entry %d comes after %d", n, g.next-1)
	}
	p := leafGap{
		n: n, leaf: leaf, sealed: sealed, first: len(g.text), gap: g.next, hashes: g.want(g.next, n), amount: amount, differs: differs,
	}
	g.text = append(g.text, leaf.Canonical...)
	p.to = len(g.text)
	g.leaves = append(g.leaves, p)
	g.next = n + 1
	if len(g.leaves) >= leavesAtOnce || g.cost >= hashesAtOnce {
		return g.flush()
	}
	return nil
}

// end fills the rest up to size.
func (g *gapFiller) end(size int64) error {
	if err := g.flush(); err != nil {
		return err
	}
	from := g.next
	g.want(from, size)
	hashes, err := g.read()
	if err != nil || from == size {
		return err
	}
	return g.out.Gap(from, size, hashes)
}

func (g *gapFiller) flush() error {
	hashes, err := g.read()
	if err != nil {
		return err
	}
	for i := range g.leaves {
		p := &g.leaves[i]
		if p.hashes > 0 {
			if err := g.out.Gap(p.gap, p.n, hashes[:p.hashes]); err != nil {
				return err
			}
			hashes = hashes[p.hashes:]
		}
		p.leaf.Canonical = g.text[p.first:p.to]
		if err := g.out.EntryOf(p.n, p.leaf, p.sealed, p.amount, p.differs...); err != nil {
			return err
		}
	}
	g.leaves, g.text = g.leaves[:0], g.text[:0]
	return nil
}

// want adds the complete subtrees that cover [from, to), and returns how many there
// are.
func (g *gapFiller) want(from, to int64) (n int) {
	for ; from < to; n++ {
		level := trailfile.Subtree(from, to)
		g.wanted = append(g.wanted, tlog.StoredHashIndex(level, from>>level))
		g.cost += 1 << (level % sealing.TileHeight)
		from += 1 << level
	}
	return n
}

func (g *gapFiller) read() ([]tlog.Hash, error) {
	if len(g.wanted) == 0 {
		return nil, nil
	}
	hashes, err := g.tree.ReadHashes(g.wanted)
	g.wanted, g.cost = g.wanted[:0], 0
	return hashes, err
}

// Leaves are those that are written: the entries of [From, To) that a filter matches;
// To zero is the end.
type Leaves struct {
	Where    string
	Args     []any
	From, To int64
	Written  *atomic.Int64 // is counted up
}

// WriteLeaves writes a file of the sealed entries that a filter matches, with the
// hashes of all others, under the last checkpoint. It fills in the header's origin and
// checkpoint. The tree is read on another connection, because this one is in the
// middle of a result. That is safe: what is sealed never changes.
//
// Errors: ErrNothingSealed.
func WriteLeaves(ctx context.Context, db *database.DB, tx pgx.Tx, out *trailfile.Writer, h trailfile.Header, of Leaves) error {
	c, _, err := sealing.CheckpointIn(ctx, tx)
	if err != nil {
		return err
	}
	if c == nil {
		return sealing.ErrNothingSealed
	}
	claim, err := trailfile.Unverified(c.Note)
	if err != nil {
		return fmt.Errorf("read last checkpoint: %w", err)
	}
	h.Origin = claim.Origin
	if h.Checkpoint, err = attest.Noted(ctx, tx, c); err != nil {
		return err
	}
	if h.Attested, err = attest.Carried(ctx, tx, c.Size, c.SealedAt); err != nil {
		return err
	}
	if err := out.Begin(h); err != nil {
		return err
	}
	// In the order of the tree, leaf by leaf: a plan that collects and sorts them
	// all first would fill the disk before the first one is sent.
	if _, err := tx.Exec(ctx, "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"); err != nil {
		return fmt.Errorf("read sealed entries: %w", err)
	}
	p := len(of.Args)
	rows, err := tx.Query(ctx, fmt.Sprintf(`SELECT s.n, `+verify.EntryColumns+`, s.hash
		FROM (SELECT n, entry_id, at AS sealed_at, hash FROM sealed_entries) s
		JOIN (SELECT * FROM audit_entries WHERE %s) e ON e.id = s.entry_id AND e.at = s.sealed_at
		WHERE s.n >= $%d AND s.n < $%d ORDER BY s.n`, of.Where, p+1, p+2),
		append(append([]any{pgx.QueryResultFormats{pgx.BinaryFormatCode}}, of.Args...), of.From, cmp.Or(of.To, c.Size))...)
	if err != nil {
		return fmt.Errorf("read sealed entries: %w", err)
	}
	defer rows.Close()
	g := &gapFiller{tree: sealing.TreeOf(ctx, db.Pool()), out: out}
	var compare verify.Comparer
	for rows.Next() {
		raw := rows.RawValues()
		at, err := compare.Of(raw[1:])
		if err != nil {
			return fmt.Errorf("pass on sealed entries: %w", err)
		}
		of.Written.Add(1)
		err = g.entry(int64(binary.BigEndian.Uint64(raw[0])), compare.Leaf(), at.Leaf, compare.Amount(), compare.Differs(&at))
		if err != nil {
			return fmt.Errorf("pass on sealed entries: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("pass on sealed entries: %w", err)
	}
	if err := g.end(c.Size); err != nil {
		return err
	}
	return out.Close()
}
