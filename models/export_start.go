package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// How many exports may run at once. Each holds a connection to the database for
// as long as its reader takes, and a process has twenty.
const (
	exportsEach    = 2 // of one person
	exportsAtMost  = 6 // of one process
	exportQuietFor = 30 * time.Second
)

// ExportRequest is what somebody wants to take out of the trail.
type ExportRequest struct {
	Format ExportFormat
	Filter AuditFilter
	Query  string // the filter as its address has it
}

// StartExport notes that somebody takes entries out, before the first of them
// leaves. The trail has two entries of an export: this one, committed before the
// first byte, because entries that left cannot be called back, and another for
// its end, because nobody knows beforehand how it ends and the trail is never
// rewritten. Should the server die in between, the sweep writes the second.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the scope, what is wrong
// with the filter, ErrTooManyExports. Those that no other part tells the trail of
// are told here.
func (s *Cancellations) StartExport(ctx context.Context, actor Actor, r ExportRequest) (*Export, error) {
	if !actor.May(ReadAudit) {
		return nil, ErrForbidden
	}
	count, err := s.EstimateAudit(ctx, actor, r.Filter)
	if err != nil {
		return nil, s.RefusedExport(ctx, actor, r, err)
	}
	if r.Format == ExportJSONL {
		if err := s.mustBeSealed(ctx); err != nil {
			return nil, s.RefusedExport(ctx, actor, r, err)
		}
	}
	if s.exports.Load() >= exportsAtMost {
		return nil, s.RefusedExport(ctx, actor, r, ErrTooManyExports)
	}
	filters, err := json.Marshal(r.Filter.told())
	if err != nil {
		return nil, fmt.Errorf("start export: %w", err)
	}
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	x := &Export{
		Format: r.Format, State: ExportRunning, ActorID: actor.UserID, ActorName: actor.Name, Query: legible(r.Query, 4000), Filters: filters,
		Expected: count.Entries, StartedAt: now, SeenAt: now,
	}
	err = s.db.transaction(ctx, func(t tx) error {
		if err := t.mayExport(actor, now); err != nil {
			return err
		}
		if err := t.Create(x).Error; err != nil {
			return fmt.Errorf("keep export: %w", err)
		}
		return t.record(actor, now, ActionAuditExported, OutcomeSuccess, about{after: x.told()})
	})
	if err != nil {
		return nil, s.RefusedExport(ctx, actor, r, err)
	}
	return x, nil
}

// mayExport counts what the person lets run already. Two requests of theirs at
// once count one after the other.
func (t tx) mayExport(actor Actor, now time.Time) error {
	if err := t.lock(lockExports(actor.UserID)); err != nil {
		return fmt.Errorf("count exports: %w", err)
	}
	var running int
	err := t.Raw(`SELECT count(*) FROM audit_exports WHERE actor_id = ? AND state = `+exportRunningSQL+` AND seen_at > ?`,
		actor.UserID, now.Add(-exportQuietFor)).Scan(&running).Error
	if err != nil {
		return fmt.Errorf("count exports: %w", err)
	}
	if running >= exportsEach {
		return ErrTooManyExports
	}
	return nil
}

// RefusedExport tells the trail of a refusal and passes it on. What lies outside
// the scope is told where every such look is, see DB.RecordRefusal.
func (s *Cancellations) RefusedExport(ctx context.Context, actor Actor, r ExportRequest, err error) error {
	var known *Error
	if !errors.As(err, &known) || known.Kind == KindNotFound {
		return err
	}
	told := r.Filter.told()
	told["format"] = r.Format
	writing := s.db.transaction(ctx, func(t tx) error {
		return t.record(actor, s.clock.Now(), ActionAuditExported, OutcomeFailure, about{reason: known.Code, after: told})
	})
	if writing != nil {
		return fmt.Errorf("record refusal: %w", writing)
	}
	return Recorded(err)
}

// told is how the trail names the export.
func (x *Export) told() map[string]any {
	told := map[string]any{"export": x.ID, "format": x.Format, "exportState": x.State}
	if len(x.Filters) > 2 {
		told["filters"] = json.RawMessage(x.Filters)
	}
	return told
}
