package models

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/trail"
)

// Checkpoint is a signed statement of what the first Size entries of the trail
// were, as the database keeps it.
type Checkpoint struct {
	Size     int64
	Root     tlog.Hash
	SealedAt time.Time
	Note     string // as signed
}

// ErrNotSealed says that an entry is in no checkpoint yet. It will be, within
// seconds, while the trail is being sealed.
var ErrNotSealed = &Error{Kind: KindConflict, Code: "audit.notSealed"}

// LatestCheckpoint returns the last checkpoint; nil when nothing was ever sealed.
func (db *DB) LatestCheckpoint(ctx context.Context) (*Checkpoint, error) {
	var c Checkpoint
	var root []byte
	err := db.pool.QueryRow(ctx, `SELECT size, root, sealed_at, note FROM checkpoints ORDER BY size DESC LIMIT 1`).
		Scan(&c.Size, &root, &c.SealedAt, &c.Note)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find last checkpoint: %w", err)
	}
	c.Root = tlog.Hash(root)
	return &c, nil
}

// SealedNumber returns which leaf of the tree an entry is; ok is false while it
// is not sealed.
func (db *DB) SealedNumber(ctx context.Context, entryID int64) (n int64, ok bool, err error) {
	err = db.pool.QueryRow(ctx, `SELECT n FROM sealed_entries WHERE entry_id = $1`, entryID).Scan(&n)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("find sealed entry %d: %w", entryID, err)
	}
	return n, true, nil
}

// EntryProof proves that an entry is in the tree of a checkpoint.
type EntryProof struct {
	N          int64
	Leaf       *trail.Leaf // nil when the entry's month was put away
	Hash       tlog.Hash   // of the leaf, as it was sealed
	Proof      tlog.RecordProof
	Checkpoint *Checkpoint
}

// ProveEntry proves an entry against the last checkpoint. It proves what was
// sealed: whether the entry still says so is for whoever verifies to see.
//
// Errors: ErrNotFound, ErrNotSealed.
func (db *DB) ProveEntry(ctx context.Context, entryID int64) (*EntryProof, error) {
	p := &EntryProof{}
	var at time.Time
	var hash []byte
	err := db.pool.QueryRow(ctx, `SELECT n, at, hash FROM sealed_entries WHERE entry_id = $1`, entryID).Scan(&p.N, &at, &hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, db.unsealed(ctx, entryID)
	}
	if err != nil {
		return nil, fmt.Errorf("find sealed entry %d: %w", entryID, err)
	}
	p.Hash = tlog.Hash(hash)
	leaf := trail.Leaf{ID: entryID}
	err = db.pool.QueryRow(ctx, `SELECT era, txid, canonical FROM audit_entries WHERE id = $1 AND at = $2`, entryID, at).
		Scan(&leaf.Era, &leaf.TxID, &leaf.Canonical)
	switch {
	case err == nil:
		p.Leaf = &leaf
	case !errors.Is(err, pgx.ErrNoRows):
		return nil, fmt.Errorf("read entry %d: %w", entryID, err)
	}
	if p.Checkpoint, err = db.LatestCheckpoint(ctx); err != nil {
		return nil, err
	}
	if p.Checkpoint == nil || p.N >= p.Checkpoint.Size {
		return nil, fmt.Errorf("prove entry %d: leaf %d is in no checkpoint", entryID, p.N)
	}
	if p.Proof, err = tlog.ProveRecord(p.Checkpoint.Size, p.N, sealedTree{ctx, db.pool}); err != nil {
		return nil, fmt.Errorf("prove entry %d: %w", entryID, err)
	}
	return p, nil
}

// unsealed says why an entry that is not sealed cannot be proved.
func (db *DB) unsealed(ctx context.Context, entryID int64) error {
	var there bool
	if err := db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM audit_entries WHERE id = $1)`, entryID).Scan(&there); err != nil {
		return fmt.Errorf("find entry %d: %w", entryID, err)
	}
	if there {
		return ErrNotSealed
	}
	return ErrNotFound
}

// ProveConsistency proves that the tree of the first from entries is the
// beginning of the tree of the first to: nothing before was changed.
func (db *DB) ProveConsistency(ctx context.Context, from, to int64) (tlog.TreeProof, error) {
	proof, err := tlog.ProveTree(to, from, sealedTree{ctx, db.pool})
	if err != nil {
		return nil, fmt.Errorf("prove %d entries to begin %d: %w", from, to, err)
	}
	return proof, nil
}

// SealedHashes reads the tree as tlog asks for it, for proofs other than these.
func (db *DB) SealedHashes(ctx context.Context) tlog.HashReader { return sealedTree{ctx, db.pool} }
