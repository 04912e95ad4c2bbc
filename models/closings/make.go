package closings

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/imports"
	"veinte/models/webhooks"
)

// maxClosings limits the days that one call closes, so that none takes long.
const maxClosings = 31

// closingAhead is how far our clock may be ahead of the database's for a day to be
// closed by it. A frozen report cannot be undone, and a report that is a minute late
// does no harm.
const closingAhead = time.Minute

// ErrClockAhead is returned instead of closing a day that is not over yet.
var ErrClockAhead = errors.New("the clock is ahead")

// CloseDays makes the closing report of every day whose cut-off has passed and that
// has none: the days since the last report, or since the first sale. It may be
// called at any time by any number of processes; each day is closed once.
//
// After the cut-off nothing can be sent any more, so a report need not wait for
// pending requests: later results of the terminals are amendments.
//
// A server whose clock is wrong closes none.
func (s *Service) CloseDays(ctx context.Context) error {
	if s.clocks.Differs() {
		return nil
	}
	for range maxClosings {
		day, due, err := s.nextClosing(ctx)
		if err != nil || !due {
			return err
		}
		if err := s.closeDay(ctx, day); err != nil {
			return fmt.Errorf("close %s: %w", day, err)
		}
	}
	return nil
}

// nextClosing returns the day to be closed next, and whether its cut-off has
// passed.
func (s *Service) nextClosing(ctx context.Context) (day models.Day, due bool, err error) {
	now, calendar := s.clock.Now(), s.window().Calendar
	known, err := database.Row[struct {
		Last, First *models.Day
		Now         time.Time
	}](ctx, s.db.Pool(), `SELECT (SELECT max(day) FROM closings) AS last, min(business_day) AS first, now() AS now
		FROM day_totals WHERE business_day > $1`, calendar.Day(now.AddDate(0, 0, -maxClosings)))
	if err != nil {
		return "", false, fmt.Errorf("find the last closing report: %w", err)
	}
	day = calendar.Day(now)
	switch {
	case known.Last != nil:
		day = known.Last.Next()
	case known.First != nil && *known.First < day:
		day = *known.First
	}
	cutoff := calendar.Cutoff(day.Noon(calendar.Zone()))
	if shifted, ok := s.clock.(interface{ Shift() time.Duration }); ok { // the clock is shifted on purpose
		known.Now = known.Now.Add(shifted.Shift())
	}
	if due = !now.Before(cutoff); due && cutoff.After(known.Now.Add(closingAhead)) {
		ours, theirs := now.UTC().Format(time.RFC3339), known.Now.UTC().Format(time.RFC3339)
		return day, false, fmt.Errorf("close %s: the clock says %s, the database's %s: %w", day, ours, theirs, ErrClockAhead)
	}
	return day, due, nil
}

// errClosed ends a transaction when another process has closed the day.
var errClosed = errors.New("closed already")

func (s *Service) closeDay(ctx context.Context, day models.Day) error {
	calendar := s.window().Calendar
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	c := &Closing{Day: day, CutoffAt: calendar.Cutoff(day.Noon(calendar.Zone())), ClosedAt: now}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		if err := claimDay(ctx, t, day); err != nil {
			return err
		}
		terminals, err := freezeSales(ctx, t, c)
		if err != nil {
			return err
		}
		if err := c.freeze(terminals, calendar.Zone()); err != nil {
			return err
		}
		if err := t.Create(c).Error; err != nil {
			return fmt.Errorf("write report: %w", err)
		}
		if err := s.publishClosed(t, c, terminals); err != nil {
			return err
		}
		a := audit.About{After: c.attributes(terminals)}
		return audit.Record(t, models.System("closing", ""), now, models.ActionDayClosed, models.OutcomeSuccess, a)
	})
	if errors.Is(err, errClosed) {
		return nil
	}
	return err
}

