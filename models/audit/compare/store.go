package compare

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Comparison is a stored comparison.
type Comparison struct {
	ID             int64
	At             time.Time // of what was compared
	EndedAt        time.Time
	State          State
	Compared       int64
	NotBound       int64
	Archived       int64
	Differences    int64
	NewDifferences int64  // that the one before did not find
	Result         []byte `gorm:"type:jsonb"` // a Result, without its differences
}

// Read reads the result; its tables, above all.
func (c *Comparison) Read() (r Result) {
	_ = json.Unmarshal(c.Result, &r) // written by us
	return r
}

// namedInEntry is how many differences the entry of a comparison names.
const namedInEntry = 5

// Run compares, stores what was found and records it in the trail: whoever hides a
// difference afterwards would have to change what is sealed.
func (s *Service) Run(ctx context.Context, actor models.Actor) (*Comparison, *Result, error) {
	r, err := s.Compare(ctx)
	if err != nil {
		return nil, nil, err
	}
	c, err := s.store(ctx, actor, r)
	return c, r, err
}

func (s *Service) store(ctx context.Context, actor models.Actor, r *Result) (*Comparison, error) {
	result, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode comparison: %w", err)
	}
	known, err := s.lastDifferences(ctx)
	if err != nil {
		return nil, err
	}
	fresh := r.More // what is not named is not known to be the same
	for i := range r.Differences {
		if !slices.ContainsFunc(known, func(d Difference) bool { return d.Is(&r.Differences[i]) }) {
			fresh++
		}
	}
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	c := &Comparison{
		At: r.At, EndedAt: now, State: r.State, Compared: r.Compared(), NotBound: r.NotBound(), Archived: r.Archived(),
		Differences: r.Differs(), NewDifferences: fresh, Result: result,
	}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		if err := t.Create(c).Error; err != nil {
			return err
		}
		list := slices.Clone(r.Differences)
		for i := range list {
			list[i].ComparisonID, list[i].N = c.ID, i
		}
		if len(list) > 0 {
			if err := t.CreateInBatches(&list, maxDifferences).Error; err != nil {
				return err
			}
		}
		said, err := bind(ctx, t, r.At)
		if err != nil {
			return err
		}
		about := audit.About{After: map[string]any{
			"comparison": c.ID, "comparisonState": c.State,
			"compared": c.Compared, "notBound": c.NotBound, "archived": c.Archived,
			"rowsDiffer": c.Differences, "newDifferences": c.NewDifferences, "entries": r.Entries,
		}}
		if len(said) > 0 {
			about.After.(map[string]any)["bound"] = said
		}
		if len(r.Differences) > 0 {
			about.After.(map[string]any)["first"] = r.Differences[:min(len(r.Differences), namedInEntry)]
		}
		return audit.Record(t, actor, now, models.ActionAuditCompared, c.State.Outcome(), about)
	})
	if err != nil {
		return nil, fmt.Errorf("store comparison: %w", err)
	}
	return c, nil
}

// differencesSQL are the columns of a Difference.
const differencesSQL = `SELECT comparison_id, n, kind, of_table AS table, of_row AS row, field, recorded, found,
		entry_id, sale_id, store_id
	FROM comparison_differences `

// ofLastSQL is the condition for those of the last comparison.
const ofLastSQL = `comparison_id = (SELECT id FROM comparisons ORDER BY at DESC, id DESC LIMIT 1)`

func (s *Service) lastDifferences(ctx context.Context) ([]Difference, error) {
	list, err := database.Rows[Difference](ctx, s.db, differencesSQL+`WHERE `+ofLastSQL+` ORDER BY n`)
	if err != nil {
		return nil, fmt.Errorf("list differences: %w", err)
	}
	return list, nil
}

// Last returns the last comparison; nil when there was none. Whoever says that something
// is as it was recorded asks it when, and with what result, that was looked at.
func (s *Service) Last(ctx context.Context) (*Comparison, error) {
	list, err := database.Rows[Comparison](ctx, s.db, `SELECT id, at, ended_at, state, compared, not_bound, archived, differences,
		new_differences, result FROM comparisons ORDER BY at DESC, id DESC LIMIT 1`)
	if err != nil {
		return nil, fmt.Errorf("read the last comparison: %w", err)
	}
	if len(list) == 0 {
		return nil, nil
	}
	return &list[0], nil
}

// Differences lists what the last comparison found, the first ones of the stores that the
// actor sees. What belongs to no store is for those who see all.
//
// Errors: ErrForbidden.
func (s *Service) Differences(ctx context.Context, actor models.Actor) ([]Difference, error) {
	if !actor.May(models.ReadAudit) {
		return nil, models.ErrForbidden
	}
	list, err := s.lastDifferences(ctx)
	return slices.DeleteFunc(list, func(d Difference) bool { return !actor.AllStores && !slices.Contains(actor.StoreIDs, d.StoreID) }), err
}

// OfSale lists in what a sale, or a cancellation of it, was not as the trail recorded it
// when that was last compared.
func (s *Service) OfSale(ctx context.Context, saleID int64) ([]Difference, error) {
	list, err := database.Rows[Difference](ctx, s.db, differencesSQL+`WHERE `+ofLastSQL+` AND sale_id = $1 ORDER BY n`, saleID)
	if err != nil {
		return nil, fmt.Errorf("list differences of sale %d: %w", saleID, err)
	}
	return list, nil
}

// nightHour is when a night's comparison is due, by the calendar's clock.
const nightHour = 3

// RunAsked compares because somebody had the trail verified: that the trail is as it was
// sealed says nothing of the tables that pages read.
func (s *Service) RunAsked(ctx context.Context) error {
	_, _, err := s.Run(ctx, models.System("comparison", ""))
	return err
}

// RunNightly compares once a night. It may be called at any time: only the first call after
// three in the morning does it.
func (s *Service) RunNightly(ctx context.Context) error {
	due, err := s.due(ctx)
	if err != nil || !due {
		return err
	}
	_, _, err = s.Run(ctx, models.System("comparison", ""))
	return err
}

// due reports whether the last night has had no comparison, and there is anything of
// before it.
func (s *Service) due(ctx context.Context) (due bool, err error) {
	night := s.window().Calendar.Day(s.clock.Now()).Noon(s.window().Calendar.Zone()).Add((nightHour - 12) * time.Hour)
	if s.clock.Now().Before(night) {
		night = night.AddDate(0, 0, -1)
	}
	err = s.db.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM comparisons WHERE at >= $1)
		AND EXISTS (SELECT FROM audit_entries WHERE at < $1)`, night).Scan(&due)
	if err != nil {
		return false, fmt.Errorf("see whether to compare: %w", err)
	}
	return due, nil
}
