package terminals

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/database"
)

// StatusFilter is the status of a terminal, for a filter.
type StatusFilter string

// The states of terminals. A planned one is also active.
const (
	Active  StatusFilter = "active"
	Retired StatusFilter = "retired"
	Planned StatusFilter = "planned" // a move of it is planned
)

// StatusFilters lists the states for a filter.
var StatusFilters = []StatusFilter{Active, Retired, Planned}

// Filter narrows the list of terminals. Zero values do not filter.
type Filter struct {
	StoreID int64
	Query   string // part of a serial number, label or merchant id
	State   StatusFilter
	Problem Problem
	Days    int     // without a sale that are a problem; 0: DefaultDays
	IDs     []int64 // these, and no others; they come on one page
	Cursor  string
}

// Page is a page of the list, ordered by store and label.
type Page struct {
	Terminals []models.TerminalPlace
	Next      string // cursor of the next page; "" at the end
	Count     int64  // of everything the filter matches
}

// askedSQL gives a query the current instant, the instant since which a terminal is
// expected to have sold something, the id of the newest master key of addresses, and
// whether it is normal that no terminal posts.
const askedSQL = `WITH ask AS (SELECT $1::timestamptz AS now, $2::timestamptz AS since, $3::text AS key_id, $4::boolean AS optional), `

// asked are the arguments of askedSQL.
func (s *Service) asked(now time.Time, days int) []any {
	return []any{now, since(now, days), s.addresses.Newest(), s.PostsOptional}
}

// assignmentsSQL is every terminal with its current assignment and its planned move.
const assignmentsSQL = `places AS (
	SELECT ` + terminalColumns + `, coalesce(a.store_id, 0) AS store_id, coalesce(s.name, '') AS store_name,
	       coalesce(s.code, '') AS store_code, coalesce(a.merchant_id, '') AS merchant_id, a.valid_from AS since,
	       p.id AS plan_id, p.store_id AS plan_store_id, p.merchant_id AS plan_merchant_id, p.valid_from AS plan_from,
	       p.planned_at, ps.name AS plan_store
	FROM terminals t
	LEFT JOIN assignments a ON a.terminal_id = t.id AND a.valid_from <= (SELECT now FROM ask)
		AND (a.valid_to IS NULL OR a.valid_to > (SELECT now FROM ask))
	LEFT JOIN stores s ON s.id = a.store_id
	LEFT JOIN assignments p ON p.terminal_id = t.id AND p.planned_at IS NOT NULL AND p.valid_from > (SELECT now FROM ask)
	LEFT JOIN stores ps ON ps.id = p.store_id)`

// Terminals returns a page of the terminals with their current stores.
//
// Errors: ErrForbidden, store.unknown, filter.invalid, days.invalid or
// cursor.invalid.
func (s *Service) Terminals(ctx context.Context, actor models.Actor, f Filter) (*Page, error) {
	now := s.clock.Now()
	if !actor.May(models.ManageTerminals) {
		return nil, models.ErrForbidden
	}
	if err := s.checkTerminalFilter(ctx, &f); err != nil {
		return nil, err
	}
	after, err := parseTerminalCursor(f.Cursor)
	if err != nil {
		return nil, err
	}
	q, size := f.query(s.asked(now, f.Days)), models.PageSize
	if f.IDs != nil {
		size = MaxMoves
	}
	page := &Page{}
	batch := &pgx.Batch{}
	batch.Queue(q.head+`SELECT count(*)`+q.body, q.args...).QueryRow(func(row pgx.Row) error { return row.Scan(&page.Count) })
	if f.Cursor != "" {
		q.add("(store_code, label, id) > (%s, %s, %s)", after.Code, after.Label, after.ID)
	}
	query := q.head + `SELECT *` + q.body + fmt.Sprintf(` ORDER BY store_code, label, id LIMIT %d`, size+1)
	var rows []placeRow
	batch.Queue(query, q.args...).Query(func(found pgx.Rows) (err error) {
		rows, err = pgx.CollectRows(found, pgx.RowToStructByName[placeRow])
		return err
	})
	if err := s.db.SendBatch(ctx, batch); err != nil {
		return nil, fmt.Errorf("list terminals: %w", err)
	}
	if len(rows) > size {
		rows = rows[:size]
		last := &rows[size-1]
		page.Next = database.EncodeCursor(terminalCursor{last.StoreCode, last.Label, last.ID})
	}
	for i := range rows {
		page.Terminals = append(page.Terminals, rows[i].place())
	}
	return page, nil
}

