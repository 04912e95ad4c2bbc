package apikeys

import (
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Current returns a program as its key is now, and keeps that so until the end of the
// transaction, as accounts.Service.Current does for people.
//
// Errors: ErrKeyRevoked.
func (s *Service) Current(t database.Tx, program models.Actor) (models.Actor, error) {
	var k struct {
		Name      string
		Scopes    models.Texts
		AllStores bool
		Withheld  bool
		RevokedAt *time.Time
	}
	done := t.Raw("SELECT name, scopes, all_stores, withheld, revoked_at FROM api_keys WHERE id = ? FOR SHARE", program.UserID).Scan(&k)
	switch {
	case done.Error != nil:
		return program, fmt.Errorf("read key %d again: %w", program.UserID, done.Error)
	case done.RowsAffected == 0 || k.RevokedAt != nil:
		return program, ErrKeyRevoked
	}
	// The stores of a key never change.
	now := shownKey{ID: program.UserID, Name: k.Name, AllStores: k.AllStores, StoreIDs: program.StoreIDs, Withheld: k.Withheld}
	for _, scope := range k.Scopes {
		now.Scopes = append(now.Scopes, Scope(scope))
	}
	actor := now.actor()
	actor.Address, actor.UserAgent, actor.RequestID = program.Address, program.UserAgent, program.RequestID
	return actor, nil
}
