package closings

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// closingsPage is how many days a page of the list has: a month.
const closingsPage = 31

// Line is a report as the list shows it, limited to the user's stores.
type Line struct {
	Closing
	Sums  Sums
	Since Changes // of sales, at most maxCounted
	More  bool    // there are others
}

// List is a page of reports, newest first.
type List struct {
	Lines []Line
	Next  models.Day // the day before which the next page begins; "" at the end
}

// Closings lists the reports before a day, "" for the newest.
//
// Errors: ErrForbidden, date.invalid.
func (s *Service) Closings(ctx context.Context, actor models.Actor, before string) (*List, error) {
	if !actor.May(models.Oversee) {
		return nil, models.ErrForbidden
	}
	until := models.Day("9999-12-31")
	if before != "" {
		var err error
		if until, err = models.ParseDay(before); err != nil {
			return nil, err
		}
	}
	rows, err := s.list(ctx, actor, until)
	if err != nil {
		return nil, fmt.Errorf("list closing reports: %w", err)
	}
	list := &List{}
	if len(rows) > closingsPage {
		rows = rows[:closingsPage]
		list.Next = rows[closingsPage-1].Day
	}
	list.Lines = make([]Line, len(rows))
	for i := range rows {
		l := &list.Lines[i]
		r := &rows[i]
		l.Closing = Closing{Day: r.Day, CutoffAt: r.CutoffAt, ClosedAt: r.ClosedAt, Hash: r.Hash}
		l.Sums.fill(r.Counts, r.Amounts)
		if !r.Changed {
			continue
		}
		if l.Since, l.More, err = s.countAmendments(ctx, actor, &l.Closing); err != nil {
			return nil, err
		}
	}
	return list, s.recordClosing(ctx, actor, models.ActionClosingRead, map[string]any{"list": true, "days": len(list.Lines)})
}

// listRow is a line as the database has it.
type listRow struct {
	Day                models.Day
	CutoffAt, ClosedAt time.Time
	Hash               []byte
	Counts, Amounts    []int64
	Changed            bool
}

// list reads a page of lines. Sums that were read before of the same reports are not
// added up again for who reads all stores.
func (s *Service) list(ctx context.Context, actor models.Actor, until models.Day) ([]listRow, error) {
	known := map[models.Day]listRow{}
	if actor.AllStores {
		known = s.frozen.all()
	}
	read := func(days []models.Day) ([]listRow, error) {
		return database.Rows[listRow](ctx, s.db, listSQL, until, actor.AllStores, actor.StoreIDs, closingsPage+1, days)
	}
	rows, err := read(slices.AppendSeq([]models.Day{}, maps.Keys(known)))
	other := func(r listRow) bool {
		k, ok := known[r.Day]
		return ok && !bytes.Equal(k.Hash, r.Hash)
	}
	if err == nil && slices.ContainsFunc(rows, other) {
		known = nil
		rows, err = read([]models.Day{})
	}
	for i := range rows {
		if k, ok := known[rows[i].Day]; ok {
			rows[i].Counts, rows[i].Amounts = k.Counts, k.Amounts
		}
	}
	if err == nil && actor.AllStores {
		s.frozen.keep(rows)
	}
	return rows, err
}

// frozen keeps the sums of all stores by the day whose report froze them. Of a chain, each
// is that of thousands of rows, and no report changes.
type frozen struct {
	mu   sync.Mutex
	rows map[models.Day]listRow
}

func (f *frozen) all() map[models.Day]listRow {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.rows)
}

func (f *frozen) keep(rows []listRow) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rows == nil {
		f.rows = map[models.Day]listRow{}
	}
	for i := range rows {
		f.rows[rows[i].Day] = rows[i]
	}
}

// listSQL adds up the terminals of the actor's stores, of which a chain has 50,000 in a
// page, but of the days $5, and finds the days of which one has changed since: the elements are named, because
// opening each array as rows takes nine times as long, and EXISTS would compare all days.
var listSQL = `SELECT c.day, c.cutoff_at, c.closed_at, c.hash, t.counts, t.amounts,
		(SELECT count(*) > 0 FROM day_totals d
			LEFT JOIN closing_terminals f ON (f.day, f.store_id, f.terminal_id) = (c.day, d.store_id, d.terminal_id)
			WHERE d.business_day = c.day AND d.revision IS DISTINCT FROM f.revision AND ($2 OR d.store_id = ANY($3))) AS changed
	FROM closings c CROSS JOIN LATERAL (
		SELECT ` + summed("counts") + ` AS counts, ` + summed("sums") + ` AS amounts FROM closing_terminals t
		WHERE t.day = c.day AND c.day <> ALL($5::date[]) AND ($2 OR t.store_id = ANY($3))) t
	WHERE c.day < $1 ORDER BY c.day DESC LIMIT $4`

