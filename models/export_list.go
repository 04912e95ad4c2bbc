package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
)

// ExportPage is a page of exports, the latest first.
type ExportPage struct {
	Exports []Export
	Next    string
}

// Running reports whether one of them is under way.
func (p *ExportPage) Running() bool {
	for i := range p.Exports {
		if p.Exports[i].State == ExportRunning {
			return true
		}
	}
	return false
}

// exportsFor narrows exports to those of the actor; administrators see all, with
// a filter's names of stores and people, which are theirs to keep.
func exportsFor(actor Actor) func(*gorm.DB) *gorm.DB {
	return func(q *gorm.DB) *gorm.DB {
		if actor.May(ManageUsers) && actor.AllStores {
			return q
		}
		return q.Where("actor_id = ?", actor.UserID)
	}
}

// Exports lists what was exported, the latest first. What has not been heard of
// is ended first, so that nothing dead is shown as alive.
//
// Errors: ErrForbidden, cursor.invalid.
func (s *Cancellations) Exports(ctx context.Context, actor Actor, cursor string) (*ExportPage, error) {
	if !actor.May(ReadAudit) {
		return nil, ErrForbidden
	}
	if err := s.sweepExports(ctx); err != nil {
		return nil, err
	}
	q := s.db.gorm.WithContext(ctx).Scopes(exportsFor(actor))
	if cursor != "" {
		at, id, err := parseCursor(cursor)
		if err != nil {
			return nil, err
		}
		q = q.Where("(started_at, id) < (?, ?)", at, id)
	}
	page := &ExportPage{}
	if err := q.Order("started_at DESC, id DESC").Limit(PageSize + 1).Find(&page.Exports).Error; err != nil {
		return nil, fmt.Errorf("list exports: %w", err)
	}
	if len(page.Exports) > PageSize {
		page.Exports = page.Exports[:PageSize]
		last := page.Exports[PageSize-1]
		page.Next = cursorOf(last.StartedAt, last.ID)
	}
	return page, nil
}

// AuditCount is how many entries a filter matches.
type AuditCount struct {
	Entries int64
	Exact   bool // counted; else what the planner expects
}

const (
	// countedAtMost is how far entries are counted one by one.
	countedAtMost = 20_000
	// countTime is how long that may take, in milliseconds: people wait for it.
	countTime = 700
)

// EstimateAudit tells about how many entries a filter matches, at little cost:
// few are counted, of many the planner's expectation is told.
//
// Errors: those of the filter.
func (s *Cancellations) EstimateAudit(ctx context.Context, actor Actor, f AuditFilter) (AuditCount, error) {
	if !actor.May(ReadAudit) {
		return AuditCount{}, ErrForbidden
	}
	f.Cursor = ""
	where, args, err := auditWhere(actor, f, s.Window().Calendar.Zone())
	if err != nil {
		return AuditCount{}, err
	}
	var n int64
	err = s.db.inSnapshot(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d", countTime)); err != nil {
			return err
		}
		return tx.QueryRow(ctx, fmt.Sprintf(`SELECT count(*) FROM (SELECT FROM audit_entries WHERE %s LIMIT %d) x`, where, countedAtMost+1), args...).Scan(&n)
	})
	var late *pgconn.PgError
	switch {
	case err == nil && n <= countedAtMost:
		return AuditCount{n, true}, nil
	case err == nil, errors.As(err, &late) && late.Code == "57014":
		return s.expectAudit(ctx, where, args, n)
	}
	return AuditCount{}, fmt.Errorf("count entries: %w", err)
}

// expectAudit asks the planner, which goes by its samples of the trail.
func (s *Cancellations) expectAudit(ctx context.Context, where string, args []any, least int64) (AuditCount, error) {
	var text []byte
	if err := s.db.pool.QueryRow(ctx, `EXPLAIN (FORMAT JSON) SELECT FROM audit_entries WHERE `+where, args...).Scan(&text); err != nil {
		return AuditCount{}, fmt.Errorf("estimate entries: %w", err)
	}
	var plans []struct {
		Plan struct {
			Rows float64 `json:"Plan Rows"`
		}
	}
	if err := json.Unmarshal(text, &plans); err != nil || len(plans) == 0 {
		return AuditCount{}, fmt.Errorf("estimate entries: %w", errors.Join(err, errors.New("no plan")))
	}
	return AuditCount{Entries: max(least, int64(plans[0].Plan.Rows))}, nil
}
