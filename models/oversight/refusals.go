package oversight

import (
	"context"
	"fmt"

	"veinte/models"
)

const (
	// minRefusals is the smallest number within a day that is an outlier: anybody
	// may follow an old link, or press a button twice.
	minRefusals = 5
	// maxRefusals limits what is read, so that nobody who tries thousands of times
	// makes the page slow.
	maxRefusals = 5000
)

// refusalActions are the actions of refused attempts. A refused sign-in is not one of
// them: whoever typed a person's address need not be that person (alerts count those).
var refusalActions = []models.Action{models.ActionRefused, models.ActionCancelRefused, models.ActionResolutionRefused}

// lostToOthers are the refusals of somebody who pressed just after a colleague, or pressed
// what their own page did not know yet. Nobody tried anything that is not theirs.
var lostToOthers = []string{models.ErrCancellationOpen.Code, "error.saleState"}

// slips is how many addresses of sales that do not exist somebody may open within a minute
// before it is no slip any more: from there on it is a program that looks for something.
const slips = 20

// mistyped is an entry about a sale that does not exist: a wrong number or an old link.
// One of another store is denied in the same words, and is counted.
const mistyped = `(coalesce((e.after->>'more')::int, 0) < $10 AND NOT EXISTS (SELECT FROM sales s WHERE s.id = n.sale) AND
	(n.sale IS NOT NULL OR e.reason ~ '/sales/[0-9]{18,}'))`

// refusals finds who tried often and was refused. The entries name no store, so a
// user with a few stores sees only people who have no other stores.
func (l *query) refusals(ctx context.Context, _ *aggregates, found *Findings) error {
	zone := l.window().Calendar.Zone()
	rows, err := rowsOf[struct {
		Person int64
		More   int // an entry of those that followed the first of a minute counts them
		Cancellation
	}](ctx, l, `SELECT e.id, e.at AS requested_at, u.id AS person, u.name, e.action, e.outcome,
			coalesce((e.after->>'more')::int, 1) AS more,
			e.reason, coalesce(e.sale_id, 0) AS sale_id, e.order_id, coalesce(e.store_id, 0) AS store_id
		FROM audit_entries e JOIN users u ON u.id = e.actor_id
		CROSS JOIN LATERAL (SELECT coalesce((e.after->>'saleId')::bigint,
			substring(e.reason FROM '/sales/([0-9]{1,17})(?![0-9])')::bigint) AS sale) n
		WHERE e.action = ANY($1) AND NOT (e.action = $8 AND e.reason = ANY($9)) AND NOT `+mistyped+`
		  AND e.outcome IN ('denied', 'failure') AND e.at >= $2 AND e.at < $3 AND e.actor_role <> $4
		  AND ($5 OR NOT u.all_stores AND EXISTS (SELECT FROM user_stores s WHERE s.user_id = u.id)
			AND NOT EXISTS (SELECT FROM user_stores s WHERE s.user_id = u.id AND s.store_id <> ALL($6)))
		ORDER BY e.at DESC, e.id DESC LIMIT $7`,
		refusalActions, l.From.Time(zone), l.To.Plus(1).Time(zone), models.Integration, l.allStores(), l.stores, maxRefusals+1,
		models.ActionCancelRefused, lostToOthers, slips)
	if err != nil {
		return fmt.Errorf("read refusals: %w", err)
	}
	list := map[string]*Finding{}
	perDay := map[string]map[models.Day]int{}
	found.Truncated = len(rows) > maxRefusals
	for i := range rows[:min(len(rows), maxRefusals)] {
		r := &rows[i]
		subject := fmt.Sprint("u", r.Person)
		if list[subject] == nil {
			list[subject] = &Finding{Kind: FindRefusals, Subject: subject, Name: r.Name, ID: r.Person}
			perDay[subject] = map[models.Day]int{}
		}
		f := list[subject]
		day := l.window().Calendar.Day(r.RequestedAt)
		for range min(r.More, maxRefusals-len(f.Cancellations)) {
			f.Cancellations = append(f.Cancellations, r.Cancellation)
			perDay[subject][day]++
		}
		f.Outlier = f.Outlier || perDay[subject][day] >= minRefusals
	}
	for _, f := range list {
		found.List = append(found.List, *f)
	}
	return nil
}
