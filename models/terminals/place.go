package terminals

import (
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// MoveRefusal is the reason why a terminal cannot be assigned to a store from the
// requested instant, with the details a user needs to choose another.
type MoveRefusal struct {
	Err   *models.Error // move.salesElsewhere, move.overlap or move.planned
	Sales int64         // that would end up in the wrong store
	Since time.Time     // the first of those sales, or the beginning of the conflicting assignment
	Store string        // the store of the conflicting assignment
}

func (r *MoveRefusal) Error() string {
	return fmt.Sprintf("%v (%d sales since %s, store %q)", r.Err, r.Sales, r.Since.Format(time.RFC3339), r.Store)
}

// Unwrap returns the error without its details.
func (r *MoveRefusal) Unwrap() error { return r.Err }

func refuseMove(code string, since time.Time, store string) *MoveRefusal {
	return &MoveRefusal{Err: &models.Error{Kind: models.KindConflict, Code: code, Field: "from"}, Since: since, Store: store}
}

// findAssignment returns the assignment that a move of a locked terminal would
// write, or why it cannot be moved.
func findAssignment(t database.Tx, terminalID int64, now time.Time, r parsedMove) (*newAssignment, error) {
	lines, err := assignmentsOf(t.DB, terminalID)
	if err != nil {
		return nil, err
	}
	from := r.from
	if from.IsZero() {
		if from, err = nowAfterAll(t, terminalID, now, lines); err != nil {
			return nil, err
		}
	}
	p := &newAssignment{next: models.Assignment{TerminalID: terminalID, StoreID: r.store.ID, MerchantID: r.merchant, ValidFrom: from}}
	if !r.from.IsZero() && from.After(now) {
		p.next.PlannedAt = &now
	}
	for i := range lines {
		switch a := &lines[i]; {
		case a.Tense(from) == models.TensePresent:
			p.before = &a.Assignment
		case a.Tense(from) != models.TensePlanned: // over by then: no conflict
		case a.PlannedAt == nil || !a.ValidFrom.After(now):
			return nil, refuseMove("move.overlap", a.ValidFrom, a.StoreName)
		case p.next.ValidTo == nil:
			p.next.ValidTo = &a.ValidFrom // the planned move stays
		}
		if a := &lines[i]; p.next.PlannedAt != nil && a.PlannedAt != nil && a.ValidFrom.After(now) {
			return nil, refuseMove("move.planned", a.ValidFrom, a.StoreName)
		}
	}
	if r.merchant == "" {
		if p.before == nil {
			return nil, &models.Error{Kind: models.KindConflict, Code: "moves.noMerchant"}
		}
		p.next.MerchantID = p.before.MerchantID
	}
	return p, checkAssignment(t, p, from)
}

// clocksDiffer is how far the clocks of two servers may differ.
const clocksDiffer = time.Minute

// nowAfterAll returns the instant from which an immediate move holds. It is after
// all known assignments, in case another server's clock is ahead of ours or two
// moves are made within one microsecond.
func nowAfterAll(t database.Tx, terminalID int64, now time.Time, lines []models.AssignmentLine) (time.Time, error) {
	from := now.Truncate(time.Microsecond) // PostgreSQL stores microseconds
	for _, a := range lines {
		if a.PlannedAt == nil && !a.ValidFrom.Before(from) {
			from = a.ValidFrom.Add(time.Microsecond)
		}
	}
	var last struct{ At *time.Time }
	err := t.Raw(`SELECT max(`+saleInstant+`) AS at FROM sales WHERE terminal_id = ? AND sold_at >= ? AND sold_at < ?`,
		terminalID, from.Add(-time.Second), from.Add(clocksDiffer)).Scan(&last).Error
	if err != nil {
		return from, fmt.Errorf("find last sale of terminal %d: %w", terminalID, err)
	}
	if last.At != nil && !last.At.Before(from) {
		from = last.At.Add(time.Microsecond)
	}
	return from, nil
}

// saleInstant is the instant of a sale for comparison with moves. The order number
// of a posted sale has no fraction of a second, so this is the end of its second, or
// the time of receipt when that is earlier. See readSale.
const saleInstant = `CASE WHEN source = 'terminal'
	THEN least(sold_at + interval '999999 microseconds', greatest(received_at, sold_at)) ELSE sold_at END`

// checkAssignment refuses a move to the current store, and one that contradicts a
// sale.
func checkAssignment(t database.Tx, p *newAssignment, from time.Time) error {
	was := ""
	if p.before != nil {
		if p.before.StoreID == p.next.StoreID && p.before.MerchantID == p.next.MerchantID {
			return models.Invalid("store", "terminal.sameStore")
		}
		p.beforeStore = &models.Store{}
		if err := database.TakeRow(t.Where("id = ?", p.before.StoreID), p.beforeStore); err != nil {
			return err
		}
		was = p.before.MerchantID
	}
	q := t.Model(&models.Sale{}).
		Where("terminal_id = ? AND sold_at >= ? AND "+saleInstant+" >= ?", p.next.TerminalID, from.Add(-time.Second), from).
		Where("(store_id <> ? OR merchant_id = ? AND merchant_id <> ?)", p.next.StoreID, was, p.next.MerchantID)
	if p.next.ValidTo != nil {
		q = q.Where("sold_at < ?", *p.next.ValidTo)
	}
	var elsewhere struct {
		Sales int64
		Since *time.Time
	}
	if err := q.Select("count(*) AS sales, min(sold_at) AS since").Scan(&elsewhere).Error; err != nil {
		return fmt.Errorf("look for sales of terminal %d: %w", p.next.TerminalID, err)
	}
	if elsewhere.Sales == 0 {
		return nil
	}
	refusal := refuseMove("move.salesElsewhere", *elsewhere.Since, "")
	refusal.Sales = elsewhere.Sales
	return refusal
}
