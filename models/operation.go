package models

import (
	"context"
	"time"
)

// ServerStarted records that a process serves, and with it writes the trail. The
// first start says what the database is for; see CheckInstallation.
func (db *DB) ServerStarted(ctx context.Context, actor Actor, now time.Time, version string, kind Installation) error {
	after := map[string]any{"version": version}
	if kind != RealInstallation {
		after["installation"] = string(kind)
	}
	return db.transaction(ctx, func(t tx) error {
		if err := t.install(ctx, now, kind); err != nil {
			return err
		}
		return t.record(actor, now, ActionServerStarted, OutcomeSuccess, about{after: after})
	})
}

// ServerStopped records that a process serves no more. One that is killed cannot
// say so: its next start, without a stop before it, tells.
func (db *DB) ServerStopped(ctx context.Context, actor Actor, now time.Time, version string) error {
	return db.operated(ctx, actor, now, ActionServerStopped, map[string]any{"version": version})
}

// SchemaMigrated records which steps brought the schema up to date.
func (db *DB) SchemaMigrated(ctx context.Context, actor Actor, now time.Time, steps []string) error {
	return db.operated(ctx, actor, now, ActionSchemaMigrated, map[string]any{"steps": steps})
}

func (db *DB) operated(ctx context.Context, actor Actor, now time.Time, action Action, after map[string]any) error {
	return db.transaction(ctx, func(t tx) error {
		return t.record(actor, now, action, OutcomeSuccess, about{after: after})
	})
}
