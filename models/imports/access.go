package imports

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm/clause"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// errAccess ends a pass: whoever it is carried out for may not do it any more.
var errAccess = errors.New("the access of its person has ended")

// stillMay reports whether whoever the pass is carried out for may still do it. It asks on
// a connection of its own, since the pass is one long transaction and nobody who ends an
// access should have to wait for it.
func (s *Service) stillMay(ctx context.Context, p *pass) error {
	return s.db.InTx(ctx, func(t database.Tx) error {
		actor, err := s.actor(t, p.actor)
		if err == nil {
			_, err = kindFor(p.imp.Kind, actor)
		}
		var refused *models.Error
		if errors.As(err, &refused) {
			return errAccess
		}
		return err
	})
}

// endWithAccess drops an import of somebody whose access has ended, as somebody who
// discards it would. Nothing of it was written.
func (s *Service) endWithAccess(ctx context.Context, id int64) error {
	return s.db.InTx(ctx, func(t database.Tx) error {
		if mine, err := claimImport(ctx, t, id); err != nil || !mine {
			return err
		}
		var imp Import
		if err := database.TakeRow(t.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("id = ?", id), &imp); err != nil {
			return err
		}
		if !imp.State.Working() {
			return nil
		}
		before := stateAttributes(imp.State)
		p := &pass{Tx: t, imp: &imp, actor: models.System("imports", imp.UploadedBy), now: s.now()}
		if err := p.forgetRows(ctx); err != nil {
			return err
		}
		if _, err := t.SQL.ExecContext(ctx, `DELETE FROM import_remarks WHERE import_id = $1`, id); err != nil {
			return fmt.Errorf("forget remarks of import %d: %w", id, err)
		}
		if err := p.move(Discarded); err != nil {
			return err
		}
		about := audit.About{Before: before, After: imp.attributes(), Reason: models.ErrAccessEnded.Code}
		return audit.Record(t, p.actor, p.now, models.ActionImportDiscarded, models.OutcomeSuccess, about)
	})
}
