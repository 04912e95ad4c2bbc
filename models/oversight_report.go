package models

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"veinte/models/odds"
)

// CaseTally counts cases by what became of them. Only Canceled are canceled.
type CaseTally struct {
	Requested   int64 // all of them
	Canceled    int64
	Amount      Money // of the canceled
	InDoubt     int64
	Rejected    int64
	NotCanceled int64
	UnderWay    int64
	Dropped     int64 // taken back, or too late before anything was sent
}

func (t *CaseTally) add(o CaseTally) {
	t.Requested += o.Requested
	t.Canceled += o.Canceled
	t.Amount += o.Amount
	t.InDoubt += o.InDoubt
	t.Rejected += o.Rejected
	t.NotCanceled += o.NotCanceled
	t.UnderWay += o.UnderWay
	t.Dropped += o.Dropped
}

// SalesTally are the sales that a number of cancellations is measured against.
type SalesTally struct {
	Sales  int64
	Amount Money
}

func (t *SalesTally) add(o SalesTally) {
	t.Sales += o.Sales
	t.Amount += o.Amount
}

// OversightRow is one person, approver, reason, terminal or store in the report.
type OversightRow struct {
	Key  string // u7, k7 or "" for people; else the reason's code or an id
	ID   int64  // of a user, terminal or store
	Name string // of people, as they are called now
	CaseTally
	// Against are the sales of the same scope: of a terminal its own, of a store
	// its own, of a person those of the stores in which they canceled.
	Against SalesTally
	// Usual is the average of the weeks before, by what it knows of them.
	Usual Usual
	Own   Judgement // against their own average
	Peers Judgement // against the others of the same stores
	Rank  float64   // how far out: the highest bound of those that stand out
}

// Usual is what the weeks before the period were like.
type Usual struct {
	Weeks    int // of usualWeeks, in which anything is known
	Canceled int64
	Amount   Money
	Against  SalesTally
}

// Judgement is a comparison, or that there is too little to compare.
type Judgement struct {
	odds.Comparison
	Few    bool // too little is known: nothing is judged
	Others int  // with how many it was compared
}

// Out reports whether it stands out.
func (j Judgement) Out() bool { return !j.Few && j.Comparison.Out() }

// Nothing is judged from fewer cancellations, weeks or others than these.
const (
	fewCases  = 3
	fewWeeks  = 3
	fewOthers = 2
)

// OversightReport is what was canceled in a period, by somebody or something.
type OversightReport struct {
	Filter OversightFilter // filled
	Rows   []OversightRow  // how far out first
	Total  OversightRow    // of all stores that were looked into
	Weeks  []OversightWeek // the weeks before, oldest first, and the period itself
}

// OversightWeek is a week of the average, or the whole period.
type OversightWeek struct {
	From, To Day
	CaseTally
	Against SalesTally
}

// Report counts cancellations and compares them.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the scope, what is wrong
// with the filter.
func (o *Oversight) Report(ctx context.Context, actor Actor, f OversightFilter) (*OversightReport, error) {
	l, err := o.look(ctx, actor, f)
	if err != nil {
		return nil, err
	}
	report, err := l.report(ctx)
	if err != nil {
		return nil, fmt.Errorf("report by %s: %w", l.By, err)
	}
	return report, nil
}

// cell is what one subject did in one store in one week; thisWeek is the period.
type cell struct {
	key   string
	store int64
	week  int
	CaseTally
	late int64 // of those not dropped, asked for in the last minutes
	last int64 // the newest row, which has the name
}

const thisWeek = -1

// soldCell is what one terminal sold in one store in one week.
type soldCell struct {
	store, terminal int64
	week            int
	SalesTally
}

func (l *look) report(ctx context.Context) (*OversightReport, error) {
	cells, err := l.cells(ctx, l.By)
	if err != nil {
		return nil, err
	}
	sold, err := l.sold(ctx)
	if err != nil {
		return nil, err
	}
	all := cells
	if l.By == ByApprover {
		if all, err = l.cells(ctx, ByStore); err != nil {
			return nil, err
		}
	}
	r := &OversightReport{Filter: l.OversightFilter, Rows: newBench(l.By, cells, sold).judge()}
	r.Total, r.Weeks = l.total(all, sold)
	if err := l.name(ctx, r.Rows, cells); err != nil {
		return nil, err
	}
	slices.SortStableFunc(r.Rows, func(a, b OversightRow) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(b.Canceled, a.Canceled), cmp.Compare(b.Amount, a.Amount),
			cmp.Compare(b.Requested, a.Requested), cmp.Compare(a.Key, b.Key))
	})
	return r, nil
}

// factKeys are the constant expressions by which facts are counted.
var factKeys = map[OversightBy]string{
	ByPerson: "f.requester", ByReason: "f.reason", ByTerminal: "f.terminal_id::text", ByStore: "f.store_id::text",
}