// checkTerminalFilter refuses a filter with invalid values, which would otherwise
// silently match nothing, or everything.
func (s *Service) checkTerminalFilter(ctx context.Context, f *Filter) error {
	if f.Days == 0 {
		f.Days = DefaultDays
	}
	switch {
	case f.State != "" && !slices.Contains(StatusFilters, f.State):
		return models.Invalid("state", "filter.invalid")
	case f.Problem != "" && !f.Problem.ofTerminal():
		return models.Invalid("problem", "filter.invalid")
	case f.Days < 1 || f.Days > MaxDays:
		return models.Invalid("days", "days.invalid")
	}
	if f.StoreID == 0 {
		return nil
	}
	_, err := storeFor(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, f.StoreID)
	return err
}

// terminalQuery builds a query; its conditions refer to arguments.
type terminalQuery struct {
	head, body string // what comes before and after the columns
	args       []any
}

// add adds a condition. Each %s stands for one of the arguments.
func (q *terminalQuery) add(condition string, args ...any) {
	names := make([]any, len(args))
	for i, arg := range args {
		q.args = append(q.args, arg)
		names[i] = fmt.Sprintf("$%d", len(q.args))
	}
	q.body += " AND " + fmt.Sprintf(condition, names...)
}

func (f *Filter) query(asked []any) *terminalQuery {
	q := &terminalQuery{head: askedSQL + assignmentsSQL, body: " FROM places WHERE true", args: asked}
	if f.Problem != "" {
		q.head += ", problems AS (" + problemSQL[f.Problem] + ")"
		q.body += " AND id IN (SELECT terminal_id FROM problems)"
	}
	if f.StoreID != 0 {
		q.add("store_id = %s", f.StoreID)
	}
	if text := strings.ToLower(strings.TrimSpace(f.Query)); !models.Storable(text) {
		q.body += " AND false" // text that cannot be stored matches nothing
	} else if text != "" {
		q.add("(position(%[1]s in serial_number) > 0 OR position(%[1]s in lower(label)) > 0 OR position(%[1]s in lower(merchant_id)) > 0)", text)
	}
	switch f.State {
	case Active:
		q.body += " AND retired_at IS NULL"
	case Retired:
		q.body += " AND retired_at IS NOT NULL"
	case Planned:
		q.body += " AND plan_id IS NOT NULL"
	}
	if f.IDs != nil {
		q.add("id = ANY(%s)", f.IDs)
	}
	return q
}

// placeRow is a row of assignmentsSQL.
type placeRow struct {
	models.TerminalPlace
	StoreCode      string
	PlanID         *int64 // nil, as what follows, when no move is planned
	PlanStoreID    *int64
	PlanMerchantID *string
	PlanFrom       *time.Time
	PlannedAt      *time.Time
	PlanStore      *string
}

func (r *placeRow) place() models.TerminalPlace {
	p := r.TerminalPlace
	if r.PlanID != nil {
		p.Plan = &models.AssignmentLine{StoreName: *r.PlanStore, Assignment: models.Assignment{
			ID: *r.PlanID, TerminalID: p.ID, StoreID: *r.PlanStoreID, MerchantID: *r.PlanMerchantID,
			ValidFrom: *r.PlanFrom, PlannedAt: r.PlannedAt,
		}}
	}
	return p
}

// terminalCursor is the position at which the next page of terminals begins.
type terminalCursor struct {
	Code, Label string
	ID          int64
}

func parseTerminalCursor(s string) (c terminalCursor, err error) {
	if s == "" {
		return c, nil
	}
	if err := database.DecodeCursor(s, &c); err != nil {
		return c, err
	}
	if !models.Storable(c.Code) || !models.Storable(c.Label) {
		return c, models.Invalid("cursor", "cursor.invalid")
	}
	return c, nil
}
