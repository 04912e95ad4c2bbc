package models

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm/clause"
)

// Refusals about imports.
var (
	ErrImportWrong   = &Error{Kind: KindConflict, Code: "import.wrongRows"} // rows are wrong, and nobody asked for the others only
	ErrImportNothing = &Error{Kind: KindConflict, Code: "import.nothingNew"}
	ErrImportInUse   = &Error{Kind: KindConflict, Code: "import.inUse"}
	ErrImportState   = &Error{Kind: KindConflict, Code: "import.elsewhere"} // somebody did something with it meanwhile
)

// ConfirmImport imports what was looked at. partial leaves out the wrong rows;
// without it, a wrong one refuses all. The version is that which the person saw:
// what another pass found meanwhile is not what they confirmed.
//
// Errors: ErrImportWrong, ErrImportNothing, ErrImportState, ErrForbidden,
// ErrNotFound.
func (s *Cancellations) ConfirmImport(ctx context.Context, actor Actor, id int64, version int, partial bool) error {
	return s.inImport(ctx, actor, id, version, ImportChecked, func(p *importPass, _ *importKind) error {
		switch {
		case p.imp.Wrong() > 0 && !partial:
			return ErrImportWrong
		case p.imp.NewCount == 0:
			return ErrImportNothing
		}
		by, err := encodeActor(actor)
		if err != nil {
			return err
		}
		p.imp.Partial, p.imp.HeldBack, p.imp.Actor, p.imp.ConfirmedBy, p.imp.DoneCount = partial, false, by, actor.Name, 0
		if err := p.move(ImportImporting); err != nil {
			return err
		}
		if err := s.enqueue(ctx, p.tx, Task{Kind: TaskImport, CaseID: id}); err != nil {
			return err
		}
		return p.record(actor, p.now, ActionImportConfirmed, OutcomeSuccess, about{before: toldIn(ImportChecked), after: p.imp.toldWithCounts()})
	})
}

// DiscardImport drops a file that was looked at.
func (s *Cancellations) DiscardImport(ctx context.Context, actor Actor, id int64, version int) error {
	return s.inImport(ctx, actor, id, version, ImportChecked, func(p *importPass, _ *importKind) error {
		return p.discard(ctx)
	})
}

func (t *importPass) discard(ctx context.Context) error {
	if err := t.forgetRows(ctx); err != nil {
		return err
	}
	if err := t.move(ImportDiscarded); err != nil {
		return err
	}
	return t.record(t.actor, t.now, ActionImportDiscarded, OutcomeSuccess, about{before: toldIn(ImportChecked), after: t.imp.told()})
}

// UndoImport takes back what the import wrote, while nothing depends on it.
//
// Errors: ErrImportInUse and what else the kind refuses; ErrImportState.
func (s *Cancellations) UndoImport(ctx context.Context, actor Actor, id int64, version int) (removed int64, err error) {
	err = s.inImport(ctx, actor, id, version, ImportImported, func(p *importPass, k *importKind) error {
		if _, err := p.sql.ExecContext(ctx, longStatement); err != nil {
			return fmt.Errorf("begin undo: %w", err)
		}
		var err error
		if removed, err = k.undo(ctx, p); err != nil {
			return err
		}
		if err := p.move(ImportUndone); err != nil {
			return err
		}
		after := p.imp.told()
		after["removed"] = removed
		return p.record(actor, p.now, ActionImportUndone, OutcomeSuccess, about{before: toldIn(ImportImported), after: after})
	})
	var known *Error
	if errors.As(err, &known) && known.Kind == KindConflict && !known.Is(ErrImportState) {
		if writing := s.recordRefusedUndo(ctx, actor, id, known); writing != nil {
			return 0, writing
		}
		return 0, Recorded(err)
	}
	return removed, err
}

// recordRefusedUndo puts into the trail that an undo was refused, as its own
// transaction was undone.
func (s *Cancellations) recordRefusedUndo(ctx context.Context, actor Actor, id int64, why *Error) error {
	return s.db.transaction(ctx, func(t tx) error {
		return t.record(actor, s.clock.Now(), ActionImportUndone, OutcomeFailure, about{after: map[string]any{"importId": id}, reason: why.Code})
	})
}

// inImport runs f with the import locked, when it is as the person saw it.
func (s *Cancellations) inImport(ctx context.Context, actor Actor, id int64, version int, state ImportState, f func(*importPass, *importKind) error) error {
	return s.db.transaction(ctx, func(t tx) error {
		var imp Import
		if err := take(t.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("id = ?", id), &imp); err != nil {
			return err
		}
		k, err := kindFor(imp.Kind, actor)
		if err != nil {
			return err
		}
		if imp.State != state || imp.Version != version {
			return ErrImportState
		}
		return f(&importPass{tx: t, imp: &imp, actor: actor, now: s.clock.Now().UTC().Truncate(time.Microsecond)}, k)
	})
}

const (
	// importLost is how long an import may be without a sign of life before the
	// sweep enqueues it again. One that only takes long is guarded by its lock.
	importLost = 15 * time.Second
	// importKept is how long a file waits to be confirmed, and how long what was
	// wrong in it can be looked at.
	importKept = 24 * time.Hour
)

// sweepImports takes up imports whose process died, and takes away what files
// held once their day is over.
func (s *Cancellations) sweepImports(ctx context.Context) error {
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	number := 1 + int(now.UnixNano()/int64(importLost)%2) // see redispatchIdle
	return s.db.transaction(ctx, func(t tx) error {
		var lost, old []Import
		err := t.Where("state IN ? AND beat_at < ?", []ImportState{ImportChecking, ImportImporting}, now.Add(-importLost)).Order("id").Find(&lost).Error
		if err != nil {
			return fmt.Errorf("list lost imports: %w", err)
		}
		for i := range lost {
			if err := s.enqueue(ctx, t, Task{Kind: TaskImport, CaseID: lost[i].ID, Attempt: number, Once: true}); err != nil {
				return err
			}
		}
		err = t.Clauses(clause.Locking{Strength: "NO KEY UPDATE", Options: "SKIP LOCKED"}).
			Where("state = ? AND beat_at < ?", ImportChecked, now.Add(-importKept)).Order("id").Find(&old).Error
		if err != nil {
			return fmt.Errorf("list forgotten imports: %w", err)
		}
		for i := range old {
			p := &importPass{tx: t, imp: &old[i], actor: System("imports", old[i].GivenBy), now: now}
			if err := p.discard(ctx); err != nil {
				return err
			}
		}
		_, err = t.sql.ExecContext(ctx, `DELETE FROM import_remarks r USING imports i
			WHERE i.id = r.import_id AND i.state NOT IN `+importsWorkingSQL+` AND i.changed_at < $1`, now.Add(-importKept))
		if err != nil {
			return fmt.Errorf("forget remarks: %w", err)
		}
		return nil
	})
}
