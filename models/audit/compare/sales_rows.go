package compare

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"veinte/models"
)

// What is read of a sale: its row, its cancellations and their attempts, what the closing
// of its day froze, that it was taken back, and its entries. All of it is ordered by the
// number of the sale.
type (
	saleRow struct {
		id, store     int64
		serial, order string
		amount        int64
		state, source string
		received      int64 // month: year * 12 + month, UTC
		batch         *int64
	}
	caseRow struct {
		sale, id, store             int64
		state, detail, reason       string
		conflict, requester, origin string
		version, attempts           int
		printed                     bool
		requested, changed          int64 // months
	}
	attemptRow struct {
		sale, cancellation int64
		number             int
		meaning            string
		started            int64 // month
	}
	frozenRow struct {
		sale, store, amount int64
		day                 string
	}
	undoneRow struct {
		sale, batch int64
		undone      int64 // month
	}
	saleEntry struct {
		sale, id, cancellation int64
		action                 models.Action
		store                  int64
		serial, order          string
		amount                 int64
		attempt                int
		actor, reason          string
		person                 bool
		// of after
		state, detail, conflict, outcome string
		sequence                         int
		printed                          *bool
		before                           *int64 // the amount before a correction of it
	}
)

// months is SQL for the number of a time's month.
func month(column string) string {
	return "(date_part('year', " + column + " AT TIME ZONE 'UTC') * 12 + date_part('month', " + column + " AT TIME ZONE 'UTC'))::bigint"
}