// summed adds up an array of closing_terminals t element by element.
func summed(array string) string {
	sums := make([]string, len(stateLetters))
	for i := range sums {
		sums[i] = fmt.Sprintf("coalesce(sum(t.%s[%d]), 0)", array, i+1)
	}
	return "ARRAY[" + strings.Join(sums, ", ") + "]::bigint[]"
}

// Report is a report limited to the user's stores, with what has changed since. The
// hash is that of the whole report.
type Report struct {
	Closing
	Whole      bool // the user sees every store
	Sums       Sums
	Stores     []StoreSums
	Amendments []Amendment // the latest first, at most maxAmendments
	More       bool        // there are others
	After      []After
	Doubts     []DoubtfulSale
}

// DoubtfulSale is a sale that was in doubt or pending when the day was closed, and
// still is.
type DoubtfulSale struct {
	SaleID       int64
	OrderID      string
	StoreID      int64
	SerialNumber models.SerialNumber
	Amount       models.Money
	State        models.SaleState
	Since        time.Time
}

// Use is what a report is read for.
type Use string

// The uses of a report. Each is recorded in the trail.
const (
	Shown Use = "page"
	CSV   Use = "csv"
	JSON  Use = "json" // the bytes that were hashed: for users who see every store
)

// ClosingReport returns the report of a day.
//
// Errors: ErrForbidden, also for the bytes when the actor does not see every store;
// ErrNotFound when there is none.
func (s *Service) ClosingReport(ctx context.Context, actor models.Actor, day string, use Use) (*Report, error) {
	if !actor.May(models.Oversee) {
		return nil, models.ErrForbidden
	}
	of, err := models.ParseDay(day)
	if err != nil {
		return nil, models.ErrNotFound
	}
	r := &Report{Whole: actor.AllStores}
	if err := database.TakeRow(s.db.Gorm().WithContext(ctx).Where("day = ?", of), &r.Closing); err != nil {
		return nil, err
	}
	if use == JSON && !actor.AllStores {
		if err := s.audit.Refused(ctx, actor, "closing "+string(of)); err != nil {
			return nil, err
		}
		return nil, models.Recorded(models.ErrForbidden)
	}
	if use != JSON {
		if err := s.readReport(ctx, actor, r); err != nil {
			return nil, fmt.Errorf("read closing report of %s: %w", of, err)
		}
	}
	action := models.ActionClosingExported
	if use == Shown {
		action = models.ActionClosingRead
	}
	return r, s.recordClosing(ctx, actor, action, map[string]any{"day": of, "use": use})
}

func (s *Service) readReport(ctx context.Context, actor models.Actor, r *Report) error {
	var rows []terminalRow
	err := s.db.Gorm().WithContext(ctx).Table("closing_terminals").Select(terminalColumns).
		Where("day = ? AND (? OR store_id IN ?)", r.Day, actor.AllStores, actor.StoreIDs).
		Order("store_code, store_id, serial_number").Scan(&rows).Error
	if err != nil {
		return err
	}
	r.Stores, r.Sums = byStore(terminalsOf(rows))
	if r.Amendments, r.More, err = s.amendments(ctx, actor, &r.Closing); err != nil {
		return err
	}
	if r.After, err = s.soldAfter(ctx, actor, &r.Closing); err != nil {
		return err
	}
	r.Doubts, err = s.doubtfulSales(ctx, actor, &r.Closing)
	return err
}

// maxDoubts limits the doubts that a report lists; the others are in the inbox.
const maxDoubts = 200

func (s *Service) doubtfulSales(ctx context.Context, actor models.Actor, c *Closing) ([]DoubtfulSale, error) {
	return database.Rows[DoubtfulSale](ctx, s.db, `SELECT s.id AS sale_id, s.order_id, s.store_id, s.serial_number,
			s.amount, s.state, w.changed_at AS since
		FROM sales s JOIN cancellations w ON w.sale_id = s.id AND w.state IN `+models.OpenSQL+`
		WHERE s.business_day = $1 AND ($2 OR s.store_id = ANY($3)) AND w.requested_at < $4
		ORDER BY w.changed_at, s.id LIMIT $5`, c.Day, actor.AllStores, actor.StoreIDs, c.ClosedAt, maxDoubts)
}

func (s *Service) recordClosing(ctx context.Context, actor models.Actor, action models.Action, after map[string]any) error {
	err := s.db.InTx(ctx, func(t database.Tx) error {
		return audit.Record(t, actor, s.clock.Now(), action, models.OutcomeSuccess, audit.About{After: after})
	})
	if err != nil {
		return fmt.Errorf("record reading of a closing report: %w", err)
	}
	return nil
}
