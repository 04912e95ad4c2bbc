package oversight

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/stats"
)

// CancellationTally counts cancellations by outcome. Only those in Canceled are
// canceled.
type CancellationTally struct {
	Requested   int64 // all of them
	Canceled    int64
	Amount      models.Money // of the canceled
	InDoubt     int64
	Rejected    int64
	NotCanceled int64
	UnderWay    int64
	Dropped     int64 // withdrawn, or too late before anything was sent
}

func (t *CancellationTally) add(o CancellationTally) {
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
	Amount models.Money
}

func (t *SalesTally) add(o SalesTally) {
	t.Sales += o.Sales
	t.Amount += o.Amount
}

// Row is one person, approver, reason, terminal or store in the report.
type Row struct {
	Key  string // u7, k7 or "" for people; else the reason's code or an id
	ID   int64  // of a user, terminal or store
	Name string // the present name of a person
	// StoreID is where a terminal sold in the period; 0 of other rows.
	StoreID int64
	CancellationTally
	// Against are the sales of the same scope: those of the terminal or the store
	// itself, or for a person those of the stores in which they canceled.
	Against SalesTally
	// Usual is the average of the weeks before, as far as they have data.
	Usual Usual
	Own   Judgement // against their own average
	Peers Judgement // against the others of the same stores
	Rank  float64   // the highest lower bound of the comparisons that are outliers
	// Line is the share of the sales that was canceled in each of the weeks before, oldest
	// first, and in the period; negative where a week is not known.
	Line []float64
}

// Usual is the average of the weeks before the period.
type Usual struct {
	Weeks    int // of usualWeeks, those with data
	Canceled int64
	Amount   models.Money
	Against  SalesTally
}

// Judgement is a comparison, or states that there is too little data to compare.
type Judgement struct {
	stats.Comparison
	Few    bool // too little data: nothing is compared
	Others int  // the number of subjects it was compared with
}

// Out reports whether it is an outlier.
func (j Judgement) Out() bool { return !j.Few && j.Comparison.Out() }

// Nothing is compared with fewer cancellations, weeks or others than these.
const (
	minCancellations = 3
	MinWeeks         = 3
	minOthers        = 2
)

// Report is what was canceled in a period, by person, approver, reason, terminal or
// store.
type Report struct {
	Filter Filter // filled
	Rows   []Row  // the strongest outlier first
	Total  Row    // of all stores of the query
	Weeks  []Week // the weeks before, oldest first, and the period itself
	Most   Most
}

// Week is a week of the average, or the whole period.
type Week struct {
	From, To models.Day
	CancellationTally
	Against SalesTally
}

// Report counts cancellations and compares them.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the scope, what is wrong
// with the filter.
func (o *Service) Report(ctx context.Context, actor models.Actor, f Filter) (*Report, error) {
	l, err := o.newQuery(ctx, actor, f)
	if err != nil {
		return nil, err
	}
	report, err := l.report(ctx)
	if err != nil {
		return nil, fmt.Errorf("report by %s: %w", l.By, err)
	}
	return report, nil
}

// bucket is what one subject did in one store in one week; thisWeek is the period.
type bucket struct {
	Key   string
	Store int64
	Week  int
	CancellationTally
	Late int64 // of those not dropped, requested in the last minutes
	Last int64 // the newest row, which has the name
}

const thisWeek = -1

// soldBucket is what one terminal sold in one store in one week, or the store with the
// terminal 0.
type soldBucket struct {
	Store, Terminal int64
	Week            int
	SalesTally
}

func (l *query) report(ctx context.Context) (*Report, error) {
	buckets, err := l.buckets(ctx, l.By)
	if err != nil {
		return nil, err
	}
	sold, err := l.sold(ctx, l.By == ByTerminal)
	if err != nil {
		return nil, err
	}
	all := buckets
	if l.By == ByApprover {
		if all, err = l.buckets(ctx, ByStore); err != nil {
			return nil, err
		}
	}
	r := &Report{Filter: l.Filter, Rows: newBaseline(l.By, buckets, sold).judge()}
	r.Total, r.Weeks = l.total(all, sold)
	if r.Most, err = l.most(ctx); err != nil {
		return nil, err
	}
	if err := l.name(ctx, r.Rows, buckets); err != nil {
		return nil, err
	}
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(b.Canceled, a.Canceled), cmp.Compare(b.Amount, a.Amount),
			cmp.Compare(b.Requested, a.Requested), cmp.Compare(a.Key, b.Key))
	})
	return r, nil
}

// factKeys are the constant SQL expressions by which facts are grouped.
var factKeys = map[By]string{
	ByPerson: "f.requester", ByReason: "f.reason", ByTerminal: "f.terminal_id::text", ByStore: "f.store_id::text",
}

