package sealing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
)

// MaxSealed is the maximum number of entries in a batch.
const MaxSealed = 5000

// SealedEnd is the last checkpoint with its position in the trail; the zero value
// where nothing was sealed yet.
type SealedEnd struct {
	Size   int64
	root   tlog.Hash
	signed time.Time // last
	Era    int
	Txid   uint64
	Id     int64
}

// batch compares the database with the checkpoints outside it, and seals the next
// entries in one transaction: the leaves, the nodes that they complete, and a
// checkpoint. While another process seals, it only compares; with wait it waits for
// the lock.
//
// Errors: *Trouble.
func (s *Service) batch(ctx context.Context, wait bool) (int, error) {
	// Read committed: the wait for the lock must not be part of the snapshot, so
	// that each statement sees what was committed before it.
	tx, err := s.db.Pool().BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return 0, fmt.Errorf("seal: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	mine, err := s.lockTree(ctx, tx, wait)
	if err != nil {
		return 0, err
	}
	stop, err := s.stopped(ctx, tx)
	if err != nil {
		return 0, err
	}
	// In this order: a checkpoint outside was committed before it left, so a
	// database that is read after it has it, even while another process goes on
	// sealing.
	seen, err := s.outside(stop)
	if err != nil {
		return 0, err
	}
	_, last, err := CheckpointIn(ctx, tx)
	if err != nil {
		return 0, err
	}
	if err := s.compare(ctx, tx, last, seen); err != nil || !mine {
		return 0, stop.or(err)
	}
	leaves, end, err := unsealedLeaves(ctx, tx, last)
	if err == nil && len(leaves) == 0 && stop == nil {
		return 0, s.beat(ctx, tx, last)
	}
	if err != nil || len(leaves) == 0 {
		return 0, stop.or(err)
	}
	edge, err := s.edgeOf(ctx, tx, last)
	if err != nil {
		return 0, err
	}
	s.edge = nil // until it is committed; else it is read again
	if err := s.write(ctx, tx, edge, leaves, end); err != nil {
		return 0, beyond(err, last)
	}
	if stop != nil {
		return 0, &mayResume{stop} // the contradiction is over: its end is recorded before anything is sealed
	}
	if err := tx.Commit(ctx); err != nil {
		return 0, fmt.Errorf("seal: %w", err)
	}
	s.edge = edge
	s.sealed.Add(int64(len(leaves)))
	return len(leaves), nil
}

// lockTree takes the lock for sealing and reports whether it did. A checkpoint
// leaves the database, so it must be on the database's disk before, whatever its
// settings are.
func (s *Service) lockTree(ctx context.Context, tx pgx.Tx, wait bool) (mine bool, err error) {
	how := database.LockSealing.Trying()
	if wait {
		how = database.LockSealing.WaitingCall() + ` IS NOT NULL`
	}
	sql := `SELECT ` + how + ` FROM set_config('synchronous_commit', CASE current_setting('synchronous_commit')
		WHEN 'off' THEN 'local' ELSE current_setting('synchronous_commit') END, true)`
	if err = tx.QueryRow(ctx, sql, database.LockSealing.Of...).Scan(&mine); err != nil {
		return false, fmt.Errorf("seal: take turn: %w", err)
	}
	return mine, nil
}

// sealable is an entry as it is sealed.
type sealable struct {
	id   int64
	at   time.Time
	hash tlog.Hash
}

// unsealedRow is an entry as it is read to be sealed. Its bytes are not copied: they
// are hashed and forgotten.
type unsealedRow struct {
	ID        int64
	At        time.Time
	TxID      uint64
	Canonical pgtype.DriverBytes
}

// unsealed has its limit in its text: with a parameter the planner would expect a
// tenth of the trail, and sort it.
var unsealed = fmt.Sprintf(`SELECT id, at, txid, canonical FROM audit_entries
	WHERE era = $1 AND (txid, id) > ($2::text::xid8, $3) AND txid < $4::text::xid8 ORDER BY txid, id LIMIT %d`, MaxSealed)

// unsealedLeaves reads what follows the last sealed entry, below the oldest
// transaction that is still running: what commits later comes after it. A batch is
// of one era.
func unsealedLeaves(ctx context.Context, tx pgx.Tx, last SealedEnd) (leaves []sealable, end SealedEnd, err error) {
	end = last
	until, err := audit.HorizonIn(ctx, tx)
	if err != nil {
		return nil, end, fmt.Errorf("seal: %w", err)
	}
	for era := last.Era; era <= until.Era && len(leaves) == 0; era++ {
		if era > last.Era {
			end = SealedEnd{Era: era}
		}
		rows, _ := tx.Query(ctx, unsealed, era, fmt.Sprint(end.Txid), end.Id, until.Of(era)) // the rows have its error
		leaves, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (sealable, error) {
			e, err := pgx.RowToStructByName[unsealedRow](row)
			end = SealedEnd{Era: era, Txid: e.TxID, Id: e.ID}
			leaf := trailfile.Leaf{ID: e.ID, Era: era, TxID: e.TxID, Canonical: e.Canonical}
			return sealable{e.ID, e.At, leaf.Hash()}, err
		})
		if err != nil {
			return nil, end, fmt.Errorf("seal: read entries: %w", err)
		}
	}
	return leaves, end, nil
}

