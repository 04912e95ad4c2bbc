package models

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// AuditPage is a page of the trail, newest first.
type AuditPage struct {
	Entries []AuditEntry
	Next    string // cursor of the older ones; "" at the end
	Newer   string // cursor of the newer ones; "" where there can be none
	// LookedTo is where the search stopped, before the page was full, because it
	// had taken long enough: what lies beyond was not looked at, and Next (Newer
	// where Forward) goes on from there. Zero when everything was looked at.
	LookedTo time.Time
	Forward  bool
}

// Audit returns a page of the trail, newest first, as far as the actor's scope
// goes: entries of their stores, and their own. Reading is itself an entry; to
// turn the pages of one list for a minute is one reading.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the scope,
// auditFilter.toBeforeFrom, auditFilter.maxBelowMin, cursor.invalid.
func (s *Cancellations) Audit(ctx context.Context, actor Actor, f AuditFilter) (*AuditPage, error) {
	q, err := s.auditSearch(actor, f)
	if err != nil {
		return nil, err
	}
	start := q.edge
	if err := q.run(ctx); err != nil {
		return nil, err
	}
	page, keys := q.page(start, f.Cursor != "")
	if page.Entries, err = s.db.auditEntries(ctx, keys); err != nil {
		return nil, err
	}
	if now := s.clock.Now(); s.readings.begins(actor, f.Encode(), now) || f.Cursor == "" {
		err = s.db.transaction(ctx, func(t tx) error {
			return t.record(actor, now, ActionAuditRead, OutcomeSuccess, about{after: f.told()})
		})
		if err != nil {
			return nil, fmt.Errorf("record reading of the trail: %w", err)
		}
	}
	return page, nil
}

// auditSearch prepares to look for the page that the filter's cursor names.
func (s *Cancellations) auditSearch(actor Actor, f AuditFilter) (*auditSearch, error) {
	zone := s.Window().Calendar.Zone()
	fields, err := fieldsClause(actor, f, zone)
	if err != nil {
		return nil, err
	}
	q := &auditSearch{reader: auditReader{db: s.db}, budget: searchBudget - s.hurry, fields: fields, words: f.wordsQuery(), most: PageSize + 1, edge: auditKey{at: afterAll}}
	q.marks = f.marksQuery(actor)
	q.direct = f.inOrder(actor)
	switch {
	case q.marks == "":
		q.marks = q.words
	case q.words != "":
		q.marks += " & " + q.words
	}
	from, before := f.period(zone)
	if f.Cursor != "" {
		if q.edge, q.newer, err = parseAuditCursor(f.Cursor); err != nil {
			return nil, err
		}
	}
	switch {
	case q.newer:
		q.end = before
		if q.edge.at.Before(from) {
			q.edge = auditKey{at: from}
		}
	default:
		q.end = from
		if !before.IsZero() && before.Before(q.edge.at) {
			q.edge = auditKey{at: before}
		}
	}
	return q, nil
}

// page turns what was found into a page without its entries, and their keys,
// newest first.
func (q *auditSearch) page(start auditKey, turned bool) (*AuditPage, []auditKey) {
	p, keys := &AuditPage{Forward: q.newer}, q.found
	onward := "" // in the direction of reading
	switch {
	case len(keys) >= q.most:
		keys = keys[:q.most-1]
		onward = keys[len(keys)-1].cursor(q.newer)
	case !q.complete:
		onward = q.edge.cursor(q.newer)
		if len(keys) < q.most-1 { // a full page needs no excuse
			p.LookedTo = q.edge.at
		}
	}
	back := "" // where the reader came from
	if turned {
		from := start.within(q.newer) // which the page before may have shown
		if len(keys) > 0 {
			from = keys[0]
		}
		back = from.cursor(!q.newer)
	}
	if q.newer {
		keys = slices.Clone(keys)
		slices.Reverse(keys)
		p.Next, p.Newer = back, onward
	} else {
		p.Next, p.Newer = onward, back
	}
	return p, keys
}

// auditColumns are those that a page shows: all but the bytes of the proof.
const auditColumns = `id, at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name,
	serial_number, sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason, address, user_agent, request_id, txid::text, era`

// auditEntries reads entries in the order of their keys.
func (db *DB) auditEntries(ctx context.Context, keys []auditKey) ([]AuditEntry, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(keys))
	for i, k := range keys {
		ids[i] = k.id
	}
	first, last := keys[len(keys)-1].at, keys[0].at
	rows, err := db.pool.Query(ctx, `SELECT `+auditColumns+` FROM audit_entries
		WHERE id = ANY($1) AND at >= $2 AND at <= $3 ORDER BY at DESC, id DESC`, pgx.QueryExecModeExec, ids, first, last)
	if err != nil {
		return nil, fmt.Errorf("read trail: %w", err)
	}
	entries, err := pgx.CollectRows(rows, scanStreamed)
	if err != nil {
		return nil, fmt.Errorf("read trail: %w", err)
	}
	return entries, nil
}

// Results returns a page of what terminals posted, newest first: for people
// with a limited scope, what belongs to sales of their stores and, where there is
// no sale, to terminals that stood there.
func (db *DB) Results(ctx context.Context, actor Actor, f ResultFilter) (*ResultPage, error) {
	if !actor.May(ViewResults) {
		return nil, ErrForbidden
	}
	q := db.gorm.WithContext(ctx).Model(&Result{}).Scopes(ofStores(actor))
	if f.Status != "" {
		q = q.Where("status = ?", f.Status)
	}
	if !storable(f.SerialNumber) {
		q = q.Where("false") // what cannot be stored is nowhere
	} else if f.SerialNumber != "" {
		q = q.Where("serial_number = ?", f.SerialNumber)
	}
	if f.Cursor != "" {
		at, id, err := parseCursor(f.Cursor)
		if err != nil {
			return nil, err
		}
		q = q.Where("(received_at, id) < (?, ?)", at, id)
	}
	var page ResultPage
	if err := q.Order("received_at DESC, id DESC").Limit(PageSize + 1).Find(&page.Results).Error; err != nil {
		return nil, fmt.Errorf("list results: %w", err)
	}
	if len(page.Results) > PageSize {
		page.Results = page.Results[:PageSize]
		last := page.Results[PageSize-1]
		page.Next = cursorOf(last.ReceivedAt, last.ID)
	}
	return &page, nil
}
