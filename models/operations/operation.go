package operations

import (
	"context"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// ServerStarted records that a process serves and writes the trail. The first start
// states what the database is for; see CheckInstallation.
func (s *Service) ServerStarted(ctx context.Context, actor models.Actor, version string, kind Installation) error {
	now := s.clock.Now()
	after := map[string]any{"version": version}
	if kind != RealInstallation {
		after["installation"] = string(kind)
	}
	return s.db.InTx(ctx, func(t database.Tx) error {
		if err := install(ctx, t, now, kind); err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionServerStarted, models.OutcomeSuccess, audit.About{After: after})
	})
}

// ServerStopped records that a process no longer serves. A killed process cannot
// record it: then the trail has the next start without a stop before it.
func (s *Service) ServerStopped(ctx context.Context, actor models.Actor, version string) error {
	return s.operated(ctx, actor, models.ActionServerStopped, map[string]any{"version": version})
}

// SchemaMigrated records which steps brought the schema up to date.
func (s *Service) SchemaMigrated(ctx context.Context, actor models.Actor, steps []string) error {
	return s.operated(ctx, actor, models.ActionSchemaMigrated, map[string]any{"steps": steps})
}

func (s *Service) operated(ctx context.Context, actor models.Actor, action models.Action, after map[string]any) error {
	return s.db.InTx(ctx, func(t database.Tx) error {
		return audit.Record(t, actor, s.clock.Now(), action, models.OutcomeSuccess, audit.About{After: after})
	})
}