// buckets counts the facts by subject, store and week.
func (l *query) buckets(ctx context.Context, by By) ([]bucket, error) {
	key, from, last := factKeys[by], "case_facts f", "f.case_id"
	if by == ByApprover {
		// A person who approved one cancellation twice is counted once.
		key, last = "a.approver", "a.id"
		from = `(SELECT approver, case_id, max(id) AS id FROM approvals
			WHERE day BETWEEN $1 AND $3 AND store_id = ANY($4) GROUP BY approver, case_id) a JOIN case_facts f USING (case_id)`
	}
	buckets, err := rowsOf[bucket](ctx, l, `SELECT `+key+` AS key, f.store_id AS store,
			CASE WHEN f.day >= $2 THEN -1 ELSE ($2::date - 1 - f.day) / 7 END AS week, count(*) AS requested,
			count(*) FILTER (WHERE f.state = `+models.ConfirmedSQL+`) AS canceled,
			coalesce(sum(f.amount) FILTER (WHERE f.state = `+models.ConfirmedSQL+`), 0)::bigint AS amount,
			count(*) FILTER (WHERE f.state = `+models.UnknownSQL+`) AS in_doubt,
			count(*) FILTER (WHERE f.state = `+models.RejectedSQL+`) AS rejected,
			count(*) FILTER (WHERE f.state = `+models.NotCanceledSQL+`) AS not_canceled,
			count(*) FILTER (WHERE f.state IN `+models.UnderWaySQL+`) AS under_way,
			count(*) FILTER (WHERE f.state IN `+models.NeverSentSQL+`) AS dropped,
			count(*) FILTER (WHERE f.requested_at < f.cutoff_at AND f.requested_at >= f.cutoff_at - $5 * interval '1 minute'
				AND f.state NOT IN `+models.NeverSentSQL+`) AS late, max(`+last+`) AS last
		FROM `+from+` WHERE f.day BETWEEN $1 AND $3 AND f.store_id = ANY($4) GROUP BY 1, 2, 3`,
		string(l.begin()), string(l.From), string(l.To), l.stores, l.Minutes)
	if err != nil {
		return nil, fmt.Errorf("count cancellations: %w", err)
	}
	return buckets, nil
}

// sold adds up the sales by store and week, of which a chain has three thousand, or by
// terminal too.
func (l *query) sold(ctx context.Context, byTerminal bool) ([]soldBucket, error) {
	// A plan that serves every reader goes from store to store, which takes a chain five times as long.
	sold, err := rowsOf[soldBucket](ctx, l, `SELECT store_id AS store, CASE WHEN $5 THEN terminal_id ELSE 0 END AS terminal,
			CASE WHEN business_day >= $2 THEN -1 ELSE ($2::date - 1 - business_day) / 7 END AS week,
			sum(sales)::bigint AS sales, sum(amount)::bigint AS amount
		FROM day_totals WHERE business_day BETWEEN $1 AND $3 AND store_id = ANY($4) GROUP BY 1, 2, 3`,
		pgx.QueryExecModeCacheDescribe, string(l.begin()), string(l.From), string(l.To), l.stores, byTerminal)
	if err != nil {
		return nil, fmt.Errorf("add up sales: %w", err)
	}
	return sold, nil
}

// total adds everything up, also by week.
func (l *query) total(buckets []bucket, sold []soldBucket) (Row, []Week) {
	var total Row
	weeks := make([]Week, usualWeeks+1)
	at := func(week int) *Week { return &weeks[usualWeeks-1-week] }
	for i := range usualWeeks {
		to := l.From.Plus(-7*i - 1)
		at(i).From, at(i).To = to.Plus(-6), to
	}
	at(thisWeek).From, at(thisWeek).To = l.From, l.To
	for i := range buckets {
		at(buckets[i].Week).CancellationTally.add(buckets[i].CancellationTally)
	}
	for i := range sold {
		at(sold[i].Week).Against.add(sold[i].SalesTally)
	}
	total.CancellationTally, total.Against = at(thisWeek).CancellationTally, at(thisWeek).Against
	for _, w := range weeks[:usualWeeks] {
		if w.Against.Sales > 0 {
			total.Usual.add(w.CancellationTally, w.Against)
		}
	}
	total.Own = total.own()
	return total, weeks
}

// name fills in the present names of people. Those who are no longer listed keep
// their last known name.
func (l *query) name(ctx context.Context, rows []Row, buckets []bucket) error {
	if l.By != ByPerson && l.By != ByApprover {
		for i := range rows {
			rows[i].ID = idOf(rows[i].Key)
		}
		return nil
	}
	last := map[string]int64{}
	for i := range buckets {
		last[buckets[i].Key] = max(last[buckets[i].Key], buckets[i].Last)
	}
	var keys []string
	var newest []int64
	for i := range rows {
		keys, newest = append(keys, rows[i].Key), append(newest, last[rows[i].Key])
		if len(rows[i].Key) > 1 {
			rows[i].ID = idOf(rows[i].Key[1:])
		}
	}
	names, err := l.names(ctx, l.By, keys, newest)
	if err != nil {
		return err
	}
	for i := range names {
		if rows[i].Key != "" {
			rows[i].Name = names[i]
		}
	}
	return nil
}

// names are the present names of people and programs, in the order of their keys; of those
// who are no longer listed, what they were called then.
func (l *query) names(ctx context.Context, by By, keys []string, newest []int64) ([]string, error) {
	then := `SELECT requester_name FROM case_facts f WHERE f.case_id = n.newest`
	if by == ByApprover {
		then = `SELECT approver_name FROM approvals a WHERE a.id = n.newest`
	}
	rows, err := rowsOf[struct{ Name string }](ctx, l, `SELECT coalesce(
			(SELECT name FROM users WHERE n.key = 'u' || id), (SELECT name FROM api_keys WHERE n.key = 'k' || id), (`+then+`), '') AS name
		FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS n(key, newest, row) ORDER BY n.row`, keys, newest)
	if err != nil {
		return nil, fmt.Errorf("name people: %w", err)
	}
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = rows[i].Name
	}
	return names, nil
}