// cells counts the facts by subject, store and week.
func (l *look) cells(ctx context.Context, by OversightBy) ([]cell, error) {
	key, from, last := factKeys[by], "case_facts f", "f.case_id"
	if by == ByApprover {
		// Whoever said something of one case twice approved one case.
		key, last = "a.approver", "a.id"
		from = `(SELECT approver, case_id, max(id) AS id FROM approvals
			WHERE day BETWEEN $1 AND $3 AND store_id = ANY($4) GROUP BY approver, case_id) a JOIN case_facts f USING (case_id)`
	}
	rows, err := l.db.pool.Query(ctx, `SELECT `+key+`, f.store_id, CASE WHEN f.day >= $2 THEN -1 ELSE ($2::date - 1 - f.day) / 7 END,
			count(*), count(*) FILTER (WHERE f.state = `+ConfirmedSQL+`),
			coalesce(sum(f.amount) FILTER (WHERE f.state = `+ConfirmedSQL+`), 0)::bigint,
			count(*) FILTER (WHERE f.state = `+UnknownSQL+`), count(*) FILTER (WHERE f.state = `+RejectedSQL+`),
			count(*) FILTER (WHERE f.state = `+NotCanceledSQL+`), count(*) FILTER (WHERE f.state IN `+UnderWaySQL+`),
			count(*) FILTER (WHERE f.state IN `+NeverSentSQL+`),
			count(*) FILTER (WHERE f.requested_at < f.cutoff_at AND f.requested_at >= f.cutoff_at - $5 * interval '1 minute'
				AND f.state NOT IN `+NeverSentSQL+`), max(`+last+`)
		FROM `+from+` WHERE f.day BETWEEN $1 AND $3 AND f.store_id = ANY($4) GROUP BY 1, 2, 3`,
		string(l.begin()), string(l.From), string(l.To), l.stores, l.Minutes)
	if err != nil {
		return nil, fmt.Errorf("count cases: %w", err)
	}
	cells, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c cell, err error) {
		err = row.Scan(&c.key, &c.store, &c.week, &c.Requested, &c.Canceled, &c.Amount, &c.InDoubt, &c.Rejected, &c.NotCanceled, &c.UnderWay, &c.Dropped, &c.late, &c.last)
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("count cases: %w", err)
	}
	return cells, nil
}

// sold adds up the sales by terminal and week.
func (l *look) sold(ctx context.Context) ([]soldCell, error) {
	rows, err := l.db.pool.Query(ctx, `SELECT store_id, terminal_id, CASE WHEN business_day >= $2 THEN -1 ELSE ($2::date - 1 - business_day) / 7 END,
			sum(sales)::bigint, sum(amount)::bigint
		FROM day_totals WHERE business_day BETWEEN $1 AND $3 AND store_id = ANY($4) GROUP BY 1, 2, 3`,
		string(l.begin()), string(l.From), string(l.To), l.stores)
	if err != nil {
		return nil, fmt.Errorf("add up sales: %w", err)
	}
	sold, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c soldCell, err error) {
		err = row.Scan(&c.store, &c.terminal, &c.week, &c.Sales, &c.Amount)
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("add up sales: %w", err)
	}
	return sold, nil
}

// total adds everything up, and tells the weeks apart.
func (l *look) total(cells []cell, sold []soldCell) (OversightRow, []OversightWeek) {
	var total OversightRow
	weeks := make([]OversightWeek, usualWeeks+1)
	at := func(week int) *OversightWeek { return &weeks[usualWeeks-1-week] }
	for i := range usualWeeks {
		to := l.From.plus(-7*i - 1)
		at(i).From, at(i).To = to.plus(-6), to
	}
	at(thisWeek).From, at(thisWeek).To = l.From, l.To
	for i := range cells {
		at(cells[i].week).CaseTally.add(cells[i].CaseTally)
	}
	for i := range sold {
		at(sold[i].week).Against.add(sold[i].SalesTally)
	}
	total.CaseTally, total.Against = at(thisWeek).CaseTally, at(thisWeek).Against
	for _, w := range weeks[:usualWeeks] {
		if w.Against.Sales == 0 {
			continue
		}
		total.Usual.add(w.CaseTally, w.Against)
	}
	total.Own = total.own()
	return total, weeks
}

// name finds out what people are called now; of those who are in no list, what
// they were called last.
func (l *look) name(ctx context.Context, rows []OversightRow, cells []cell) error {
	if l.By != ByPerson && l.By != ByApprover {
		for i := range rows {
			rows[i].ID = idOf(rows[i].Key)
		}
		return nil
	}
	last := map[string]int64{}
	for i := range cells {
		last[cells[i].key] = max(last[cells[i].key], cells[i].last)
	}
	var keys []string
	var newest []int64
	for i := range rows {
		keys, newest = append(keys, rows[i].Key), append(newest, last[rows[i].Key])
		if len(rows[i].Key) > 1 {
			rows[i].ID = idOf(rows[i].Key[1:])
		}
	}
	names, err := l.names(ctx, keys, newest)
	for i := range rows {
		rows[i].Name = names[rows[i].Key]
	}
	return err
}

func (l *look) names(ctx context.Context, keys []string, newest []int64) (map[string]string, error) {
	then := `SELECT requester_name FROM case_facts f WHERE f.case_id = n.newest`
	if l.By == ByApprover {
		then = `SELECT approver_name FROM approvals a WHERE a.id = n.newest`
	}
	rows, err := l.db.pool.Query(ctx, `SELECT n.key, coalesce(
			(SELECT name FROM users WHERE n.key = 'u' || id), (SELECT name FROM api_keys WHERE n.key = 'k' || id), (`+then+`), '')
		FROM unnest($1::text[], $2::bigint[]) AS n(key, newest) WHERE n.key <> ''`, keys, newest)
	if err != nil {
		return nil, fmt.Errorf("name people: %w", err)
	}
	names := map[string]string{}
	var key, name string
	_, err = pgx.ForEachRow(rows, []any{&key, &name}, func() error {
		names[key] = name
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("name people: %w", err)
	}
	return names, nil
}
