package sales

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/database"
)

// DaySales returns a page of a day's sales that the actor may see, with the sums of
// each terminal and of what the filter matches. It is the read with the most load:
// one round trip to the database, and another while something waits to be sent.
//
// Errors: ErrNotFound for a store outside the actor's scope, cursor.invalid.
func (s *Service) DaySales(ctx context.Context, actor models.Actor, f Filter) (*DayPage, error) {
	stores, err := s.terminals.Scope(ctx, actor, f.StoreID)
	if err != nil {
		return nil, err
	}
	q := s.saleQuery(stores, f)
	sums, sumsArgs := q.sums()
	q.terminal(f.TerminalID)
	size := f.size(len(stores))
	rowsSQL, rowsArgs, err := q.page(f.Cursor, size)
	if err != nil {
		return nil, err
	}
	page := &DayPage{Sales: make([]Row, 0, size+1)}
	batch := &pgx.Batch{}
	stored, storedArgs := storedOf(stores, f.Day)
	batch.Queue(`SELECT `+storedColumns.Names("")+stored+` ORDER BY store_id, terminal_id`, storedArgs...).Query(page.scanStored)
	batch.Queue(rowsSQL, rowsArgs...).Query(listed.To(&page.Sales))
	if q.narrowed {
		batch.Queue(sums, sumsArgs...).Query(page.scanMatched)
	}
	if len(stores) > 1 {
		batch.Queue(doubtsSQL, stores, string(f.Day)).Query(page.scanDoubts)
	}
	if err := s.db.SendBatch(ctx, batch); err != nil {
		return nil, fmt.Errorf("list sales of %s: %w", f.Day, err)
	}
	page.finish(f, size)
	page.Waits, err = s.Waits(ctx, actor, page.requested())
	return page, err
}

// requested lists the sales of the page whose cancellation was not sent yet.
func (p *DayPage) requested() (ids []int64) {
	for i := range p.Sales {
		if p.Sales[i].State == models.SaleRequested {
			ids = append(ids, p.Sales[i].ID)
		}
	}
	return ids
}

// query is a list's condition with its arguments. Every part is a constant text;
// user input is only ever an argument.
type query struct {
	where    strings.Builder
	args     []any
	narrowed bool // by more than store, day and terminal, whose sums are stored
}

func (q *query) and(condition string, args ...any) {
	for _, a := range args {
		q.args = append(q.args, a)
		condition = strings.Replace(condition, "?", "$"+strconv.Itoa(len(q.args)), 1)
	}
	q.where.WriteString(" AND " + condition)
}

// saleQuery returns the condition of a filter without its terminal: the sums are
// shown for every terminal, whichever is listed.
func (s *Service) saleQuery(stores []int64, f Filter) *query {
	q := &query{args: []any{string(f.Day)}}
	q.filter(stores, f, s.openOn(f.Day))
	return q
}

func (q *query) stores(ids []int64) {
	if len(ids) == 1 {
		// With an equality the index returns the rows in order; with a list of one
		// it does not.
		q.and("s.store_id = ?", ids[0])
	} else {
		q.and("s.store_id = ANY(?)", ids)
	}
}

// filter adds everything that a filter says but its day and its terminal.
func (q *query) filter(stores []int64, f Filter, open *dayWindow) {
	q.stores(stores)
	if f.State != "" {
		q.narrowed = true
		q.state(f.State, open)
	}
	if f.Query != "" {
		q.narrowed = true
		q.search(f.Query)
	}
}

func (q *query) terminal(id int64) {
	if id != 0 {
		q.and("s.terminal_id = ?", id)
	}
}

// dayWindow is the condition in SQL for the sales of a day that Window.Open reports
// as open; nil when there are none.
type dayWindow struct {
	cutoff time.Time // the cut-off of the day by the rules
	after  time.Time // a sale's cut-off must be after this to be open now
	soon   time.Time // and not after this to have SoonBefore or less left
}

