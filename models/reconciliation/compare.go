package reconciliation

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// compare judges each order of the report through a cursor and stores the results;
// then it adds the sales that the report lacks.
func (s *Service) compare(ctx context.Context, t database.Tx, rec *Reconciliation, oneLine bool) error {
	w := span{day: rec.BusinessDay, completeUntil: rec.CompleteUntil, quiet: s.waits().Quiet}
	// Every row is fetched, so a plan with a fast start does not help. Tables that
	// were just filled look empty to the planner, which would then read one of them
	// again for each row of the other. Index probes are lateral and remain possible.
	for _, set := range []string{"cursor_tuple_fraction = 1", "enable_nestloop = off", "jit = off"} {
		if err := t.Exec("SET LOCAL " + set).Error; err != nil {
			return err
		}
	}
	_, err := t.SQL.ExecContext(ctx, `DECLARE orders NO SCROLL CURSOR FOR `+matching,
		rec.ID, string(rec.BusinessDay), s.nextDay(rec.BusinessDay))
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	b := &itemBatch{}
	for {
		n, err := s.compareSome(ctx, t, w, oneLine, b)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		if err := b.write(t, rec.ID); err != nil {
			return err
		}
	}
	if _, err := t.SQL.ExecContext(ctx, `CLOSE orders`); err != nil {
		return err
	}
	if rec.SalesCompared {
		if _, err := t.SQL.ExecContext(ctx, missing, rec.ID, string(rec.BusinessDay), StoreArray(rec.Stores)); err != nil {
			return fmt.Errorf("look for what is missing: %w", err)
		}
	}
	return rec.count(ctx, t)
}

// compareSome judges the next orders and returns their number.
func (s *Service) compareSome(ctx context.Context, t database.Tx, w span, oneLine bool, b *itemBatch) (int, error) {
	rows, err := t.SQL.QueryContext(ctx, fmt.Sprintf(`FETCH %d FROM orders`, rowsAtOnce))
	if err != nil {
		return 0, fmt.Errorf("match: %w", err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var o matchedOrder
		if err := o.scan(rows); err != nil {
			return n, fmt.Errorf("match: %w", err)
		}
		item := o.item(w, oneLine)
		b.add(&item)
	}
	return n, rows.Err()
}

// matchedOrder is a row of the matching.
type matchedOrder struct {
	ReportItem
	reported reportedOrder
	terminal bool
	position int64 // the store that the terminal was in
	disputed string
	sale     models.Sale
	c        models.Cancellation
}

func (o *matchedOrder) scan(rows *sql.Rows) error {
	var lines string
	var day, saleDay *time.Time
	var changed *time.Time
	i, s := &o.ReportItem, &o.reported
	err := rows.Scan(&i.SerialNumber, &i.OrderID, &i.MerchantID, &i.Folio, &i.AuthCode, &i.Last4,
		&i.Amount, &i.At, &day, &lines, &i.LineCount,
		&s.sales, &s.cancellations, &s.reversals, &s.declines, &s.problems,
		&s.minAmount, &s.maxAmount, &s.soldAt, &s.canceledAt, &s.merchants, &s.repeated,
		&i.Problem, &i.ProblemColumn, &i.ProblemValue, &i.Basis, &o.terminal, &o.position, &o.disputed,
		&o.sale.ID, &o.sale.StoreID, &o.sale.Amount, &o.sale.State, &saleDay,
		&o.c.ID, &o.c.State, &o.c.LastPushAt, &o.c.QuietUntil, &changed, &o.c.Conflict, &o.c.ReviewedAt)
	if err != nil {
		return err
	}
	if day != nil {
		i.Day = models.Day(day.Format(time.DateOnly))
	}
	if saleDay != nil {
		o.sale.BusinessDay = models.Day(saleDay.Format(time.DateOnly))
	}
	if changed != nil {
		o.c.ChangedAt = *changed
	}
	i.Lines = intsOf(lines)
	return nil
}

// item judges the order.
func (o *matchedOrder) item(w span, oneLine bool) ReportItem {
	i := o.ReportItem
	i.Verdict, i.Why = o.reported.verdict(oneLine)
	r := reported{
		verdict: i.Verdict, why: i.Why, basis: i.Basis, amount: i.Amount, day: i.Day,
		terminal: o.terminal, repeated: o.reported.repeated, disputed: o.disputed,
	}
	i.StoreID = o.position
	if o.sale.ID != 0 {
		r.sale, i.SaleID, i.StoreID, i.Ours = &o.sale, o.sale.ID, o.sale.StoreID, o.sale.State
	}
	if o.c.ID != 0 {
		r.c = &o.c
	}
	j := w.judge(r)
	i.Kind, i.Resolves, i.Why = j.kind, j.resolves, j.why
	return i
}

// count sums the items up for the trail and the lists.
func (r *Reconciliation) count(ctx context.Context, t database.Tx) error {
	rows, err := t.SQL.QueryContext(ctx, counting, r.ID)
	if err != nil {
		return fmt.Errorf("count: %w", err)
	}
	defer rows.Close()
	r.Counts = map[ItemKind]int{}
	for rows.Next() {
		var kind ItemKind
		var n int
		if err := rows.Scan(&kind, &n); err != nil {
			return fmt.Errorf("count: %w", err)
		}
		r.Counts[kind] += n
	}
	return rows.Err()
}
