package reconciliation

import (
	"context"
	"database/sql"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"time"

	"gorm.io/gorm"

	"veinte/models"
)

// reconciliationRow is a reconciliation as its table stores it.
type reconciliationRow struct {
	Reconciliation
	StoreText string
}

// reconciliationColumns read a reconciliation and the id of the one that supersedes
// it: a later report of the same day and profile, compared for at least the same
// stores.
const reconciliationColumns = `SELECT r.id, r.profile_id, r.profile_version, r.profile_name, r.business_day, r.complete_until,
	r.file_name, r.file_hash, r.file_bytes, r.rows, r.other_day_rows, r.sales_looked_at, r.uploaded_at, r.uploaded_by, r.uploader,
	r.applied_at, r.applied_by, r.discarded_at, r.discarded_by, r.discarded_note, r.findings, coalesce(r.stores::text, '') AS store_text,
	coalesce((SELECT max(n.id) FROM reconciliations n WHERE ` + laterSQL + `), 0) AS superseded_by
	FROM reconciliations r`

// laterSQL says that report n supersedes report r. One that is discarded supersedes none.
const laterSQL = `n.discarded_at IS NULL AND n.profile_id = r.profile_id AND n.business_day = r.business_day AND n.id > r.id
	AND (n.stores IS NULL OR r.stores IS NOT NULL AND r.stores <@ n.stores)`

// StandsSQL says that nobody discarded report r, and no later one supersedes it.
const StandsSQL = `r.discarded_at IS NULL AND NOT EXISTS (SELECT FROM reconciliations n WHERE ` + laterSQL + `)`

// UnresolvedSQL says that item i waits for a person: it is open, and not what has become of
// the sale meanwhile.
const UnresolvedSQL = OpenSQL + ` AND NOT EXISTS (SELECT FROM sales s WHERE s.id = i.sale_id AND s.state = i.settles
	AND s.state IN (` + models.ConfirmedSQL + `, ` + models.NotCanceledSQL + `))`

// WaitingSQL are the items i of reports r that stand, which wait for a person.
const WaitingSQL = `report_items i JOIN reconciliations r ON r.id = i.reconciliation_id WHERE ` + UnresolvedSQL + ` AND ` + StandsSQL

// inScope limits reconciliations to those made for one of the actor's stores.
func inScope(actor models.Actor) (string, []any) {
	if actor.AllStores {
		return "true", nil
	}
	return "(r.stores IS NULL OR r.stores && ?::bigint[])", []any{StoreArray(actor.StoreIDs)}
}

// Page is a page of reconciliations, the latest day first.
type Page struct {
	Reconciliations []Reconciliation
	Next            string
}

// Reconciliations lists the reconciliations, with the counts of the actor's stores.
// A day narrows the list; "" does not.
//
// Errors: ErrForbidden, cursor.invalid.
func (s *Service) Reconciliations(ctx context.Context, actor models.Actor, day models.Day, cursor string) (*Page, error) {
	if !actor.May(models.ReconcileSales) {
		return nil, models.ErrForbidden
	}
	where, args := inScope(actor)
	if day != "" {
		where, args = where+" AND r.business_day = ?", append(args, string(day))
	}
	if cursor != "" {
		d, id, err := parseDayCursor(cursor)
		if err != nil {
			return nil, err
		}
		where, args = where+" AND (r.business_day, r.id) < (?, ?)", append(args, string(d), id)
	}
	var rows []reconciliationRow
	err := s.db.Gorm().WithContext(ctx).Raw(reconciliationColumns+" WHERE "+where+
		" ORDER BY r.business_day DESC, r.id DESC LIMIT "+strconv.Itoa(models.PageSize+1), args...).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list reconciliations: %w", err)
	}
	page := &Page{}
	if len(rows) > models.PageSize {
		rows = rows[:models.PageSize]
		last := &rows[models.PageSize-1]
		page.Next = dayCursor(last.BusinessDay, last.ID)
	}
	for i := range rows {
		page.Reconciliations = append(page.Reconciliations, *rows[i].whole())
	}
	return page, s.countItems(ctx, actor, page.Reconciliations)
}

func (r *reconciliationRow) whole() *Reconciliation {
	if r.StoreText != "" {
		r.Stores = []int64{}
		for _, n := range intsOf(r.StoreText) {
			r.Stores = append(r.Stores, int64(n))
		}
	}
	return &r.Reconciliation
}

