package models

import (
	"context"
	"errors"
	"fmt"

	"veinte/models/trail"
)

// ErrEntryArchived says that an entry's month was put away: its hash still proves
// the others, but what it said is in the file of its month.
var ErrEntryArchived = &Error{Kind: KindConflict, Code: "audit.entryArchived"}

// ProofFor proves an entry within the actor's scope, in the form of a file that
// verifies offline. What was committed a moment ago is sealed first. Taking a
// proof is itself an entry. hidden says that there is such an entry, outside the
// scope.
//
// Errors: ErrForbidden, ErrNotFound, ErrNotSealed, ErrEntryArchived,
// ErrNothingSealed.
func (s *Cancellations) ProofFor(ctx context.Context, actor Actor, id int64) (proof *trail.Proof, hidden bool, err error) {
	if !actor.May(ReadAudit) {
		return nil, false, ErrForbidden
	}
	if hidden, err = s.db.entryWithin(ctx, actor, id); err != nil {
		return nil, hidden, err
	}
	p, err := s.proveSealed(ctx, id)
	if err != nil {
		return nil, false, err
	}
	if p.Leaf == nil {
		return nil, false, ErrEntryArchived
	}
	err = s.db.transaction(ctx, func(t tx) error {
		return t.record(actor, s.clock.Now(), ActionAuditProved, OutcomeSuccess, about{after: map[string]any{"entry": id, "leaf": p.N, "checkpointSize": p.Checkpoint.Size}})
	})
	if err != nil {
		return nil, false, fmt.Errorf("record proof: %w", err)
	}
	return &trail.Proof{N: p.N, Leaf: *p.Leaf, Proof: p.Proof, Checkpoint: p.Checkpoint.Note}, false, nil
}

// ToldCheckpoint tells the trail that somebody took a checkpoint to keep it.
func (s *Cancellations) ToldCheckpoint(ctx context.Context, actor Actor, c *Checkpoint) error {
	return s.db.transaction(ctx, func(t tx) error {
		return t.record(actor, s.clock.Now(), ActionAuditProved, OutcomeSuccess, about{after: map[string]any{"checkpointSize": c.Size}})
	})
}

// proveSealed proves an entry, and has it sealed first if need be.
func (s *Cancellations) proveSealed(ctx context.Context, id int64) (*EntryProof, error) {
	p, err := s.db.ProveEntry(ctx, id)
	if !errors.Is(err, ErrNotSealed) {
		return p, err
	}
	s.sealFirst(ctx)
	if p, err = s.db.ProveEntry(ctx, id); !errors.Is(err, ErrNotSealed) {
		return p, err
	}
	c, why := s.db.LatestCheckpoint(ctx)
	if why == nil && c == nil {
		return nil, ErrNothingSealed
	}
	return nil, err
}

// entryWithin refuses an entry that is not within the actor's scope: of one of
// their stores, or their own. Of an entry whose month was put away nobody can tell
// whose it was; only who sees everything learns that there was one.
func (db *DB) entryWithin(ctx context.Context, actor Actor, id int64) (hidden bool, err error) {
	var within, there, sealed bool
	err = db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM audit_entries WHERE id = $1 AND ($2 OR store_id = ANY($3) OR `+fmt.Sprintf(ownEntry, "$4", "$5")+`)),
		EXISTS (SELECT FROM audit_entries WHERE id = $1), EXISTS (SELECT FROM sealed_entries WHERE entry_id = $1)`, id, actor.AllStores, actor.StoreIDs, actor.UserID, actor.program()).Scan(&within, &there, &sealed)
	switch {
	case err != nil:
		return false, fmt.Errorf("find entry %d: %w", id, err)
	case within:
		return false, nil
	case sealed && actor.AllStores:
		return false, ErrEntryArchived
	}
	return there, ErrNotFound
}
