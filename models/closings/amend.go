package closings

import (
	"context"
	"fmt"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Amendment is a sale that has changed since its day's report.
type Amendment struct {
	SaleID       int64
	StoreID      int64
	StoreName    string
	OrderID      string
	SerialNumber models.SerialNumber
	Was, Now     ClosedAs // "" when the sale did not exist, or no longer does
	WasAmount    models.Money
	NowAmount    models.Money
	At           *time.Time // when it changed; nil when unknown
}

// Arrived reports whether the sale arrived after its day was closed.
func (a *Amendment) Arrived() bool { return a.Was == "" }

// Undone reports whether the sale was removed with its import.
func (a *Amendment) Undone() bool { return a.Now == "" }

// maxAmendments limits the amendments that a report lists, and maxCounted those that
// the list of reports counts for a day. Where there are more, both show it.
const (
	maxAmendments = 200
	maxCounted    = 100
)

// amendedSQL compares the frozen status of each sale of day $1, closed by the
// cut-off $2, with its present one, store by store until $5 amendments are found:
// those that a report could have had, or with $6 the sales made after the cut-off.
// Every change of a terminal's day raises its revision, so only terminals with a
// change are compared; a sale never moves to another terminal. Each OFFSET 0
// prevents the planner from reading the whole day instead of store by store.
const amendedSQL = `WITH changed AS MATERIALIZED (
		SELECT d.store_id, d.terminal_id FROM day_totals d
			LEFT JOIN closing_terminals t ON (t.day, t.store_id, t.terminal_id) = (d.business_day, d.store_id, d.terminal_id)
		WHERE d.business_day = $1 AND d.revision IS DISTINCT FROM t.revision AND ($3 OR d.store_id = ANY($4))),
	amended AS (
		SELECT x.* FROM (SELECT DISTINCT store_id FROM changed ORDER BY store_id) c CROSS JOIN LATERAL (
			SELECT coalesce(was.id, is_now.id) AS id, c.store_id,
				coalesce(was.letter, '') AS was, coalesce(is_now.letter, '') AS now,
				coalesce(was.amount, 0) AS was_amount, coalesce(is_now.amount, 0) AS now_amount
			FROM (SELECT f.id, f.amount, f.letter FROM changed h
					JOIN closing_terminals t ON (t.day, t.store_id, t.terminal_id) = ($1, h.store_id, h.terminal_id)
					CROSS JOIN LATERAL unnest(t.sale_ids, t.amounts, string_to_array(t.standings, NULL)) f(id, amount, letter)
				WHERE h.store_id = c.store_id OFFSET 0) was
			FULL JOIN (SELECT s.id, s.amount, ` + stateSQL + ` AS letter
				FROM (SELECT * FROM sales y WHERE y.store_id = c.store_id AND y.business_day = $1 OFFSET 0) s
				WHERE s.terminal_id IN (SELECT terminal_id FROM changed h WHERE h.store_id = c.store_id) OFFSET 0) is_now ON is_now.id = was.id
			WHERE (was.letter, was.amount) IS DISTINCT FROM (is_now.letter, is_now.amount)
				AND (was.id IS NULL AND is_now.letter = 'l') = $6 OFFSET 0) x
		LIMIT $5) `

// Change is what happened to a sale since its day's report.
type Change string

// The changes, in the order in which the list of reports names them.
const (
	ChangeOutcome   Change = "outcome"   // it is known now how a request ended
	ChangeResolved  Change = "resolved"  // a doubt ended
	ChangeDoubt     Change = "doubt"     // it is in doubt since
	ChangeArrived   Change = "arrived"   // it came after the report
	ChangeCorrected Change = "corrected" // its amount is another
	ChangeUndone    Change = "undone"    // it was removed with its import
	ChangeOther     Change = "other"
)

// ChangesAll lists the changes.
var ChangesAll = []Change{
	ChangeOutcome, ChangeResolved, ChangeDoubt, ChangeArrived, ChangeCorrected, ChangeUndone, ChangeOther,
}

// Changes are how many sales have changed, by how.
type Changes map[Change]int64

// changeSQL says of a row of amended how the sale has changed.
const changeSQL = `CASE WHEN was = '' THEN '` + string(ChangeArrived) + `' WHEN now = '' THEN '` + string(ChangeUndone) + `'
	WHEN was = now THEN '` + string(ChangeCorrected) + `' WHEN now = 'd' THEN '` + string(ChangeDoubt) + `'
	WHEN now NOT IN ('c', 'r', 'n') THEN '` + string(ChangeOther) + `' WHEN was = 'd' THEN '` + string(ChangeResolved) + `'
	ELSE '` + string(ChangeOutcome) + `' END`

// countAmendments counts to maxCounted, and reports whether there are more.
func (s *Service) countAmendments(ctx context.Context, actor models.Actor, c *Closing) (changes Changes, more bool, err error) {
	rows, err := database.Rows[struct {
		Change Change
		N      int64
	}](ctx, s.db, amendedSQL+`SELECT `+changeSQL+` AS change, count(*) AS n FROM amended GROUP BY 1`,
		c.Day, c.CutoffAt, actor.AllStores, actor.StoreIDs, maxCounted+1, false)
	if err != nil {
		return nil, false, fmt.Errorf("count what changed since the closing of %s: %w", c.Day, err)
	}
	changes, all := Changes{}, int64(0)
	for _, r := range rows {
		changes[r.Change] = r.N
		all += r.N
	}
	return changes, all > maxCounted, nil
}

// amendments lists up to maxAmendments, the latest first, and reports whether there
// are more: then the list covers only the first stores.
func (s *Service) amendments(ctx context.Context, actor models.Actor, c *Closing) (list []Amendment, more bool, err error) {
	list, err = database.Rows[Amendment](ctx, s.db, amendedSQL+`SELECT a.id AS sale_id, a.store_id, o.name AS store_name,
			coalesce(s.order_id, u.sale->>'order_id', '') AS order_id,
			coalesce(s.serial_number, u.sale->>'serial_number', '') AS serial_number, a.was, a.now, a.was_amount, a.now_amount,
			CASE WHEN a.was = '' THEN s.received_at WHEN a.now = '' THEN u.undone_at
				ELSE coalesce((SELECT max(w.changed_at) FROM cancellations w WHERE w.sale_id = a.id),
					(SELECT max(e.at) FROM audit_entries e WHERE e.sale_id = a.id AND e.action = 'sale.corrected')) END AS at
		FROM amended a JOIN stores o ON o.id = a.store_id LEFT JOIN sales s ON s.id = a.id LEFT JOIN undone_sales u ON u.sale_id = a.id
		ORDER BY at DESC NULLS LAST, a.id DESC`, c.Day, c.CutoffAt, actor.AllStores, actor.StoreIDs, maxAmendments+1, false)
	for i := range list {
		list[i].Was, list[i].Now = stateOf(string(list[i].Was)), stateOf(string(list[i].Now))
	}
	if len(list) > maxAmendments {
		return list[:maxAmendments], true, err
	}
	return list, false, err
}

// After is what a store sold after the cut-off and the report does not include.
type After struct {
	Name string
	models.Sum
}

// AfterCutoff sums what was sold after the cut-off.
func (r *Report) AfterCutoff() (all models.Sum) {
	for i := range r.After {
		all.Add(r.After[i].Sum)
	}
	return all
}

// soldAfter sums by store what was sold after the cut-off and arrived after the
// report.
func (s *Service) soldAfter(ctx context.Context, actor models.Actor, c *Closing) ([]After, error) {
	return database.Rows[After](ctx, s.db, amendedSQL+`SELECT o.name, count(*) AS count, sum(a.now_amount)::bigint AS amount
		FROM amended a JOIN stores o ON o.id = a.store_id
		GROUP BY o.id, o.code, o.name ORDER BY o.code`, c.Day, c.CutoffAt, actor.AllStores, actor.StoreIDs, nil, true)
}

// stateOf returns the status of a letter; "" for an unknown one.
func stateOf(letter string) ClosedAs {
	if i := strings.Index(stateLetters, letter); letter != "" && i >= 0 {
		return ClosedAll[i]
	}
	return ""
}
