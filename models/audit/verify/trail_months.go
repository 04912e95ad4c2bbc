package verify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Month is what the database has of one month of the trail, or that it is archived.
type Month struct {
	Month    string // 2026-11, UTC; "" for what is of no month that was made
	Entries  int64
	Exact    bool // counted; else what the database expects
	Bytes    int64
	Archived *ArchivedMonth // nil while its entries are here
	At       time.Time      // when it was archived
	By       string
	Sealed   bool // the record of its archiving is sealed; until then nothing proves it
}

// countedOfMonth is how far the entries of a month are counted one by one.
const countedOfMonth = 20_000

// TrailMonths lists the months of the trail that have entries, and the archived
// ones, the latest first. Months are never deleted automatically.
func (s *Service) TrailMonths(ctx context.Context) ([]Month, error) {
	partitions, err := database.Rows[struct {
		Name           string
		Entries, Bytes int64
	}](ctx, s.db, `SELECT c.relname AS name, greatest(c.reltuples, 0)::bigint AS entries,
			coalesce(pg_total_relation_size(c.oid), 0) AS bytes
		FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'audit_entries'::regclass`)
	if err != nil {
		return nil, fmt.Errorf("list months of the trail: %w", err)
	}
	months := make([]Month, len(partitions))
	for i, p := range partitions {
		months[i] = Month{Entries: p.Entries, Bytes: p.Bytes}
		if first, err := time.Parse("audit_entries_2006_01", p.Name); err == nil {
			months[i].Month = first.Format("2006-01")
		}
	}
	for i := range months {
		if err := s.countMonth(ctx, &months[i]); err != nil {
			return nil, err
		}
	}
	months = slices.DeleteFunc(months, func(m Month) bool { return m.Entries == 0 })
	archived, err := ArchivedMonths(ctx, s.db)
	if err != nil {
		return nil, err
	}
	months = append(months, archived...)
	slices.SortStableFunc(months, func(a, b Month) int { return strings.Compare(b.Month, a.Month) })
	return months, nil
}

// countMonth counts a small month; for a large one it uses the database's estimate.
// The number of entries outside any month is left as it is; none are expected.
func (s *Service) countMonth(ctx context.Context, m *Month) error {
	if m.Month == "" {
		m.Exact = m.Entries == 0
		return nil
	}
	first, _ := time.Parse("2006-01", m.Month)
	var n int64
	err := s.db.QueryRow(ctx, `SELECT count(*) FROM (SELECT FROM audit_entries WHERE at >= $1 AND at < $2 LIMIT $3) x`,
		first, first.AddDate(0, 1, 0), countedOfMonth+1).Scan(&n)
	if err != nil {
		return fmt.Errorf("count month %s: %w", m.Month, err)
	}
	if m.Exact = n <= countedOfMonth; m.Exact {
		m.Entries = n
	}
	m.Entries = max(m.Entries, n)
	return nil
}

// ArchivedMonths reads which months are archived, as recorded in the trail.
func ArchivedMonths(ctx context.Context, db *database.DB) ([]Month, error) {
	rows, _ := db.Query(ctx, `SELECT at, actor_name, on_behalf_of, after,
			EXISTS (SELECT FROM sealed_entries s WHERE s.entry_id = e.id) AS sealed
		FROM audit_entries e WHERE action = $1 AND outcome = 'success' ORDER BY at, id`, models.ActionAuditArchived)
	var months []Month
	err := database.Each(rows, func(e *struct {
		At                    time.Time
		ActorName, OnBehalfOf string
		After                 []byte
		Sealed                bool
	},
	) error {
		archived := &ArchivedMonth{}
		if err := json.Unmarshal(e.After, archived); err != nil {
			return fmt.Errorf("read archived month: %w", err)
		}
		m := Month{
			Month: archived.Month, Entries: archived.Entries, Exact: true, Archived: archived,
			At: e.At, By: cmp.Or(e.OnBehalfOf, e.ActorName), Sealed: e.Sealed,
		}
		if archived.Since != nil {
			m.At = *archived.Since
		}
		months = append(months, m)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list archived months: %w", err)
	}
	return months, nil
}

// ArchivedEntry is a sealed entry that is not here.
type ArchivedEntry struct {
	ID int64
	N  int64     // its leaf, from 0
	At time.Time // of which its hash was sealed
	// Month is the archived month of the entry; nil when no entry records that it
	// was archived: then somebody deleted the entry.
	Month *Month
}

// ArchivedEntry returns what is known of an entry for which ErrEntryArchived was
// returned.
//
// Errors: ErrNotFound.
func (s *Service) ArchivedEntry(ctx context.Context, id int64) (*ArchivedEntry, error) {
	sealed, err := database.Row[struct {
		N  int64
		At time.Time
	}](ctx, s.db, `SELECT n, at FROM sealed_entries WHERE entry_id = $1`, id)
	if err != nil {
		return nil, database.NoRows(err)
	}
	e := &ArchivedEntry{ID: id, N: sealed.N, At: sealed.At}
	away, err := ArchivedMonths(ctx, s.db)
	if err != nil {
		return nil, err
	}
	for i := range away {
		if m := &away[i]; m.Month == e.At.UTC().Format("2006-01") && e.N >= m.Archived.From && e.N < m.Archived.To {
			e.Month = m
		}
	}
	return e, nil
}