// quoted lists actions for SQL.
func quoted(actions ...models.Action) string {
	all := make([]string, len(actions))
	for i, a := range actions {
		all[i] = "'" + string(a) + "'"
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// contradiction is the member of an entry that says what evidence contradicted.
const contradiction = "conflict"

var (
	salesSQL = `SELECT id, store_id, serial_number, order_id, amount, state, source, ` + month("received_at") + `, batch_id
		FROM sales ORDER BY id`
	casesSQL = `SELECT sale_id, id, store_id, state, detail, CASE WHEN note = '' THEN reason ELSE reason || ': ' || note END, conflict,
			requester, origin, version, attempts, NOT omit_receipt, ` + month("requested_at") + `, ` + month("changed_at") + `
		FROM cancellations ORDER BY sale_id, id`
	attemptsSQL = `SELECT c.sale_id, a.cancellation_id, a.number, a.meaning, ` + month("a.started_at") + `
		FROM attempts a JOIN cancellations c ON c.id = a.cancellation_id ORDER BY c.sale_id, a.cancellation_id, a.number`
	frozenSQL = `SELECT f.id, t.store_id, f.amount, t.day::text FROM closing_terminals t, unnest(t.sale_ids, t.amounts) f(id, amount)
		UNION ALL SELECT split_part(l, ' ', 1)::bigint, split_part(l, ' ', 2)::bigint, split_part(l, ' ', 3)::bigint, 'sales ' || r.subject
		FROM recorded_rows r, unnest(string_to_array(rtrim(r.lines, E'\n'), E'\n')) l WHERE r.of_table = 'sales'
		ORDER BY 1, 4`
	undoneSQL = `SELECT sale_id, coalesce(batch_id, 0), ` + month("undone_at") + ` FROM undone_sales ORDER BY sale_id`
	// Of these actions the entry's columns are the sale's own. Others name sales as somebody
	// told them.
	entriesSQL = `SELECT sale_id, id, coalesce(cancellation_id, 0), action, coalesce(store_id, 0), serial_number, order_id,
			coalesce(amount, 0), coalesce(attempt_number, 0), actor_name, reason, actor_id IS NOT NULL,
			coalesce(after->>'state', ''), coalesce(after->>'detail', ''), coalesce(after->>'` + contradiction + `', ''),
			coalesce(after->>'outcome', ''), coalesce((after->>'sequence')::int, 0), (after->>'printReceipt')::boolean,
			CASE WHEN action = '` + string(models.ActionSaleCorrected) + `' THEN (before->>'amount')::bigint END
		FROM audit_entries WHERE sale_id IS NOT NULL AND outcome <> 'denied' AND (action IN ` + quoted(
		models.ActionSaleCorrected, models.ActionSaleCompleted, models.ActionSaleUndone, models.ActionCancellationRequested,
		models.ActionCancellationMoved, models.ActionCancellationConflict, models.ActionInquirySent, models.ActionInquiryAnswered) + `
			OR action = '` + string(models.ActionSalesRecorded) + `' AND after->>'outcome' = 'created')
		ORDER BY sale_id, era, txid, id`
)

func openSales(ctx context.Context, tx pgx.Tx) (c *saleCursors, err error) {
	c = &saleCursors{}
	if c.sales, err = open(ctx, tx, "sales_rows", salesSQL, func(r *saleRow) []any {
		return []any{&r.id, &r.store, &r.serial, &r.order, &r.amount, &r.state, &r.source, &r.received, &r.batch}
	}); err != nil {
		return nil, err
	}
	if c.cases, err = open(ctx, tx, "case_rows", casesSQL, func(r *caseRow) []any {
		return []any{
			&r.sale, &r.id, &r.store, &r.state, &r.detail, &r.reason, &r.conflict, &r.requester, &r.origin, &r.version, &r.attempts,
			&r.printed, &r.requested, &r.changed,
		}
	}); err != nil {
		return nil, err
	}
	if c.attempts, err = open(ctx, tx, "attempt_rows", attemptsSQL, func(r *attemptRow) []any {
		return []any{&r.sale, &r.cancellation, &r.number, &r.meaning, &r.started}
	}); err != nil {
		return nil, err
	}
	if c.frozen, err = open(ctx, tx, "frozen_rows", frozenSQL, func(r *frozenRow) []any {
		return []any{&r.sale, &r.store, &r.amount, &r.day}
	}); err != nil {
		return nil, err
	}
	if c.undone, err = open(ctx, tx, "undone_rows", undoneSQL, func(r *undoneRow) []any {
		return []any{&r.sale, &r.batch, &r.undone}
	}); err != nil {
		return nil, err
	}
	c.entries, err = open(ctx, tx, "sale_entries", entriesSQL, func(e *saleEntry) []any {
		return []any{
			&e.sale, &e.id, &e.cancellation, &e.action, &e.store, &e.serial, &e.order, &e.amount, &e.attempt, &e.actor, &e.reason, &e.person,
			&e.state, &e.detail, &e.conflict, &e.outcome, &e.sequence, &e.printed, &e.before,
		}
	})
	return c, err
}

// saleCursors read what there is of sales, one sale after the other.
type saleCursors struct {
	sales    *cursor[saleRow]
	cases    *cursor[caseRow]
	attempts *cursor[attemptRow]
	frozen   *cursor[frozenRow]
	undone   *cursor[undoneRow]
	entries  *cursor[saleEntry]
}

// ofSale is all there is of one sale. The slices are used again for the next.
type ofSale struct {
	id       int64
	row      *saleRow
	cases    []caseRow
	attempts []attemptRow
	frozen   []frozenRow
	undone   *undoneRow
	entries  []saleEntry
}

// next reads the sale of the lowest number that is left; false at the end.
func (c *saleCursors) next(of *ofSale) bool {
	id, any := int64(0), false
	low := func(n int64) {
		if !any || n < id {
			id, any = n, true
		}
	}
	if r := c.sales.peek(); r != nil {
		low(r.id)
	}
	if r := c.cases.peek(); r != nil {
		low(r.sale)
	}
	if r := c.attempts.peek(); r != nil {
		low(r.sale)
	}
	if r := c.frozen.peek(); r != nil {
		low(r.sale)
	}
	if r := c.undone.peek(); r != nil {
		low(r.sale)
	}
	if r := c.entries.peek(); r != nil {
		low(r.sale)
	}
	if !any {
		return false
	}
	of.id, of.row, of.undone = id, nil, nil
	if r := c.sales.peek(); r != nil && r.id == id {
		row := *r
		of.row = &row
		c.sales.take()
	}
	if r := c.undone.peek(); r != nil && r.sale == id {
		row := *r
		of.undone = &row
		c.undone.take()
	}
	of.cases = all(c.cases, of.cases, func(r *caseRow) bool { return r.sale == id })
	of.attempts = all(c.attempts, of.attempts, func(r *attemptRow) bool { return r.sale == id })
	of.frozen = all(c.frozen, of.frozen, func(r *frozenRow) bool { return r.sale == id })
	of.entries = all(c.entries, of.entries, func(r *saleEntry) bool { return r.sale == id })
	return true
}

// all takes the next rows as long as they are of the same sale.
func all[T any](c *cursor[T], into []T, same func(*T) bool) []T {
	into = into[:0]
	for r := c.peek(); r != nil && same(r); r = c.peek() {
		into = append(into, *r)
		c.take()
	}
	return into
}

func (c *saleCursors) err() error {
	for _, err := range []error{c.sales.err, c.cases.err, c.attempts.err, c.frozen.err, c.undone.err, c.entries.err} {
		if err != nil {
			return err
		}
	}
	return nil
}
