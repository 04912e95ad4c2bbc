package models

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/trail"
)

// mostSealed is how many entries a batch seals at most.
const mostSealed = 5000

// sealedUpTo is the last checkpoint with its place in the trail; the zero value
// where nothing was sealed yet.
type sealedUpTo struct {
	size int64
	root tlog.Hash
	era  int
	txid uint64
	id   int64
}

// batch compares the database with what has left it, and seals what comes next
// in one transaction: the leaves, the nodes that they complete, and a checkpoint.
// Where another process seals, it only compares; with wait it waits for its turn.
//
// Errors: *SealTrouble.
func (s *Seals) batch(ctx context.Context, wait bool) (int, error) {
	// Each statement sees what was committed before it: the turn is waited for.
	tx, err := s.db.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return 0, fmt.Errorf("seal: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	mine, err := s.turn(ctx, tx, wait)
	if err != nil {
		return 0, err
	}
	stop, err := s.held(ctx, tx)
	if err != nil {
		return 0, err
	}
	// In this order: what has left was committed before, so a database that is
	// read after it has it, even while another process seals on.
	seen, err := s.outside(stop)
	if err != nil {
		return 0, err
	}
	last, until, err := lastSealed(ctx, tx)
	if err != nil {
		return 0, err
	}
	if err := s.compare(ctx, tx, last, seen); err != nil || !mine {
		return 0, stop.or(err)
	}
	leaves, end, err := unsealedLeaves(ctx, tx, last, until)
	if err != nil || len(leaves) == 0 {
		return 0, stop.or(err)
	}
	edge, err := s.edgeOf(ctx, tx, last)
	if err != nil {
		return 0, err
	}
	if err := s.write(ctx, tx, edge, leaves, end); err != nil {
		return 0, beyond(err, last)
	}
	if stop != nil {
		return 0, &mayResume{stop} // nothing contradicts any more: it is told before anything is sealed
	}
	s.edge = nil // what an error of COMMIT leaves behind is read again
	if err := tx.Commit(ctx); err != nil {
		return 0, fmt.Errorf("seal: %w", err)
	}
	s.edge = edge
	s.sealed.Add(int64(len(leaves)))
	return len(leaves), nil
}

// turn asks whether it is this process's turn to seal. A checkpoint leaves the
// house: it must be on the database's disk before, whatever its settings say.
func (s *Seals) turn(ctx context.Context, tx pgx.Tx, wait bool) (mine bool, err error) {
	how := LockSealing.trying()
	if wait {
		how = LockSealing.waiting() + ` IS NOT NULL`
	}
	var durable string
	err = tx.QueryRow(ctx, `SELECT `+how+`, set_config('synchronous_commit', CASE current_setting('synchronous_commit')
		WHEN 'off' THEN 'local' ELSE current_setting('synchronous_commit') END, true)`, LockSealing.of...).Scan(&mine, &durable)
	if err != nil {
		return false, fmt.Errorf("seal: take turn: %w", err)
	}
	return mine, nil
}

// lastSealed reads where sealing ended, and how far it may go.
func lastSealed(ctx context.Context, tx pgx.Tx) (last sealedUpTo, until horizon, err error) {
	var root []byte
	err = tx.QueryRow(ctx, `SELECT trail_era(), pg_snapshot_xmin(pg_current_snapshot())::text, coalesce(c.size, 0), c.root,
			coalesce(c.era, 1), coalesce(c.txid, '0'), coalesce(c.entry_id, 0)
		FROM (SELECT) one LEFT JOIN (SELECT * FROM checkpoints ORDER BY size DESC LIMIT 1) c ON true`).
		Scan(&until.era, &until.txid, &last.size, &root, &last.era, &last.txid, &last.id)
	if err != nil {
		return last, until, fmt.Errorf("seal: find last checkpoint: %w", err)
	}
	if last.size > 0 {
		last.root = tlog.Hash(root)
	}
	return last, until, nil
}

// sealable is an entry as it is sealed.
type sealable struct {
	id   int64
	at   time.Time
	hash tlog.Hash
}

// unsealed has its limit in its text: of a parameter the planner would think that
// it asks for a tenth of the trail, and sort it.
var unsealed = fmt.Sprintf(`SELECT id, at, txid, canonical FROM audit_entries
	WHERE era = $1 AND (txid, id) > ($2::text::xid8, $3) AND txid < $4::text::xid8 ORDER BY txid, id LIMIT %d`, mostSealed)

// unsealedLeaves reads what follows the last sealed entry, below the oldest
// transaction that is still running: what commits later comes behind it. A batch
// is of one era.
func unsealedLeaves(ctx context.Context, tx pgx.Tx, last sealedUpTo, until horizon) (leaves []sealable, end sealedUpTo, err error) {
	end = last
	for era := last.era; era <= until.era && len(leaves) == 0; era++ {
		if era > last.era {
			end = sealedUpTo{era: era}
		}
		rows, err := tx.Query(ctx, unsealed, era, fmt.Sprint(end.txid), end.id, until.of(era))
		if err != nil {
			return nil, end, fmt.Errorf("seal: read entries: %w", err)
		}
		leaf := trail.Leaf{Era: era}
		var at time.Time
		var canonical pgtype.DriverBytes // not copied: it is hashed and forgotten
		_, err = pgx.ForEachRow(rows, []any{&leaf.ID, &at, &leaf.TxID, &canonical}, func() error {
			leaf.Canonical = canonical
			leaves = append(leaves, sealable{leaf.ID, at, leaf.Hash()})
			end = sealedUpTo{era: era, txid: leaf.TxID, id: leaf.ID}
			return nil
		})
		if err != nil {
			return nil, end, fmt.Errorf("seal: read entries: %w", err)
		}
	}
	return leaves, end, nil
}

// edgeOf returns a copy of the edge of the tree that ends where last says: as
// this process left it, or read from the tables and compared with what was signed.
func (s *Seals) edgeOf(ctx context.Context, tx pgx.Tx, last sealedUpTo) (*treeEdge, error) {
	if s.edge != nil && s.edge.size == last.size && s.edge.root() == last.root {
		return s.edge.clone(), nil
	}
	edge, err := readEdge(sealedTree{ctx, tx}, last.size)
	if err != nil {
		return nil, s.incomplete(err, last)
	}
	if last.size > 0 && edge.root() != last.root {
		return nil, &SealTrouble{Code: SealDifferent, Sealed: last.size, Seen: last.size, err: errors.New("the tree is not what its last checkpoint says")}
	}
	return edge, nil
}

// beyond tells leaves and nodes that are there already, beyond the last
// checkpoint, from a database that refuses: checkpoints were taken away.
func beyond(err error, last sealedUpTo) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "23505" { // unique
		return &SealTrouble{Code: SealDifferent, Sealed: last.size, Seen: last.size, err: err}
	}
	return err
}

