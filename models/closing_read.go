package models

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// closingsPage is how many days a page of the list holds: a month of them.
const closingsPage = 31

// ClosingLine is a report as the list shows it: as far as the reader's stores go.
type ClosingLine struct {
	Closing
	Sums    ClosingSums
	Amended int64 // sales that are no longer as they were, at most mostCounted
	More    bool  // and others
}

// ClosingList is a page of reports, newest first.
type ClosingList struct {
	Lines []ClosingLine
	Next  Day // the day before which the next page begins; "" at the end
}

// Closings lists the reports before a day, "" for the newest.
//
// Errors: ErrForbidden, date.invalid.
func (s *Cancellations) Closings(ctx context.Context, actor Actor, before string) (*ClosingList, error) {
	if !actor.May(Oversee) {
		return nil, ErrForbidden
	}
	until := Day("9999-12-31")
	if before != "" {
		var err error
		if until, err = ParseDay(before); err != nil {
			return nil, err
		}
	}
	rows, err := s.db.pool.Query(ctx, `SELECT c.day, c.cutoff_at, c.closed_at, c.hash,
			(SELECT array_agg(n ORDER BY i) FROM (SELECT i, sum(n) AS n FROM closing_terminals t, unnest(t.counts) WITH ORDINALITY x(n, i)
				WHERE t.day = c.day AND ($2 OR t.store_id = ANY($3)) GROUP BY i) y)::bigint[],
			(SELECT array_agg(n ORDER BY i) FROM (SELECT i, sum(n) AS n FROM closing_terminals t, unnest(t.sums) WITH ORDINALITY x(n, i)
				WHERE t.day = c.day AND ($2 OR t.store_id = ANY($3)) GROUP BY i) y)::bigint[]
		FROM closings c WHERE c.day < $1 ORDER BY c.day DESC LIMIT $4`, until, actor.AllStores, actor.StoreIDs, closingsPage+1)
	if err != nil {
		return nil, fmt.Errorf("list closing reports: %w", err)
	}
	list := &ClosingList{}
	list.Lines, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (l ClosingLine, err error) {
		var counts, sums []int64
		err = row.Scan(&l.Day, &l.CutoffAt, &l.ClosedAt, &l.Hash, &counts, &sums)
		l.Sums.fill(counts, sums)
		return l, err
	})
	if err != nil {
		return nil, fmt.Errorf("list closing reports: %w", err)
	}
	if len(list.Lines) > closingsPage {
		list.Lines = list.Lines[:closingsPage]
		list.Next = list.Lines[closingsPage-1].Day
	}
	for i := range list.Lines {
		l := &list.Lines[i]
		if l.Amended, l.More, err = s.countAmendments(ctx, actor, &l.Closing); err != nil {
			return nil, err
		}
	}
	return list, s.recordClosing(ctx, actor, ActionClosingRead, map[string]any{"list": true, "days": len(list.Lines)})
}

// ClosingReport is a report as far as the reader's stores go, with what has
// changed since. The hash is that of the whole.
type ClosingReport struct {
	Closing
	Whole      bool // the reader sees every store
	Sums       ClosingSums
	Stores     []ClosingStore
	Amendments []Amendment // the latest first, at most mostAmendments
	More       bool        // and others
	After      []ClosingAfter
	Doubts     []ClosingDoubt
}

// ClosingDoubt is a sale that was in doubt or on its way when the day was closed,
// and still is.
type ClosingDoubt struct {
	SaleID       int64
	OrderID      string
	StoreID      int64
	SerialNumber SerialNumber
	Amount       Money
	State        SaleState
	Since        time.Time
}

// ClosingUse is what a report is read for.
type ClosingUse string

// The uses of a report. All are in the trail.
const (
	ClosingShown ClosingUse = "page"
	ClosingCSV   ClosingUse = "csv"
	ClosingJSON  ClosingUse = "json" // the bytes that were hashed: for whoever sees every store
)

// ClosingReport returns the report of a day.
//
// Errors: ErrForbidden, also for the bytes of stores that the actor does not see;
// ErrNotFound when there is none.
func (s *Cancellations) ClosingReport(ctx context.Context, actor Actor, day string, use ClosingUse) (*ClosingReport, error) {
	if !actor.May(Oversee) {
		return nil, ErrForbidden
	}
	of, err := ParseDay(day)
	if err != nil {
		return nil, ErrNotFound
	}
	r := &ClosingReport{Whole: actor.AllStores}
	if err := take(s.db.gorm.WithContext(ctx).Where("day = ?", of), &r.Closing); err != nil {
		return nil, err
	}
	if use == ClosingJSON && !actor.AllStores {
		if err := s.db.Refused(ctx, actor, s.clock.Now(), "closing "+string(of)); err != nil {
			return nil, err
		}
		return nil, Recorded(ErrForbidden)
	}
	if use != ClosingJSON {
		if err := s.readReport(ctx, actor, r); err != nil {
			return nil, fmt.Errorf("read closing report of %s: %w", of, err)
		}
	}
	action := ActionClosingExported
	if use == ClosingShown {
		action = ActionClosingRead
	}
	return r, s.recordClosing(ctx, actor, action, map[string]any{"day": of, "use": use})
}

func (s *Cancellations) readReport(ctx context.Context, actor Actor, r *ClosingReport) error {
	rows, err := s.db.pool.Query(ctx, `SELECT store_id, terminal_id, store_code, store_name, serial_number, counts, sums, sales_hash
		FROM closing_terminals WHERE day = $1 AND ($2 OR store_id = ANY($3)) ORDER BY store_code, store_id, serial_number`,
		r.Day, actor.AllStores, actor.StoreIDs)
	if err != nil {
		return err
	}
	terminals, err := pgx.CollectRows(rows, scanClosingTerminal)
	if err != nil {
		return err
	}
	r.Stores, r.Sums = byStore(terminals)
	if r.Amendments, r.More, err = s.amendments(ctx, actor, &r.Closing); err != nil {
		return err
	}
	if r.After, err = s.soldAfter(ctx, actor, &r.Closing); err != nil {
		return err
	}
	r.Doubts, err = s.closingDoubts(ctx, actor, &r.Closing)
	return err
}

// mostDoubts is how many doubts a report lists; the others are in the inbox.
const mostDoubts = 200

func (s *Cancellations) closingDoubts(ctx context.Context, actor Actor, c *Closing) ([]ClosingDoubt, error) {
	rows, err := s.db.pool.Query(ctx, `SELECT s.id, s.order_id, s.store_id, s.serial_number, s.amount, s.state, w.changed_at
		FROM sales s JOIN cancellations w ON w.sale_id = s.id AND w.state IN `+OpenSQL+`
		WHERE s.business_day = $1 AND ($2 OR s.store_id = ANY($3)) AND w.requested_at < $4
		ORDER BY w.changed_at, s.id LIMIT $5`, c.Day, actor.AllStores, actor.StoreIDs, c.ClosedAt, mostDoubts)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (d ClosingDoubt, err error) {
		err = row.Scan(&d.SaleID, &d.OrderID, &d.StoreID, &d.SerialNumber, &d.Amount, &d.State, &d.Since)
		return d, err
	})
}

func (s *Cancellations) recordClosing(ctx context.Context, actor Actor, action Action, after map[string]any) error {
	err := s.db.transaction(ctx, func(t tx) error {
		return t.record(actor, s.clock.Now(), action, OutcomeSuccess, about{after: after})
	})
	if err != nil {
		return fmt.Errorf("record reading of a closing report: %w", err)
	}
	return nil
}
