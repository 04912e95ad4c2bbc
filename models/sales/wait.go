package sales

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Wait is what keeps a requested cancellation from being sent: something else is on the
// screen of its terminal, or goes before it; or its sale is older than this database, and
// another one may have sent something that still is there.
type Wait struct {
	// For is the sale on the terminal's screen. Its ID is 0 when the reader does not see
	// it, and all of it when only Ahead keeps the cancellation waiting.
	For     models.Sale
	State   models.State // of that sale's cancellation; "" of none
	Inquiry bool         // the terminal is being asked about the sale
	Ahead   int          // how many requests are sent before this one
	Until   time.Time    // when it is sent at the latest, while it can be sent at all
}

// occupant is what occupies a terminal for which the cancellation of a sale waits.
type occupant struct {
	Waiting    int64 // the sale that waits
	SaleID     int64
	StoreID    int64
	Amount     models.Money
	State      models.State
	ChangedAt  time.Time
	QuietEnd   *time.Time // nil: nothing was pushed
	DeadlineAt *time.Time // of an attempt under way
	AskedAt    *time.Time // of an inquiry under way
}

// Waits returns what the requested cancellations of sales wait for; a sale whose
// cancellation waits for nothing is not in it. It reads what cancellations.Dispatch
// decides by, and must agree with it.
func (s *Service) Waits(ctx context.Context, actor models.Actor, ids []int64) (map[int64]Wait, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	now, waits := s.clock.Now(), s.waits()
	all, err := database.Rows[occupant](ctx, s.db, occupantSQL, ids, waits.Quiet, now, now.Add(-models.InquiryDelay),
		s.AsksFirst, s.KeepsCommits)
	if err != nil {
		return nil, fmt.Errorf("read what %d cancellations wait for: %w", len(ids), err)
	}
	found := make(map[int64]Wait, len(ids))
	for i := range all {
		o := &all[i]
		w := found[o.Waiting]
		if o.State == models.Requested && o.AskedAt == nil {
			w.Ahead++
		} else if until := o.until(waits); until.After(w.Until) {
			w.Until, w.State, w.Inquiry, w.For = until, o.State, o.AskedAt != nil, models.Sale{}
			if actor.Sees(o.StoreID) {
				w.For = models.Sale{ID: o.SaleID, StoreID: o.StoreID, Amount: o.Amount}
			}
		}
		found[o.Waiting] = w
	}
	for sale, w := range found {
		if w.Until.IsZero() {
			w.Until = now
		}
		w.Until = w.Until.Add(time.Duration(w.Ahead) * (waits.Answer + occupies(waits) + nextInquiry))
		found[sale] = w
	}
	return found, nil
}

// nextInquiry is how much longer a terminal may be occupied when its quiet time ends: an
// inquiry may just be on its screen.
const nextInquiry = models.InquiryDelay + models.BusyPause

// occupies is how long a push may occupy its terminal, counted from the end of its
// attempt: without a result it becomes a doubt, and the terminal may act on it for its
// quiet time.
func occupies(waits models.Waits) time.Duration {
	return models.InterruptedAfter + max(waits.Result, waits.Quiet)
}

// until is when the occupant leaves the terminal at the latest.
func (o *occupant) until(waits models.Waits) time.Time {
	var until time.Time
	switch {
	case o.AskedAt != nil:
		return o.AskedAt.Add(nextInquiry)
	case o.State == models.Sending && o.DeadlineAt != nil:
		until = o.DeadlineAt.Add(occupies(waits))
	case o.State == models.Accepted:
		until = o.ChangedAt.Add(waits.Result)
	}
	if o.QuietEnd != nil && o.QuietEnd.After(until) {
		until = *o.QuietEnd
	}
	return until.Add(nextInquiry)
}

// occupantSQL lists what occupies the terminals of the requested cancellations of the
// sales $1, at the instant $3: pushes, doubts and statements within the quiet time $2,
// requests that come before, and inquiries sent after $4. Where terminals are asked first
// ($5), a sale from before this database (lineage.Service.Since, with $6; Sale.MayPrecede)
// occupies its own.
const occupantSQL = `
	WITH waiting AS (
		SELECT id, sale_id, terminal_id, asked_in FROM cancellations WHERE sale_id = ANY($1) AND state = ` + models.RequestedSQL + `
	), occupying AS (
		SELECT w.sale_id AS waiting, o.sale_id, o.state, o.changed_at, greatest(o.last_push_at + $2, o.quiet_until) AS quiet_end,
			(SELECT max(deadline_at) FROM attempts a WHERE a.cancellation_id = o.id AND a.finished_at IS NULL) AS deadline_at,
			NULL::timestamptz AS asked_at
		FROM waiting w JOIN cancellations o ON o.terminal_id = w.terminal_id AND o.id <> w.id
		WHERE o.state IN (` + models.SendingSQL + `, ` + models.AcceptedSQL + `)
			OR o.state = ` + models.RequestedSQL + ` AND o.id < w.id AND o.attempts = 0
			OR o.state IN (` + models.UnknownSQL + `, ` + models.NotCanceledSQL + `)
				AND greatest(o.last_push_at + $2, o.quiet_until) > $3
		UNION ALL
		SELECT w.sale_id, coalesce(i.sale_id, o.sale_id), coalesce(o.state, ''), i.sent_at, NULL, NULL, i.sent_at
		FROM waiting w
		JOIN inquiries i ON i.terminal_id = w.terminal_id AND i.answered_at IS NULL AND i.sent_at > $4
		LEFT JOIN cancellations o ON o.id = i.cancellation_id
		UNION ALL
		SELECT w.sale_id, w.sale_id, ` + models.UnknownSQL + `, d.since, d.since + $2, NULL, NULL
		FROM waiting w JOIN sales s ON s.id = w.sale_id JOIN (
			SELECT max(noticed_at) AS since FROM database_changes
			WHERE $5 AND cause <> 'first' AND NOT ($6 AND cause = 'promoted' AND doubts = 0)
		) d ON d.since + $2 > $3 AND coalesce(w.asked_in, database_identity()) = database_identity()
			AND least(s.received_at, CASE WHEN s.day_unproven OR s.source = 'hand'
				THEN s.business_day::timestamp AT TIME ZONE 'America/Mexico_City' ELSE s.sold_at END) < d.since
	)
	SELECT q.*, s.store_id, s.amount FROM occupying q JOIN sales s ON s.id = q.sale_id`
