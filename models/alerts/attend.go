package alerts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Attend marks an alert as handled, with a note that may be empty. The first mark
// stays.
//
// Errors: ErrForbidden, ErrNotFound, alert.attended, alert.echo for what is handled as
// another item of the inbox, alert.own for what the actor did, or the note.
func (a *Service) Attend(ctx context.Context, actor models.Actor, id int64, note string) error {
	if !actor.May(models.ReviewCancellations) {
		return models.ErrForbidden
	}
	note = strings.TrimSpace(note)
	if note != "" {
		var err error
		if note, err = models.Text("note", note, 300); err != nil {
			return err
		}
	}
	now := a.clock.Now()
	err := a.db.InTx(ctx, func(t database.Tx) error {
		var x Alert
		if err := database.TakeRow(t.Where("id = ?", id), &x); err != nil {
			return err
		}
		if !actor.AllStores && !x.Kind.Always() && (x.StoreID == nil || !actor.Sees(*x.StoreID)) {
			return models.ErrNotFound
		}
		if x.Kind.Echo() {
			return &models.Error{Kind: models.KindConflict, Code: "alert.echo"}
		}
		switch own, err := ownAlert(ctx, t, actor, &x); {
		case err != nil:
			return err
		case own:
			return &models.Error{Kind: models.KindConflict, Code: "alert.own"}
		}
		return attend(t, actor, &x, now, note)
	})
	var known *models.Error
	if err != nil && !errors.As(err, &known) {
		return fmt.Errorf("attend to alert %d: %w", id, err)
	}
	return err
}

// attend marks an alert in its transaction, and records it.
func attend(t database.Tx, actor models.Actor, x *Alert, now time.Time, note string) error {
	done := t.Exec(`UPDATE alerts SET seen_at = ?, seen_by = ?, note = ? WHERE id = ? AND seen_at IS NULL`, now, actor.Name, note, x.ID)
	if done.Error != nil {
		return done.Error
	}
	if done.RowsAffected == 0 {
		return &models.Error{Kind: models.KindConflict, Code: "alert.attended"}
	}
	about := audit.About{After: map[string]any{"alert": x.ID, "rule": x.Kind}, Reason: note}
	if x.StoreID != nil {
		about.Store = &models.Store{ID: *x.StoreID, Name: x.StoreName}
	}
	return audit.Record(t, actor, now, models.ActionAlertAttended, models.OutcomeSuccess, about)
}

// AttendOfSale marks the alerts about one sale as handled, with the item into which they
// are folded: see package review. Those about what the actor did are left to others, and a
// doubt that is still open keeps its own.
func (a *Service) AttendOfSale(ctx context.Context, t database.Tx, actor models.Actor, saleID int64, note string) error {
	if !actor.May(models.ReviewCancellations) {
		return nil
	}
	var open []Alert
	err := t.Raw(`SELECT * FROM alerts a WHERE a.seen_at IS NULL AND a.kind <> ? AND a.sale_id = ? AND `+OfSaleSQL+`
		ORDER BY a.id FOR UPDATE`, AlertDoubt, saleID).Scan(&open).Error
	if err != nil {
		return fmt.Errorf("list alerts of sale %d: %w", saleID, err)
	}
	for i := range open {
		own, err := ownAlert(ctx, t, actor, &open[i])
		if err != nil {
			return err
		}
		if own {
			continue
		}
		if err := attend(t, actor, &open[i], a.clock.Now(), note); err != nil {
			return fmt.Errorf("attend to alert %d with its sale: %w", open[i].ID, err)
		}
	}
	return nil
}

// OwnSQL says that alert a is about the own actions of the person $2: they made the entry
// that raised it, requested the cancellation of its sale, or are its subject: whoever got
// the rights of which it tells, too. A move is the act of whoever requested the cancellation:
// to resolve somebody else's doubt makes nothing one's own.
const OwnSQL = `(a.subject = 'person ' || $2::bigint OR starts_with(a.subject, 'person ' || $2::bigint || ' ')
	OR EXISTS (SELECT FROM audit_entries e WHERE e.id = a.entry_id AND e.actor_id = $2 AND e.actor_role <> ` + programSQL + `
		AND e.action <> '` + string(models.ActionCancellationMoved) + `')
	OR EXISTS (SELECT FROM audit_entries e JOIN cancellations c ON c.id = e.cancellation_id
		WHERE e.id = a.entry_id AND c.requested_by = $2 AND c.requester_role <> ` + programSQL + `)
	OR EXISTS (SELECT FROM users u WHERE u.id = $2 AND a.subject = 'rights ' || u.email)
	OR EXISTS (SELECT FROM cancellations c WHERE c.sale_id = a.sale_id AND c.requested_by = $2 AND c.requester_role <> ` + programSQL + `))`

// programSQL is the role of programs, whose numbers are not people's.
const programSQL = "'" + string(models.Integration) + "'"

// ownAlert reports whether an alert is about the person's own actions: see OwnSQL.
func ownAlert(ctx context.Context, t database.Tx, actor models.Actor, x *Alert) (own bool, err error) {
	err = t.SQL.QueryRowContext(ctx, `SELECT `+OwnSQL+` FROM alerts a WHERE a.id = $1`, x.ID, actor.UserID).Scan(&own)
	if err != nil {
		return false, fmt.Errorf("read whose alert %d is: %w", x.ID, err)
	}
	return own, nil
}
