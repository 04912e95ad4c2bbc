package counters

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/database"
)

// Here is a counter as its chooser shows it, to whoever stands there.
type Here struct {
	ID, StoreID     int64
	Name, StoreName string
	LastUserID      int64    // who came in last; 0: nobody did
	Device          string   // the id of the device
	People          []Person `gorm:"-"`
}

// Person is somebody who may come in at a counter with a PIN.
type Person struct {
	ID   int64
	Name string
	Shut bool // wrong ones have shut it: they sign in fully first
}

// How often a PIN may be wrong: five times in a row at one counter, and in all since the
// last full sign-in, because whoever shares a counter could try between right ones.
const (
	wrongAtCounter = 5
	wrongInAll     = 20
)

// comesIn selects who may come in at counter c with a PIN, at the day of access @day:
// managers of its store, where the rules neither ask them for a code each time nor have
// people come in by the provider of the single sign-on alone.
const comesIn = ` FROM counters c JOIN user_stores us ON us.store_id = c.store_id JOIN users u ON u.id = us.user_id
		JOIN counter_pins p ON p.user_id = u.id LEFT JOIN counter_tries w ON w.counter_id = c.id AND w.user_id = u.id
	WHERE c.id = @counter AND u.role = 'manager' AND u.disabled_at IS NULL AND (u.access_until IS NULL OR u.access_until >= @day)
		AND NOT EXISTS (SELECT FROM factor_rules WHERE role = 'manager' AND ask = 'always')
		AND NOT EXISTS (SELECT FROM sso_rules WHERE password_off)`

// At returns the counter of a cookie, with who may come in there.
//
// Errors: ErrNotFound for a secret that is none, and where the counter has ended.
func (s *Service) At(ctx context.Context, token string) (*Here, error) {
	read := database.Tx{DB: s.db.Gorm().WithContext(ctx)}
	at, err := find(read, token)
	if err != nil {
		return nil, err
	}
	err = read.Raw(`SELECT u.id, u.name, coalesce(w.wrong, 0) >= @atCounter OR p.wrong >= @inAll AS shut`+comesIn+` ORDER BY u.name, u.id`,
		s.given(at.ID)).Scan(&at.People).Error
	if err != nil {
		return nil, fmt.Errorf("list who may come in at counter %d: %w", at.ID, err)
	}
	return at, nil
}

func find(t database.Tx, token string) (*Here, error) {
	var at Here
	done := t.Raw(`SELECT c.id, c.name, c.store_id, st.name AS store_name, coalesce(c.last_user_id, 0) AS last_user_id, d.token AS device
		FROM counters c JOIN stores st ON st.id = c.store_id JOIN devices d ON d.id = c.device_id
		WHERE c.token_hash = ? AND c.ended_at IS NULL`, accounts.HashToken(token)).Scan(&at)
	switch {
	case done.Error != nil:
		return nil, fmt.Errorf("find a counter: %w", done.Error)
	case done.RowsAffected == 0:
		return nil, models.ErrNotFound
	}
	return &at, nil
}

func (s *Service) given(counterID int64) map[string]any {
	return map[string]any{
		"counter": counterID, "day": string(models.AccessDay(s.clock.Now())), "atCounter": wrongAtCounter, "inAll": wrongInAll,
	}
}