// Reconciliation reads one.
//
// Errors: ErrForbidden; ErrNotFound, also when it was made for other stores only.
func (s *Service) Reconciliation(ctx context.Context, actor models.Actor, id int64) (*Reconciliation, error) {
	if !actor.May(models.ReconcileSales) {
		return nil, models.ErrForbidden
	}
	where, args := inScope(actor)
	var row reconciliationRow
	found := s.db.Gorm().WithContext(ctx).Raw(reconciliationColumns+" WHERE r.id = ? AND "+where, append([]any{id}, args...)...).Scan(&row)
	if found.Error != nil {
		return nil, fmt.Errorf("read reconciliation %d: %w", id, found.Error)
	}
	if found.RowsAffected == 0 {
		return nil, models.ErrNotFound
	}
	one := []Reconciliation{*row.whole()}
	err := s.countItems(ctx, actor, one)
	return &one[0], err
}

// countItems fills in the counts of the actor's stores.
func (s *Service) countItems(ctx context.Context, actor models.Actor, recs []Reconciliation) error {
	ids := make([]int64, len(recs))
	for i := range recs {
		ids[i], recs[i].Counts = recs[i].ID, map[ItemKind]int{}
	}
	of := func(id int64) *Reconciliation { return &recs[slices.Index(ids, id)] }
	var counts []struct {
		ReconciliationID int64
		Kind             ItemKind
		Items            int
	}
	scoped := func(q *gorm.DB) *gorm.DB {
		if q = q.Where("reconciliation_id IN ?", ids); !actor.AllStores {
			q = q.Where("store_id IN ?", actor.StoreIDs)
		}
		return q
	}
	g := s.db.Gorm().WithContext(ctx)
	err := scoped(g.Table("report_counts")).Select("reconciliation_id, kind, sum(items) AS items").
		Group("reconciliation_id, kind").Scan(&counts).Error
	if err != nil {
		return fmt.Errorf("count items: %w", err)
	}
	for _, c := range counts {
		of(c.ReconciliationID).Counts[c.Kind] = c.Items
	}
	var open []struct {
		ReconciliationID int64
		Open             int
	}
	err = scoped(g.Table("report_items")).Where(OpenSQL).Select("reconciliation_id, count(*) AS open").
		Group("reconciliation_id").Scan(&open).Error
	if err != nil {
		return fmt.Errorf("count open items: %w", err)
	}
	for _, o := range open {
		if rec := of(o.ReconciliationID); rec.DiscardedAt == nil {
			rec.Open = o.Open
		}
	}
	return nil
}

// itemsAgreedSQL are the kinds of items, in SQL, that need no action.
const itemsAgreedSQL = "('" + string(ItemSame) + "', '" + string(ItemIgnored) + "')"

// OpenSQL says in SQL that an item waits for a person. It is the predicate of a partial index.
const OpenSQL = "settled_at IS NULL AND reviewed_at IS NULL AND kind NOT IN " + itemsAgreedSQL

func dayCursor(day models.Day, id int64) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s.%d", day, id))
}

func parseDayCursor(cursor string) (models.Day, int64, error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) < 12 || raw[10] != '.' {
		return "", 0, models.Invalid("cursor", "cursor.invalid")
	}
	day, errDay := models.ParseDay(string(raw[:10]))
	id, errID := strconv.ParseInt(string(raw[11:]), 10, 64)
	if errDay != nil || errID != nil {
		return "", 0, models.Invalid("cursor", "cursor.invalid")
	}
	return day, id, nil
}

// LastReported is the latest day that was reconciled for the actor; "" when there is
// none.
func (s *Service) LastReported(ctx context.Context, actor models.Actor) (models.Day, error) {
	if !actor.May(models.ReconcileSales) {
		return "", models.ErrForbidden
	}
	where, args := inScope(actor)
	var day sql.Null[time.Time]
	const last = "SELECT max(r.business_day) FROM reconciliations r WHERE r.discarded_at IS NULL AND "
	err := s.db.Gorm().WithContext(ctx).Raw(last+where, args...).Scan(&day).Error
	if err != nil || !day.Valid {
		return "", err
	}
	return models.Day(day.V.Format(time.DateOnly)), nil
}
