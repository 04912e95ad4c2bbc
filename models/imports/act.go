package imports

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm/clause"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// The refusals of imports.
var (
	ErrInvalid = &models.Error{Kind: models.KindConflict, Code: "import.wrongRows"} // rows are wrong, and a partial import was not requested
	ErrNothing = &models.Error{Kind: models.KindConflict, Code: "import.nothingNew"}
	ErrInUse   = &models.Error{Kind: models.KindConflict, Code: "import.inUse"}
	// ErrUnderway: as many files of one person are worked on as may be at a time.
	ErrUnderway = &models.Error{Kind: models.KindTooMany, Code: "import.underway"}
	ErrState    = &models.Error{Kind: models.KindConflict, Code: "import.elsewhere"} // somebody else has changed its state meanwhile
)

// ConfirmImport imports a checked file. partial leaves out the wrong rows; without
// it, one wrong row refuses all. The version is the one that the person saw: they
// did not confirm the results of a later pass.
//
// Errors: ErrInvalid, ErrNothing, ErrState, ErrForbidden,
// ErrNotFound.
func (s *Service) ConfirmImport(ctx context.Context, actor models.Actor, id int64, version int, partial bool) error {
	return s.inImport(ctx, actor, id, version, Checked, func(p *pass, _ *importer) error {
		switch {
		case p.imp.Wrong() > 0 && !partial:
			return ErrInvalid
		case p.imp.Nothing():
			return ErrNothing
		}
		by, err := models.EncodeActor(actor)
		if err != nil {
			return err
		}
		p.imp.Partial, p.imp.HeldBack, p.imp.Actor, p.imp.ConfirmedBy, p.imp.DoneCount = partial, false, by, actor.Name, 0
		if err := p.move(Importing); err != nil {
			return err
		}
		if err := database.Enqueue(ctx, s.queue, p.Tx, models.Task{Kind: models.TaskImport, SubjectID: id}); err != nil {
			return err
		}
		about := audit.About{Before: stateAttributes(Checked), After: p.imp.attributesWithCounts()}
		return audit.Record(p.Tx, actor, p.now, models.ActionImportConfirmed, models.OutcomeSuccess, about)
	})
}

// DiscardImport drops a checked file.
func (s *Service) DiscardImport(ctx context.Context, actor models.Actor, id int64, version int) error {
	return s.inImport(ctx, actor, id, version, Checked, func(p *pass, _ *importer) error {
		return p.discard(ctx)
	})
}

func (t *pass) discard(ctx context.Context) error {
	if err := t.forgetRows(ctx); err != nil {
		return err
	}
	if err := t.move(Discarded); err != nil {
		return err
	}
	about := audit.About{Before: stateAttributes(Checked), After: t.imp.attributes()}
	return audit.Record(t.Tx, t.actor, t.now, models.ActionImportDiscarded, models.OutcomeSuccess, about)
}

// UndoImport removes what the import wrote, while nothing depends on it.
//
// Errors: ErrInUse and what else the kind refuses; ErrState.
func (s *Service) UndoImport(ctx context.Context, actor models.Actor, id int64, version int) (removed int64, err error) {
	err = s.inImport(ctx, actor, id, version, Imported, func(p *pass, k *importer) error {
		if _, err := p.SQL.ExecContext(ctx, LongStatement); err != nil {
			return fmt.Errorf("begin undo: %w", err)
		}
		var err error
		if removed, err = k.undo(ctx, p); err != nil {
			return err
		}
		if err := p.move(Undone); err != nil {
			return err
		}
		after := p.imp.attributes()
		after["removed"] = removed
		about := audit.About{Before: stateAttributes(Imported), After: after}
		return audit.Record(p.Tx, actor, p.now, models.ActionImportUndone, models.OutcomeSuccess, about)
	})
	var known *models.Error
	if errors.As(err, &known) && known.Kind == models.KindConflict && !known.Is(ErrState) {
		if writing := s.recordRefusedUndo(ctx, actor, id, known); writing != nil {
			return 0, writing
		}
		return 0, models.Recorded(err)
	}
	return removed, err
}

// recordRefusedUndo counts a refused undo in the trail, because its own transaction was
// rolled back.
func (s *Service) recordRefusedUndo(ctx context.Context, actor models.Actor, id int64, why *models.Error) error {
	about := audit.About{After: map[string]any{"importId": id}, Reason: why.Code}
	return s.audit.RecordCounted(ctx, actor, models.ActionImportUndone, models.OutcomeFailure, about, fmt.Sprint(why.Code, " ", id))
}

// inImport runs f with the import locked, if it is still at the version that the
// person saw.
func (s *Service) inImport(
	ctx context.Context, actor models.Actor, id int64, version int, state State, f func(*pass, *importer) error,
) error {
	return s.db.InTx(ctx, func(t database.Tx) error {
		var imp Import
		if err := database.TakeRow(t.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("id = ?", id), &imp); err != nil {
			return err
		}
		k, err := kindFor(imp.Kind, actor)
		if err != nil {
			return err
		}
		if imp.State != state || imp.Version != version {
			return ErrState
		}
		return f(&pass{Tx: t, imp: &imp, actor: actor, now: s.now()}, k)
	})
}

const (
	// importLost is how long an import may show no progress before the sweep
	// enqueues it again. One that only takes long is protected by its lock.
	importLost = 15 * time.Second
	// fileRetention is how long a file waits for its confirmation, and how long its
	// problems can be viewed.
	fileRetention = 24 * time.Hour
)

// SweepImports enqueues imports whose process died, and deletes the rows of files
// after their retention.
func (s *Service) SweepImports(ctx context.Context) error {
	now := s.now()
	number := 1 + int(now.UnixNano()/int64(importLost)%2) // see RedispatchIdle
	return s.db.InTx(ctx, func(t database.Tx) error {
		var lost, old []Import
		err := t.Where("state IN ? AND beat_at < ?", []State{Checking, Importing}, now.Add(-importLost)).Order("id").Find(&lost).Error
		if err != nil {
			return fmt.Errorf("list lost imports: %w", err)
		}
		for i := range lost {
			task := models.Task{Kind: models.TaskImport, SubjectID: lost[i].ID, Attempt: number, Once: true}
			if err := database.Enqueue(ctx, s.queue, t, task); err != nil {
				return err
			}
		}
		err = t.Clauses(clause.Locking{Strength: "NO KEY UPDATE", Options: "SKIP LOCKED"}).
			Where("state = ? AND beat_at < ?", Checked, now.Add(-fileRetention)).Order("id").Find(&old).Error
		if err != nil {
			return fmt.Errorf("list forgotten imports: %w", err)
		}
		for i := range old {
			p := &pass{Tx: t, imp: &old[i], actor: models.System("imports", old[i].UploadedBy), now: now}
			if err := p.discard(ctx); err != nil {
				return err
			}
		}
		_, err = t.SQL.ExecContext(ctx, `DELETE FROM import_remarks r USING imports i
			WHERE i.id = r.import_id AND i.state NOT IN `+importsWorkingSQL+` AND i.changed_at < $1`, now.Add(-fileRetention))
		if err != nil {
			return fmt.Errorf("forget remarks: %w", err)
		}
		return nil
	})
}
