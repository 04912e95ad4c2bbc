package counters

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit"
	"veinte/models/database"
)

// Counter is a counter device, as those who may end it see it.
type Counter struct {
	ID        int64
	Name      string
	StoreID   int64
	StoreName string
	MadeAt    time.Time
	MadeBy    string
	UserAgent string
	UsedAt    *time.Time // the last act of somebody who is signed in there; nil: nobody is
}

// maxName is how long the name of a counter may be, in characters.
const maxName = 60

// The refusals of a device that is to be a counter.
var (
	ErrPIN     = &models.Error{Kind: models.KindForbidden, Code: "counter.notByPIN"} // it takes a full sign-in
	errAlready = &models.Error{Kind: models.KindConflict, Code: "counter.already"}
	errDevice  = &models.Error{Kind: models.KindConflict, Code: "counter.noDevice"}
)

// may refuses who may not manage counters, or is there by a PIN.
func may(actor models.Actor) error {
	switch {
	case !actor.May(models.ManageCounters):
		return models.ErrForbidden
	case actor.Session.PIN:
		return ErrPIN
	}
	return nil
}

// List returns the counters of the actor's stores that have not ended, by store and name.
//
// Errors: ErrForbidden.
func (s *Service) List(ctx context.Context, actor models.Actor) ([]Counter, error) {
	if !actor.May(models.ManageCounters) {
		return nil, models.ErrForbidden
	}
	rows, err := database.Rows[Counter](ctx, s.db.Pool(), `SELECT c.id, c.name, c.store_id, st.name AS store_name, c.made_at,
			u.name AS made_by, d.user_agent, (SELECT max(seen_at) FROM sessions WHERE device_id = c.device_id) AS used_at
		FROM counters c JOIN stores st ON st.id = c.store_id JOIN users u ON u.id = c.made_by JOIN devices d ON d.id = c.device_id
		WHERE c.ended_at IS NULL AND ($1 OR c.store_id = ANY ($2)) ORDER BY st.code, c.name, c.id`, actor.AllStores, actor.StoreIDs)
	if err != nil {
		return nil, fmt.Errorf("list counters: %w", err)
	}
	return rows, nil
}

// Make makes the actor's device a counter of a store. token is for its cookie; the database
// stores only the hash.
//
// Errors: ErrForbidden, ErrPIN, a field, counter.already.
func (s *Service) Make(ctx context.Context, actor models.Actor, storeID int64, name string) (token string, err error) {
	if err := may(actor); err != nil {
		return "", err
	}
	if name, err = models.Text("name", name, maxName); err != nil {
		return "", err
	}
	if actor.Session.DeviceID == 0 {
		return "", errDevice
	}
	token = rand.Text() + rand.Text()
	err = s.db.InTx(ctx, func(t database.Tx) error {
		store, err := storeOf(t, actor, storeID)
		if err != nil {
			return err
		}
		done := t.Exec(`INSERT INTO counters (token_hash, device_id, store_id, name, made_at, made_by, last_user_id)
			VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (device_id) WHERE ended_at IS NULL DO NOTHING`,
			accounts.HashToken(token), actor.Session.DeviceID, store.ID, name, s.clock.Now(), actor.UserID, actor.UserID)
		if done.Error != nil {
			return done.Error
		}
		if done.RowsAffected == 0 {
			return errAlready
		}
		about := audit.About{Store: store, After: map[string]any{"name": name, "device": models.Legible(actor.UserAgent, 200)}}
		return audit.Record(t, actor, s.clock.Now(), models.ActionCounterMade, models.OutcomeSuccess, about)
	})
	if err != nil {
		return "", wrapped(err, "make a counter")
	}
	return token, nil
}

// End has a device be no counter any more. Who is there by a PIN is signed out.
//
// Errors: ErrForbidden, ErrPIN, ErrNotFound, also for one of a store that the actor does not
// see and one that has ended.
func (s *Service) End(ctx context.Context, actor models.Actor, id int64) error {
	if err := may(actor); err != nil {
		return err
	}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		var of struct {
			DeviceID, StoreID int64
			Name              string
		}
		done := t.Raw("SELECT device_id, store_id, name FROM counters WHERE id = ? AND ended_at IS NULL FOR UPDATE", id).Scan(&of)
		switch {
		case done.Error != nil:
			return done.Error
		case done.RowsAffected == 0 || !actor.Sees(of.StoreID):
			return models.ErrNotFound
		}
		store, err := storeOf(t, actor, of.StoreID)
		if err != nil {
			return err
		}
		now := s.clock.Now()
		if err := t.Exec("UPDATE counters SET ended_at = ?, ended_by = ? WHERE id = ?", now, actor.UserID, id).Error; err != nil {
			return err
		}
		if err := s.entrance.EndByPIN(t, of.DeviceID); err != nil {
			return err
		}
		about := audit.About{Store: store, Before: map[string]any{"name": of.Name}}
		return audit.Record(t, actor, now, models.ActionCounterEnded, models.OutcomeSuccess, about)
	})
	return wrapped(err, fmt.Sprintf("end counter %d", id))
}

// storeOf returns a store of the actor's.
func storeOf(t database.Tx, actor models.Actor, id int64) (*models.Store, error) {
	var store models.Store
	err := database.TakeRow(t.Where("id = ?", id), &store)
	if errors.Is(err, models.ErrNotFound) || err == nil && !actor.Sees(id) {
		return nil, models.Invalid("store", "store.unknown")
	}
	return &store, err
}

// wrapped says of what an error is, unless people may read it.
func wrapped(err error, doing string) error {
	var known *models.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return fmt.Errorf("%s: %w", doing, err)
}
