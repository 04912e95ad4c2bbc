package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/database"
)

// Page is a page of exports, the latest first.
type Page struct {
	Exports []Export
	Next    string
}

// Running reports whether one of them is under way.
func (p *Page) Running() bool {
	for i := range p.Exports {
		if p.Exports[i].State == Running {
			return true
		}
	}
	return false
}

// exportsFor narrows exports to those of the actor. Administrators see all,
// including the names of stores and people in the filters, which they manage anyway.
func exportsFor(actor models.Actor) func(*gorm.DB) *gorm.DB {
	return func(q *gorm.DB) *gorm.DB {
		if actor.May(models.ManageUsers) && actor.AllStores {
			return q
		}
		return q.Where("actor_id = ?", actor.UserID)
	}
}

// mayTake reports whether somebody may take files at all: of the trail, or of sales.
func mayTake(actor models.Actor) bool {
	return actor.May(models.ReadAudit) || actor.May(models.ViewSales)
}

// Exports lists the exports, the latest first. Those whose process stopped reporting
// are ended first, so that a dead export is not shown as running.
//
// Errors: ErrForbidden, cursor.invalid.
func (s *Service) Exports(ctx context.Context, actor models.Actor, cursor string) (*Page, error) {
	if !mayTake(actor) {
		return nil, models.ErrForbidden
	}
	if err := s.SweepExports(ctx); err != nil {
		return nil, err
	}
	q := s.db.Gorm().WithContext(ctx).Scopes(exportsFor(actor))
	if cursor != "" {
		at, id, err := database.ParseCursor(cursor)
		if err != nil {
			return nil, err
		}
		q = q.Where("(started_at, id) < (?, ?)", at, id)
	}
	page := &Page{}
	if err := q.Order("started_at DESC, id DESC").Limit(models.PageSize + 1).Find(&page.Exports).Error; err != nil {
		return nil, fmt.Errorf("list exports: %w", err)
	}
	if len(page.Exports) > models.PageSize {
		page.Exports = page.Exports[:models.PageSize]
		last := page.Exports[models.PageSize-1]
		page.Next = database.CursorOf(last.StartedAt, last.ID)
	}
	return page, nil
}

// Count is how many entries a filter matches.
type Count struct {
	Entries int64
	Exact   bool // counted; else what the planner expects
}

const (
	// maxCounted is how far entries are counted one by one.
	maxCounted = 20_000
	// countTime is how long that may take, in milliseconds: people wait for it.
	countTime = 700
)

// EstimateAudit returns about how many entries a filter matches, at little cost: a
// small number is counted, a large one is the planner's estimate.
//
// Errors: those of the filter.
func (s *Service) EstimateAudit(ctx context.Context, actor models.Actor, f audit.Filter) (Count, error) {
	if !actor.May(models.ReadAudit) {
		return Count{}, models.ErrForbidden
	}
	f.Cursor = ""
	where, args, err := audit.Where(actor, f, s.window().Calendar.Zone())
	if err != nil {
		return Count{}, err
	}
	return s.Estimate(ctx, "audit_entries", where, args)
}

// Estimate returns about how many rows of a table match a condition.
func (s *Service) Estimate(ctx context.Context, table, where string, args []any) (Count, error) {
	var n int64
	err := sealing.InSnapshot(ctx, s.db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d", countTime)); err != nil {
			return err
		}
		sql := fmt.Sprintf(`SELECT count(*) FROM (SELECT FROM %s WHERE %s LIMIT %d) x`, table, where, maxCounted+1)
		return tx.QueryRow(ctx, sql, args...).Scan(&n)
	})
	var late *pgconn.PgError
	switch {
	case err == nil && n <= maxCounted:
		return Count{n, true}, nil
	case err == nil, errors.As(err, &late) && late.Code == "57014":
		return s.expect(ctx, table, where, args, n)
	}
	return Count{}, fmt.Errorf("count rows of %s: %w", table, err)
}

// expect asks the planner, which goes by its statistics of the table.
func (s *Service) expect(ctx context.Context, table, where string, args []any, least int64) (Count, error) {
	var text []byte
	if err := s.db.Pool().QueryRow(ctx, `EXPLAIN (FORMAT JSON) SELECT FROM `+table+` WHERE `+where, args...).Scan(&text); err != nil {
		return Count{}, fmt.Errorf("estimate rows of %s: %w", table, err)
	}
	var plans []struct {
		Plan struct {
			Rows float64 `json:"Plan Rows"`
		}
	}
	if err := json.Unmarshal(text, &plans); err != nil || len(plans) == 0 {
		return Count{}, fmt.Errorf("estimate rows of %s: %w", table, errors.Join(err, errors.New("no plan")))
	}
	return Count{Entries: max(least, int64(plans[0].Plan.Rows))}, nil
}

// exportSums are those of the sales of an export.
var exportSums = database.Columns[Sums]{
	{Name: models.CountSQL(""), At: func(s *Sums) any { return &s.Sales }},
	{Name: models.AmountSQL(""), At: func(s *Sums) any { return &s.Amount }},
	{Name: models.CountSQL(models.CanceledSales), At: func(s *Sums) any { return &s.Canceled }},
	{Name: models.AmountSQL(models.CanceledSales), At: func(s *Sums) any { return &s.CanceledAmount }},
}
