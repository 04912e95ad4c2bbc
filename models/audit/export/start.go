package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// How many exports may run at once. Each uses one of the connections for what takes long,
// for as long as its client takes. Those of one process wait for their turn before.
const (
	maxPerPerson = 2 // of one person
	maxExports   = 6 // of one process
	lostAfter    = 30 * time.Second
)

// Request is what a user asks to export of the trail.
type Request struct {
	Format Format
	Filter audit.Filter
	Query  string // the filter as its address has it
}

// StartExport records that somebody exports entries, before the first of them is
// sent. The trail has two entries for an export. This one is committed before the
// first byte, because entries that were sent cannot be called back. Another is
// written at the end, because the result is not known before and the trail is never
// rewritten. If the server dies in between, the sweep writes the second.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the scope, what is wrong
// with the filter, ErrTooManyExports. Refusals that nothing else records are
// recorded here.
func (s *Service) StartExport(ctx context.Context, actor models.Actor, r Request) (*Export, error) {
	if !actor.May(models.ReadAudit) {
		return nil, models.ErrForbidden
	}
	count, err := s.EstimateAudit(ctx, actor, r.Filter)
	if err != nil {
		return nil, s.RefusedExport(ctx, actor, r, err)
	}
	if r.Format == JSONL {
		if err := s.mustBeSealed(ctx); err != nil {
			return nil, s.RefusedExport(ctx, actor, r, err)
		}
	}
	return s.Start(ctx, actor, r.order(count.Entries))
}

// Order is what a file is made of, whatever its subject.
type Order struct {
	Subject  Subject
	Format   Format
	Query    string         // the filter as its address has it
	Filters  map[string]any // the same as the trail records it
	Expected int64          // rows, as estimated
}

func (r *Request) order(expected int64) Order {
	return Order{Subject: Trail, Format: r.Format, Query: r.Query, Filters: r.Filter.Attributes(), Expected: expected}
}

// Start is StartExport for any subject, whose filter and permission were judged
// before.
//
// Errors: ErrTooManyExports, recorded.
func (s *Service) Start(ctx context.Context, actor models.Actor, o Order) (*Export, error) {
	if s.exports.Load() >= maxExports {
		return nil, s.Refused(ctx, actor, o, ErrTooManyExports)
	}
	filters, err := json.Marshal(o.Filters)
	if err != nil {
		return nil, fmt.Errorf("start export: %w", err)
	}
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	x := &Export{
		Subject: o.Subject, Format: o.Format, State: Running, ActorID: actor.UserID, ActorName: actor.Name,
		Query: models.Legible(o.Query, 4000), Filters: filters, Expected: o.Expected, StartedAt: now, SeenAt: now,
	}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		if err := mayExport(t, actor, now); err != nil {
			return err
		}
		if err := t.Create(x).Error; err != nil {
			return fmt.Errorf("store export: %w", err)
		}
		return audit.Record(t, actor, now, x.Subject.action(), models.OutcomeSuccess, audit.About{After: x.attributes()})
	})
	if err != nil {
		return nil, s.Refused(ctx, actor, o, err)
	}
	return x, nil
}

// mayExport counts what the person lets run already. Two requests of theirs at
// once count one after the other.
func mayExport(t database.Tx, actor models.Actor, now time.Time) error {
	if err := t.Lock(database.ExportsLock(actor.UserID)); err != nil {
		return fmt.Errorf("count exports: %w", err)
	}
	var running int
	err := t.Raw(`SELECT count(*) FROM audit_exports WHERE actor_id = ? AND state = `+exportRunningSQL+` AND seen_at > ?`,
		actor.UserID, now.Add(-lostAfter)).Scan(&running).Error
	if err != nil {
		return fmt.Errorf("count exports: %w", err)
	}
	if running >= maxPerPerson {
		return ErrTooManyExports
	}
	return nil
}

// RefusedExport records a refusal in the trail and returns it. A store outside the
// scope is recorded by RecordRefusal, as everywhere.
func (s *Service) RefusedExport(ctx context.Context, actor models.Actor, r Request, err error) error {
	return s.Refused(ctx, actor, r.order(0), err)
}

// Refused is RefusedExport for any subject.
func (s *Service) Refused(ctx context.Context, actor models.Actor, o Order, err error) error {
	var known *models.Error
	if !errors.As(err, &known) || known.Kind == models.KindNotFound {
		return err
	}
	after := maps.Clone(o.Filters)
	if after == nil {
		after = map[string]any{}
	}
	after["format"] = o.Format
	writing := s.audit.RecordCounted(ctx, actor, o.Subject.action(), models.OutcomeFailure,
		audit.About{Reason: known.Code, After: after}, known.Code)
	if writing != nil {
		return fmt.Errorf("record refusal: %w", writing)
	}
	return models.Recorded(err)
}

func (x *Export) attributes() map[string]any {
	attributes := map[string]any{"export": x.ID, "format": x.Format, "exportState": x.State}
	if len(x.Filters) > 2 {
		attributes["filters"] = json.RawMessage(x.Filters)
	}
	return attributes
}

// FileExport names a file, other than one of the trail itself, that a user downloads
// from the back office.
type FileExport struct {
	File string // differences or wrongRows
	Of   int64  // the reconciliation or the import
	Name string // what people call that
}

// NoteFile records in the trail that a file is downloaded, before its first byte is
// sent. The permission was checked where its content was read.
func (s *Service) NoteFile(ctx context.Context, actor models.Actor, f FileExport) error {
	return s.noteFile(ctx, actor, f, map[string]any{})
}

// NoteFileSent records that all of a file was handed over, with its SHA-256 in hex: whoever
// has the file later can compare it.
func (s *Service) NoteFileSent(ctx context.Context, actor models.Actor, f FileExport, sha256 string, bytes int64) error {
	return s.noteFile(ctx, actor, f, map[string]any{"exportState": Done, "sha256": sha256, "bytes": bytes})
}

func (s *Service) noteFile(ctx context.Context, actor models.Actor, f FileExport, after map[string]any) error {
	of := map[string]string{"differences": "reconciliation", "wrongRows": "import"}[f.File]
	after["file"], after[of], after["fileName"] = f.File, f.Of, models.Legible(f.Name, 200)
	err := audit.RecordAlone(ctx, s.db, actor, s.clock.Now(), models.ActionFileExported, models.OutcomeSuccess, audit.About{After: after})
	if err != nil {
		return fmt.Errorf("record %s of %s %d: %w", f.File, of, f.Of, err)
	}
	return nil
}
