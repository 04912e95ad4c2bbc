package modelstest

import (
	"testing"

	"veinte/models"
)

// checkCommitted is called whenever an order arrives at the service: its attempt,
// the cancellation in sending and the audit entry must be visible to another
// connection, that is, committed.
func (o *Office) checkCommitted(order models.Order) {
	var committed bool
	err := o.Owner.QueryRow(`SELECT EXISTS (
		SELECT FROM attempts a JOIN cancellations c ON c.id = a.cancellation_id
		JOIN audit_entries e ON e.cancellation_id = c.id AND e.attempt_number = a.number
		WHERE a.key_hash = $1 AND a.meaning = '' AND a.number = c.attempts AND c.state IN ('sending', 'unknown', 'confirmed', 'rejected')
		AND e.action = 'cancellation.moved' AND e.after->>'state' = 'sending')`, order.Key.Hash()).Scan(&committed)
	if err != nil || !committed {
		o.tb.Errorf("order %s arrived at the service: attempt and audit entry committed = %t (%v), want true", order.OrderID, committed, err)
	}
}

// books are queries for what must never be in the database, whatever happened.
var books = []struct{ rule, broken string }{
	{"one open case per sale", `SELECT 'sale ' || sale_id FROM cancellations
		WHERE state IN ('requested', 'sending', 'accepted', 'unknown') GROUP BY sale_id HAVING count(*) > 1`},
	{"one push per terminal", `SELECT 'terminal ' || terminal_id FROM cancellations
		WHERE state IN ('sending', 'accepted') GROUP BY terminal_id HAVING count(*) > 1`},
	{"transitions are audit entries", `SELECT 'case ' || c.id || ' version ' || c.version || ' entries ' || count(e.id)
		FROM cancellations c LEFT JOIN audit_entries e ON e.cancellation_id = c.id
		AND e.action IN ('cancellation.requested', 'cancellation.moved') GROUP BY c.id HAVING count(e.id) <> c.version`},
	{"the trail is one chain of moves", `SELECT 'entry ' || id || ': ' || before::text || ' after ' || was FROM (
			SELECT id, before, lag(after->>'state') OVER (PARTITION BY cancellation_id ORDER BY id) AS was
			FROM audit_entries WHERE action IN ('cancellation.requested', 'cancellation.moved')) x
		WHERE was IS NOT NULL AND before->>'state' IS DISTINCT FROM was`},
	{"moves are told in the order in which they were made", `SELECT 'entry ' || id || ': ' || concat(x.before) || ' at ' || at
			|| ' after ' || was || ' at ' || was_at FROM (
			SELECT id, before, at, (after->>'sequence')::int AS n, row_number() OVER told AS place,
				lag(after->>'state') OVER told AS was, lag(at) OVER told AS was_at
			FROM audit_entries WHERE action IN ('cancellation.requested', 'cancellation.moved')
			WINDOW told AS (PARTITION BY cancellation_id ORDER BY era, txid, id)) x
		WHERE was IS NOT NULL AND (before->>'state' IS DISTINCT FROM was OR at < was_at) OR n <> place`},
	{"the trail ends where the case is", `SELECT 'case ' || c.id || ' ' || c.state FROM cancellations c WHERE c.state <> (
		SELECT after->>'state' FROM audit_entries e WHERE e.cancellation_id = c.id
		AND e.action IN ('cancellation.requested', 'cancellation.moved') ORDER BY e.id DESC LIMIT 1)`},
	{"every attempt is counted and audited", `SELECT 'case ' || c.id FROM cancellations c
		WHERE c.attempts <> (SELECT count(*) FROM attempts a WHERE a.cancellation_id = c.id)
		OR c.attempts <> (SELECT count(*) FROM audit_entries e WHERE e.cancellation_id = c.id
			AND e.action = 'cancellation.moved' AND e.after->>'state' = 'sending')`},
	{"no second attempt after one that may have left", `SELECT 'case ' || cancellation_id FROM attempts
		GROUP BY cancellation_id HAVING count(*) FILTER (WHERE meaning <> 'notSent') > 1`},
	{"confirmed is final", `SELECT 'entry ' || id FROM audit_entries
		WHERE action = 'cancellation.moved' AND before->>'state' = 'confirmed'`},
	{"a sale with a confirmed case is canceled", `SELECT 'sale ' || s.id || ' ' || s.state FROM sales s WHERE (s.state = 'confirmed')
		<> EXISTS (SELECT FROM cancellations c WHERE c.sale_id = s.id AND c.state = 'confirmed')`},
	{"a sale shows its latest case that was not taken back", `SELECT 'sale ' || s.id || ' ' || s.state FROM sales s
		WHERE s.state <> 'confirmed' AND s.state <> coalesce(
			(SELECT state FROM cancellations WHERE sale_id = s.id AND state <> 'withdrawn' ORDER BY id DESC LIMIT 1), 'cancelable')`},
	{"the day's sums are those of its sales", `SELECT 'store ' || store_id || ' terminal ' || terminal_id FROM (
			SELECT store_id, business_day, terminal_id, sales, amount, canceled, canceled_amount, open_cases FROM day_totals
			WHERE sales <> 0 OR amount <> 0 OR canceled <> 0 OR open_cases <> 0 -- an undone import leaves a row of nothing
			UNION ALL
			SELECT store_id, business_day, terminal_id, count(*), sum(amount), count(*) FILTER (WHERE state = 'confirmed'),
				coalesce(sum(amount) FILTER (WHERE state = 'confirmed'), 0),
				count(*) FILTER (WHERE state IN ('requested', 'sending', 'accepted', 'unknown'))
			FROM sales GROUP BY store_id, business_day, terminal_id) x
		GROUP BY store_id, business_day, terminal_id, sales, amount, canceled, canceled_amount, open_cases HAVING count(*) <> 2`},
}

// InvariantErrors names the rules that the database breaks now; there should be none. It
// checks every branch.
func (o *Office) InvariantErrors() []string {
	var broken []string
	for _, b := range books {
		rows, err := o.Owner.Query(b.broken)
		if err != nil {
			return append(broken, b.rule+": "+err.Error())
		}
		for rows.Next() {
			var what string
			if err := rows.Scan(&what); err != nil {
				what = err.Error()
			}
			broken = append(broken, b.rule+": "+what)
		}
		if err := rows.Err(); err != nil {
			broken = append(broken, b.rule+": "+err.Error())
		}
	}
	return broken
}

// CheckInvariants fails the test if the database breaks a rule, or if the service saw
// an order twice.
func (o *Office) CheckInvariants(tb testing.TB) {
	tb.Helper()
	for _, b := range o.InvariantErrors() {
		tb.Errorf("broken: %s", b)
	}
	seen := map[string]bool{}
	for _, order := range o.API.Orders() {
		if h := order.Key.Hash(); seen[h] {
			tb.Errorf("order %s arrived twice under one attempt id", order.OrderID)
		} else {
			seen[h] = true
		}
	}
}