// openOn returns the window of a day.
func (s *Service) openOn(day models.Day) *dayWindow {
	now, w := s.clock.Now(), s.window()
	if w.Calendar.Day(now) != day || !w.DayOpen(now) {
		return nil
	}
	after := now.Add(w.Before())
	return &dayWindow{cutoff: w.Calendar.Cutoff(now), after: after, soon: after.Add(models.SoonBefore)}
}

func (q *query) state(state models.SaleState, open *dayWindow) {
	const stillOpen = "s.sold_at < least(s.cutoff_at, ?) AND s.cutoff_at > ? AND coalesce(s.ticket_date = s.business_day, true)"
	switch {
	case state == models.SaleCancelable && open != nil:
		q.and("s.state = "+models.CancelableSQL+" AND "+stillOpen, open.cutoff, open.after)
	case state == models.SaleSoon && open != nil:
		q.and("s.state = "+models.CancelableSQL+" AND "+stillOpen+" AND least(s.cutoff_at, ?) <= ?",
			open.cutoff, open.after, open.cutoff, open.soon)
	case state == models.SaleCancelable || state == models.SaleSoon:
		q.and("false")
	case state == models.SaleUnderway:
		q.and("s.state IN (" + models.RequestedSQL + ", " + models.SendingSQL + ", " + models.AcceptedSQL + ")")
	case state == models.SaleTooLate && open != nil:
		q.and("s.state = "+models.CancelableSQL+" AND NOT ("+stillOpen+")", open.cutoff, open.after)
	case state == models.SaleTooLate:
		q.and("s.state = " + models.CancelableSQL)
	default:
		q.and("s.state = ?", string(state))
	}
}

// listed are the columns of a row of the list: those of sale s, and of its latest
// cancellation c.
var listed = append(saleOfRow(listedColumns), database.Columns[Row]{
	{Name: "detail", SQL: "coalesce(c.detail, '')", At: func(r *Row) any { return &r.Detail }},
	{Name: "requester", SQL: "coalesce(c.requester, '')", At: func(r *Row) any { return &r.Requester }},
	{Name: "requested_at", SQL: "coalesce(c.requested_at, s.received_at)", At: func(r *Row) any { return &r.RequestedAt }},
}...)

func saleOfRow(columns database.Columns[models.Sale]) database.Columns[Row] {
	all := database.Within(func(r *Row) *models.Sale { return &r.Sale }, columns)
	for i := range all {
		all[i].SQL = "s." + all[i].Name
	}
	return all
}

// page returns the statement of one page. The latest cancellation is read only for
// rows that have one.
func (q *query) page(cursor string, size int) (string, []any, error) {
	where, args := q.where.String(), q.args
	if cursor != "" {
		at, id, err := database.ParseCursor(cursor)
		if err != nil {
			return "", nil, err
		}
		n := len(args)
		where += fmt.Sprintf(" AND (s.sold_at, s.id) < ($%d, $%d)", n+1, n+2)
		args = append(args[:n:n], at, id)
	}
	return `SELECT ` + listed.Values() + `
		FROM sales s
		LEFT JOIN LATERAL (
			SELECT detail, requester, requested_at FROM cancellations
			WHERE sale_id = s.id AND s.state <> ` + models.CancelableSQL + ` ORDER BY id DESC LIMIT 1
		) c ON true
		WHERE s.business_day = $1` + where + `
		ORDER BY s.sold_at DESC, s.id DESC LIMIT ` + strconv.Itoa(size+1), args, nil
}

// sums returns the statement of the filter's sums, terminal by terminal.
func (q *query) sums() (string, []any) {
	return `SELECT ` + terminalColumns.Values() + `
		FROM sales s WHERE s.business_day = $1` + q.where.String() + ` GROUP BY s.store_id, s.terminal_id`, q.args
}