// edgeOf returns the edge of the tree that ends at last. It is the one this process
// remembers, or it is read from the tables and compared with the signed checkpoint.
func (s *Service) edgeOf(ctx context.Context, tx pgx.Tx, last SealedEnd) (*trailfile.Edge, error) {
	if s.edge != nil && s.edge.Size == last.Size && s.edge.Root() == last.root {
		return s.edge, nil
	}
	edge, err := readEdge(SealedTree{ctx, tx}, last.Size)
	if err != nil {
		return nil, s.incomplete(err, last)
	}
	if last.Size > 0 && edge.Root() != last.root {
		err := errors.New("the tree is not what its last checkpoint says")
		return nil, &Trouble{Code: Different, Sealed: last.Size, Seen: last.Size, err: err}
	}
	return edge, nil
}

// beyond distinguishes an insert that fails because leaves or nodes beyond the last
// checkpoint exist already, which means that checkpoints were deleted, from other
// errors of the database.
func beyond(err error, last SealedEnd) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "23505" { // unique
		return &Trouble{Code: Different, Sealed: last.Size, Seen: last.Size, err: err}
	}
	return err
}

// write stores leaves, nodes and the checkpoint over them.
func (s *Service) write(ctx context.Context, tx pgx.Tx, edge *trailfile.Edge, leaves []sealable, end SealedEnd) error {
	first := edge.Size
	var nodes []SealedNode
	for _, l := range leaves {
		nodes = AddLeaf(edge, l.hash, nodes)
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"sealed_entries"}, []string{"n", "entry_id", "at", "hash"},
		pgx.CopyFromSlice(len(leaves), func(i int) ([]any, error) {
			return []any{first + int64(i), leaves[i].id, leaves[i].at, leaves[i].hash[:]}, nil
		}))
	if err != nil {
		return fmt.Errorf("seal: store leaves from %d: %w", first, err)
	}
	_, err = tx.CopyFrom(ctx, pgx.Identifier{"sealed_nodes"}, []string{"level", "n", "hash"},
		pgx.CopyFromSlice(len(nodes), func(i int) ([]any, error) {
			return []any{int16(nodes[i].Level), nodes[i].N, nodes[i].Hash[:]}, nil
		}))
	if err != nil {
		return fmt.Errorf("seal: store nodes: %w", err)
	}
	c := trailfile.Checkpoint{Origin: s.origin(), Size: edge.Size, Root: edge.Root(), Time: s.clock.Now().UTC().Truncate(time.Microsecond)}
	signed, err := c.Sign(s.signers...)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO checkpoints (size, root, sealed_at, era, txid, entry_id, note)
		VALUES ($1, $2, $3, $4, $5::text::xid8, $6, $7)`, c.Size, c.Root[:], c.Time, end.Era, fmt.Sprint(end.Txid), end.Id, signed)
	if err != nil {
		return fmt.Errorf("seal: store checkpoint: %w", err)
	}
	return nil
}