// claimDay waits for other processes that close the day, and reports whether it is
// closed.
func claimDay(ctx context.Context, t database.Tx, day models.Day) error {
	if _, err := t.SQL.ExecContext(ctx, imports.LongStatement+`; SET LOCAL work_mem = '128MB'`); err != nil {
		return fmt.Errorf("begin closing: %w", err)
	}
	var closed bool
	mine, err := t.TryLock(ctx, database.LockClosing)
	if err == nil && mine {
		err = t.SQL.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM closings WHERE day = $1)`, day).Scan(&closed)
	}
	switch {
	case err != nil:
		return fmt.Errorf("claim closing: %w", err)
	case !mine || closed:
		return errClosed
	}
	return nil
}

// freezeSales writes the status of every sale of the day, in one statement and so in
// one snapshot, and returns the sums by store and terminal. The sales are sorted
// once, before they are aggregated: sorting each list took twice as long.
func freezeSales(ctx context.Context, t database.Tx, c *Closing) ([]ClosingTerminal, error) {
	rows, err := database.TxRows[terminalRow](ctx, t, `WITH standing AS MATERIALIZED (
			SELECT s.id, s.store_id, s.terminal_id, s.amount, `+stateSQL+` AS letter FROM sales s WHERE s.business_day = $1
			ORDER BY s.store_id, s.terminal_id, s.id),
		sums AS (
			SELECT store_id, terminal_id, `+sumsSQL("count(*)", "counts")+`, `+sumsSQL("sum(amount)", "sums")+`,
				sha256(convert_to(string_agg(id || ' ' || amount || ' ' || letter || E'\n', ''), 'UTF8')) AS sales_hash,
				array_agg(id) AS sale_ids, array_agg(amount) AS amounts, string_agg(letter, '') AS standings
			FROM standing GROUP BY store_id, terminal_id),
		added AS (
			INSERT INTO closing_terminals (day, store_id, terminal_id, store_code, store_name, serial_number, revision,
				counts, sums, sales_hash, sale_ids, amounts, standings)
			SELECT $1, x.store_id, x.terminal_id, o.code, o.name, m.serial_number, d.revision,
				x.counts, x.sums, x.sales_hash, x.sale_ids, x.amounts, x.standings
			FROM sums x JOIN stores o ON o.id = x.store_id JOIN terminals m ON m.id = x.terminal_id
				JOIN day_totals d ON (d.store_id, d.business_day, d.terminal_id) = (x.store_id, $1, x.terminal_id)
			RETURNING *)
		SELECT `+terminalColumns+` FROM added ORDER BY store_code, store_id, serial_number`, c.Day, c.CutoffAt)
	if err != nil {
		return nil, fmt.Errorf("freeze sales: %w", err)
	}
	return terminalsOf(rows), nil
}

// sumsSQL adds up by status.
func sumsSQL(what, name string) string {
	sql := "ARRAY["
	for i, letter := range stateLetters {
		if i > 0 {
			sql += ", "
		}
		sql += fmt.Sprintf("coalesce(%s FILTER (WHERE letter = '%c'), 0)", what, letter)
	}
	return sql + "]::bigint[] AS " + name
}

// terminalColumns are those of a terminalRow.
const terminalColumns = "store_id, terminal_id, store_code, store_name, serial_number, counts, sums AS amounts, sales_hash"

// terminalRow is a terminal's part of a report as its table stores it.
type terminalRow struct {
	ClosingTerminal `gorm:"embedded"`
	Counts, Amounts webhooks.IDs // by status
}

func terminalsOf(rows []terminalRow) []ClosingTerminal {
	all := make([]ClosingTerminal, len(rows))
	for i := range rows {
		all[i] = rows[i].ClosingTerminal
		all[i].Sums.fill(rows[i].Counts, rows[i].Amounts)
	}
	return all
}

func (c *Sums) fill(counts, amounts []int64) {
	for i := range min(len(c), len(counts), len(amounts)) {
		c[i] = models.Sum{Count: counts[i], Amount: models.Money(amounts[i])}
	}
}

// attributes are what the trail records of a report, above all its hash.
func (c *Closing) attributes(terminals []ClosingTerminal) map[string]any {
	_, total := byStore(terminals)
	attributes := map[string]any{"day": c.Day, "sha256": c.HashText(), "sales": c.Sales, "amount": c.Amount, "late": c.Late()}
	for i, s := range ClosedAll {
		if total[i].Count > 0 {
			attributes[string(s)] = total[i].Count
		}
	}
	return attributes
}
