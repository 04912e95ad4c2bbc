package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
)

// Page is a page of the trail, newest first.
type Page struct {
	Entries []models.AuditEntry
	Next    string // cursor of the older ones; "" at the end
	Newer   string // cursor of the newer ones; "" where there can be none
	// SearchedTo is where the search stopped before the page was full, because it
	// had taken long enough. Entries beyond were not searched, and Next (Newer where
	// Forward) continues there. Zero when everything was searched.
	SearchedTo time.Time
	Forward    bool
}

// Audit returns a page of the trail, newest first, within the actor's scope: entries
// of their stores, and their own. Reading is itself recorded; paging through one
// list for a minute counts as one reading.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the scope,
// auditFilter.toBeforeFrom, auditFilter.maxBelowMin, cursor.invalid.
func (s *Service) Audit(ctx context.Context, actor models.Actor, f Filter) (*Page, error) {
	q, err := s.auditSearch(actor, f)
	if err != nil {
		return nil, err
	}
	start := q.edge
	if err := q.run(ctx); err != nil {
		return nil, err
	}
	page, keys := q.page(start, f.Cursor != "")
	if page.Entries, err = s.auditEntries(ctx, keys); err != nil {
		return nil, err
	}
	if now := s.clock.Now(); s.readings.Begins(actor, f.Encode(), now) || f.Cursor == "" {
		err = RecordAlone(ctx, s.db, actor, now, models.ActionAuditRead, models.OutcomeSuccess, About{After: f.Attributes()})
		if err != nil {
			return nil, fmt.Errorf("record reading of the trail: %w", err)
		}
	}
	return page, nil
}

// Latest returns the newest entries that a filter matches, at most n, within the actor's
// scope: what another page says of the trail. That too is a reading, and is recorded as
// one unless the same was read within a minute. Of a search that takes too long it returns
// what was found.
//
// Errors: as Audit.
func (s *Service) Latest(ctx context.Context, actor models.Actor, f Filter, n int) ([]models.AuditEntry, error) {
	f.Cursor = ""
	q, err := s.auditSearch(actor, f)
	if err != nil {
		return nil, err
	}
	q.limit = n + 1
	start := q.edge
	if err := q.run(ctx); err != nil {
		return nil, err
	}
	_, keys := q.page(start, false)
	entries, err := s.auditEntries(ctx, keys)
	if err != nil {
		return nil, err
	}
	if now := s.clock.Now(); s.readings.Begins(actor, "latest "+f.Encode(), now) {
		err = RecordAlone(ctx, s.db, actor, now, models.ActionAuditRead, models.OutcomeSuccess, About{After: f.Attributes()})
		if err != nil {
			return nil, fmt.Errorf("record reading of the trail: %w", err)
		}
	}
	return entries, nil
}

// auditSearch prepares the search for the page that the filter's cursor names.
func (s *Service) auditSearch(actor models.Actor, f Filter) (*search, error) {
	zone := s.window().Calendar.Zone()
	fields, err := fieldsClause(actor, f, zone)
	if err != nil {
		return nil, err
	}
	q := &search{
		reader: reader{db: s.db}, budget: searchBudget - s.testBudget, limit: models.PageSize + 1, edge: key{at: afterAll},
		fields: fields, words: f.wordsQuery(), marks: f.marksQuery(actor), direct: f.inOrder(actor),
	}
	if q.direct && f.SaleID == 0 {
		q.store = f.StoreID
	}
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
			q.edge = key{at: from}
		}
	default:
		q.end = from
		if !before.IsZero() && before.Before(q.edge.at) {
			q.edge = key{at: before}
		}
	}
	return q, nil
}

// page turns what was found into a page without its entries, and their keys, newest
// first.
func (q *search) page(start key, turned bool) (*Page, []key) {
	p, keys := &Page{Forward: q.newer}, q.found
	onward := "" // in the direction of reading
	switch {
	case len(keys) >= q.limit:
		keys = keys[:q.limit-1]
		onward = keys[len(keys)-1].cursor(q.newer)
	case !q.complete:
		onward = q.edge.cursor(q.newer)
		if len(keys) < q.limit-1 { // a full page needs no excuse
			p.SearchedTo = q.edge.at
		}
	}
	back := "" // where the user came from
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

// FileColumns are those that a file for people shows.
const FileColumns = `id, at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name, serial_number,
	sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason, address, user_agent, request_id`

// AuditColumns are those that a page shows: all but the bytes of the proof.
const AuditColumns = FileColumns + `, txid::text, era`

func (s *Service) auditEntries(ctx context.Context, keys []key) ([]models.AuditEntry, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(keys))
	for i, k := range keys {
		ids[i] = k.id
	}
	first, last := keys[len(keys)-1].at, keys[0].at
	rows, _ := s.db.Query(ctx, `SELECT `+AuditColumns+` FROM audit_entries
		WHERE id = ANY($1) AND at >= $2 AND at <= $3 ORDER BY at DESC, id DESC`, pgx.QueryExecModeExec, ids, first, last)
	entries, err := CollectEntries(rows)
	if err != nil {
		return nil, fmt.Errorf("read trail: %w", err)
	}
	return entries, nil
}

// CollectEntries reads rows with some of the columns of entries, by their names. The
// error of the query is that of its rows.
func CollectEntries(rows pgx.Rows) ([]models.AuditEntry, error) {
	return pgx.CollectRows(rows, pgx.RowToStructByNameLax[models.AuditEntry])
}
