package verify

import (
	"context"
	"errors"
	"fmt"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/attest"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
)

// ErrEntryArchived is the error for an entry whose month is archived: its hash still
// proves the others, but its content is in the file of its month.
var ErrEntryArchived = &models.Error{Kind: models.KindConflict, Code: "audit.entryArchived"}

// ProofFor proves an entry within the actor's scope, in the form of a file that can
// be verified offline. Recent entries are sealed first. Taking a proof is itself
// recorded. hidden is true when the entry exists, outside the scope. Of checkpoints that
// somebody has kept, of as many entries as kept says, the file proves that the trail
// continues them.
//
// Errors: ErrForbidden, ErrNotFound, ErrNotSealed, ErrEntryArchived, ErrNothingSealed; a
// size that no checkpoint can have is invalid.
func (s *Service) ProofFor(
	ctx context.Context, actor models.Actor, id int64, kept ...int64,
) (proof *trailfile.Proof, hidden bool, err error) {
	if !actor.May(models.ReadAudit) {
		return nil, false, models.ErrForbidden
	}
	if hidden, err = s.entryWithin(ctx, actor, id); err != nil {
		return nil, hidden, err
	}
	p, err := s.proveSealed(ctx, id)
	if err != nil {
		return nil, false, err
	}
	if p.Leaf == nil {
		return nil, false, ErrEntryArchived
	}
	proof = &trailfile.Proof{N: p.N, Leaf: *p.Leaf, Proof: p.Proof}
	if proof.Consistency, err = s.continues(ctx, p.Checkpoint.Size, kept); err != nil {
		return nil, false, err
	}
	if err := attest.Complete(ctx, s.db, s.sealing, proof, p.Checkpoint); err != nil {
		return nil, false, err
	}
	after := map[string]any{"entry": id, "leaf": p.N, "checkpointSize": p.Checkpoint.Size}
	err = audit.RecordAlone(ctx, s.db, actor, s.clock.Now(), models.ActionAuditProved, models.OutcomeSuccess, audit.About{After: after})
	if err != nil {
		return nil, false, fmt.Errorf("record proof: %w", err)
	}
	return proof, false, nil
}

// continues proves that the trail of size entries continues those that somebody has kept.
func (s *Service) continues(ctx context.Context, size int64, kept []int64) (proofs []trailfile.Consistency, err error) {
	for _, from := range kept {
		switch {
		case from < 1:
			return nil, models.Invalid("from", "api.consistency.number")
		case from > size:
			return nil, models.Invalid("from", "api.consistency.beyond")
		case from == size:
			continue // the roots are compared
		}
		c := trailfile.Consistency{From: from, To: size}
		if c.Proof, err = s.sealing.ProveConsistency(ctx, from, size); err != nil {
			return nil, err
		}
		proofs = append(proofs, c)
	}
	return proofs, nil
}

// RecordCheckpointTaken records in the trail that a user downloaded a checkpoint.
func (s *Service) RecordCheckpointTaken(ctx context.Context, actor models.Actor, c *sealing.Checkpoint) error {
	return audit.RecordAlone(ctx, s.db, actor, s.clock.Now(), models.ActionAuditProved, models.OutcomeSuccess,
		audit.About{After: map[string]any{"checkpointSize": c.Size}})
}

// proveSealed proves an entry, and has it sealed first if need be.
func (s *Service) proveSealed(ctx context.Context, id int64) (*sealing.Proof, error) {
	p, err := s.sealing.Prove(ctx, id)
	if !errors.Is(err, sealing.ErrNotSealed) {
		return p, err
	}
	s.sealing.SealFirst(ctx)
	if p, err = s.sealing.Prove(ctx, id); !errors.Is(err, sealing.ErrNotSealed) {
		return p, err
	}
	c, why := s.sealing.LatestCheckpoint(ctx)
	if why == nil && c == nil {
		return nil, sealing.ErrNothingSealed
	}
	return nil, err
}

// withinSQL is the actor's scope, with four arguments after the first.
var withinSQL = `($2 OR store_id = ANY($3) OR ` + fmt.Sprintf(audit.OwnEntrySQL, "$4", "$5") + `)`

// entryWithin refuses an entry outside the actor's scope, which has the entries of
// their stores and their own. For an entry of an archived month the store is
// unknown, so only users who see everything learn that it existed.
func (s *Service) entryWithin(ctx context.Context, actor models.Actor, id int64) (hidden bool, err error) {
	row, err := database.Row[struct{ Within, There, Sealed bool }](ctx, s.db,
		`SELECT EXISTS (SELECT FROM audit_entries WHERE id = $1 AND `+withinSQL+`) AS within,
			EXISTS (SELECT FROM audit_entries WHERE id = $1) AS there, EXISTS (SELECT FROM sealed_entries WHERE entry_id = $1) AS sealed`,
		id, actor.AllStores, actor.StoreIDs, actor.UserID, actor.Program())
	switch {
	case err != nil:
		return false, fmt.Errorf("find entry %d: %w", id, err)
	case row.Within:
		return false, nil
	case row.Sealed && actor.AllStores:
		return false, ErrEntryArchived
	}
	return row.There, models.ErrNotFound
}
