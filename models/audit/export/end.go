package export

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm/clause"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// beatExport updates the export's row until ctx ends, and ends the export when
// somebody asked for it to stop. While the database does not respond, the export
// goes on: its rows come on another connection.
func (s *Service) beatExport(ctx context.Context, x *Export, run *runState) {
	ticks := time.NewTicker(exportBeat)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		var stopBy string
		err := s.db.Pool().QueryRow(ctx, `UPDATE audit_exports SET entries = $2, bytes = $3, seen_at = $4
			WHERE id = $1 AND state = `+exportRunningSQL+` RETURNING stop_by`,
			x.ID, run.entries.Load(), x.file.sent.Load(), s.clock.Now()).Scan(&stopBy)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			run.end(errExportLost)
		case err == nil && stopBy != "":
			run.end(errExportStopped)
		}
	}
}

// endExport records how an export ended, unless it was considered abandoned before.
func (s *Service) endExport(ctx context.Context, actor models.Actor, x *Export, state State, run *runState) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	now := s.clock.Now()
	x.State, x.Entries, x.Bytes, x.EndedAt = state, run.entries.Load(), x.file.sent.Load(), &now
	err := s.db.InTx(ctx, func(t database.Tx) error {
		var ended []Export
		err := t.Model(&ended).Clauses(clause.Returning{}).Where("id = ? AND state = "+exportRunningSQL, x.ID).
			Updates(map[string]any{"state": state, "entries": x.Entries, "bytes": x.Bytes, "seen_at": now, "ended_at": now}).Error
		if err != nil || len(ended) == 0 {
			return err
		}
		x.StopBy = ended[0].StopBy
		return recordEnd(t, actor, now, x)
	})
	if err != nil {
		return fmt.Errorf("end export %d: %w", x.ID, err)
	}
	return nil
}

func recordEnd(t database.Tx, actor models.Actor, now time.Time, x *Export) error {
	after := x.attributes()
	after[x.Subject.counted()], after["bytes"] = x.Entries, x.Bytes
	if x.Unsealed > 0 {
		after["unsealed"] = x.Unsealed
	}
	if x.State == Done && x.file != nil {
		after["sha256"] = x.file.sha256()
	}
	if x.State == Done && x.sealed != nil {
		if !actor.AllStores {
			after["storeIds"] = actor.StoreIDs
		}
		after["sealedEntries"], after["root"] = x.sealed.Size, x.sealed.Root.String()
	}
	if x.StopBy != "" {
		after["stoppedBy"] = x.StopBy
	}
	return audit.Record(t, actor, now, x.Subject.action(), x.State.outcome(), audit.About{
		Before: map[string]any{"exportState": Running}, After: after,
	})
}

// SweepExports ends exports whose process has stopped reporting: it was killed, or
// lost its database. The number of entries sent is at least the last one it
// reported.
func (s *Service) SweepExports(ctx context.Context) error {
	now := s.clock.Now()
	err := s.db.InTx(ctx, func(t database.Tx) error {
		var lost []Export
		err := t.Model(&lost).Clauses(clause.Returning{}).Where("state = "+exportRunningSQL+" AND seen_at < ?", now.Add(-lostAfter)).
			Updates(map[string]any{"state": Abandoned, "ended_at": now}).Error
		if err != nil {
			return err
		}
		for i := range lost {
			if err := recordEnd(t, models.System("exports", lost[i].ActorName), now, &lost[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("end lost exports: %w", err)
	}
	return nil
}

// StopExport asks an export to stop; it does within moments. People stop their own,
// administrators any export.
//
// Errors: ErrForbidden, ErrNotFound, ErrExportEnded.
func (s *Service) StopExport(ctx context.Context, actor models.Actor, id int64) error {
	if !mayTake(actor) {
		return models.ErrForbidden
	}
	return s.db.InTx(ctx, func(t database.Tx) error {
		var x Export
		err := database.TakeRow(t.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Scopes(exportsFor(actor)).Where("id = ?", id), &x)
		switch {
		case err != nil:
			return err
		case x.State != Running:
			return ErrExportEnded
		case x.StopBy != "":
			return nil // asked before: it is stopping
		}
		if err := t.Model(&Export{}).Where("id = ?", id).Update("stop_by", actor.Name).Error; err != nil {
			return fmt.Errorf("stop export %d: %w", id, err)
		}
		return audit.Record(t, actor, s.clock.Now(), models.ActionExportStopped, models.OutcomeSuccess, audit.About{After: map[string]any{
			"export": id, "format": x.Format, "requestedBy": x.ActorName,
		}})
	})
}