// scanMatched reads the sums of the filter in the order of those of the day: a
// terminal without a match has sums of zero.
func (p *DayPage) scanMatched(rows pgx.Rows) error {
	found, err := terminalColumns.Collect(rows, nil)
	if err != nil {
		return err
	}
	type place struct{ store, terminal int64 }
	at := make(map[place]int, len(p.Totals))
	p.Matched = make([]TerminalTotals, len(p.Totals))
	for i, t := range p.Totals {
		p.Matched[i].StoreID, p.Matched[i].TerminalID = t.StoreID, t.TerminalID
		at[place{t.StoreID, t.TerminalID}] = i
	}
	for _, t := range found {
		if i, listed := at[place{t.StoreID, t.TerminalID}]; listed {
			p.Matched[i] = t
		} else { // its first sale of the day arrived between the two queries
			p.Matched = append(p.Matched, t)
		}
	}
	return nil
}

// finish removes the extra row that shows whether there is a next page, and adds up
// the sums of the filter.
func (p *DayPage) finish(f Filter, size int) {
	if len(p.Sales) > size {
		p.Sales = p.Sales[:size]
		last := &p.Sales[size-1]
		p.Next = database.CursorOf(last.SoldAt, last.ID)
	}
	for _, t := range p.Sums() {
		if f.TerminalID == 0 || t.TerminalID == f.TerminalID {
			p.Filtered.Add(&t.Sums)
		}
	}
}

// DayRevision counts the changes of a day in the filter's stores. While it stays the
// same, so does the list.
func (s *Service) DayRevision(ctx context.Context, actor models.Actor, f Filter) (int64, error) {
	stores, err := s.terminals.Scope(ctx, actor, f.StoreID)
	if err != nil {
		return 0, err
	}
	var revision int64
	stored, args := storedOf(stores, f.Day)
	err = s.db.QueryRow(ctx, `SELECT coalesce(sum(revision), 0)`+stored, args...).Scan(&revision)
	if err != nil {
		return 0, fmt.Errorf("read revision of %s: %w", f.Day, err)
	}
	return revision, nil
}

// storedOf are the sums that are stored of a day. PostgreSQL keeps the plan for one store;
// for a list of them it makes one each time.
func storedOf(stores []int64, day models.Day) (from string, args []any) {
	if len(stores) == 1 {
		return ` FROM day_totals WHERE store_id = $1 AND business_day = $2`, []any{stores[0], string(day)}
	}
	return ` FROM day_totals WHERE store_id = ANY($1) AND business_day = $2`, []any{stores, string(day)}
}

// scanStored reads the stored sums, and the changes that they count. They are read before
// the sales: at worst a list is asked for once more.
func (p *DayPage) scanStored(rows pgx.Rows) error {
	return storedColumns.Each(rows, func(t *storedTotals) error {
		p.Revision += t.revision
		if t.Sales.Count > 0 {
			p.Totals = append(p.Totals, t.TerminalTotals)
		}
		return nil
	})
}

// storedTotals is a row of day_totals.
type storedTotals struct {
	TerminalTotals
	revision int64
}

var storedColumns = append(database.Columns[storedTotals]{
	{Name: "revision", At: func(t *storedTotals) any { return &t.revision }},
}, database.Within(func(t *storedTotals) *TerminalTotals { return &t.TerminalTotals }, terminalColumns)...)

// terminalColumns are the sums of a terminal on a day, as stored in day_totals or added
// up from sales s.
var terminalColumns = append(database.Columns[TerminalTotals]{
	{Name: "store_id", SQL: "s.store_id", At: func(t *TerminalTotals) any { return &t.StoreID }},
	{Name: "terminal_id", SQL: "s.terminal_id", At: func(t *TerminalTotals) any { return &t.TerminalID }},
	{Name: "last_received", SQL: "max(s.received_at)", At: func(t *TerminalTotals) any { return &t.LastReceived }},
}, database.Within(func(t *TerminalTotals) *models.Sums { return &t.Sums },
	database.SumColumns.Without("doubt", "doubt_amount", "pending", "pending_amount", "rejected", "rejected_amount"))...)