// write keeps leaves, nodes and the checkpoint over them.
func (s *Seals) write(ctx context.Context, tx pgx.Tx, edge *treeEdge, leaves []sealable, end sealedUpTo) error {
	first := edge.size
	var nodes []sealedNode
	for _, l := range leaves {
		nodes = edge.add(l.hash, nodes)
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"sealed_entries"}, []string{"n", "entry_id", "at", "hash"},
		pgx.CopyFromSlice(len(leaves), func(i int) ([]any, error) {
			return []any{first + int64(i), leaves[i].id, leaves[i].at, leaves[i].hash[:]}, nil
		}))
	if err != nil {
		return fmt.Errorf("seal: keep leaves from %d: %w", first, err)
	}
	if len(nodes) > 0 {
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"sealed_nodes"}, []string{"level", "n", "hash"},
			pgx.CopyFromSlice(len(nodes), func(i int) ([]any, error) {
				return []any{int16(nodes[i].level), nodes[i].n, nodes[i].hash[:]}, nil
			}))
		if err != nil {
			return fmt.Errorf("seal: keep nodes: %w", err)
		}
	}
	c := trail.Checkpoint{Origin: s.origin(), Size: edge.size, Root: edge.root(), Time: s.clock.Now().UTC().Truncate(time.Microsecond)}
	signed, err := c.Sign(s.signers...)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO checkpoints (size, root, sealed_at, era, txid, entry_id, note) VALUES ($1, $2, $3, $4, $5::text::xid8, $6, $7)`,
		c.Size, c.Root[:], c.Time, end.era, fmt.Sprint(end.txid), end.id, signed)
	if err != nil {
		return fmt.Errorf("seal: keep checkpoint: %w", err)
	}
	return nil
}
