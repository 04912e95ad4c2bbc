package apikeys

import (
	"fmt"

	"veinte/models"
	"veinte/models/accounts/proposals"
	"veinte/models/database"
)

// withhold decides whether the scope of a new key that moves money waits for another
// administrator.
func (s *Service) withhold(t database.Tx, actor models.Actor, k *Key) (err error) {
	if gets := k.rights(false); !gets.MovesMoney() {
		return nil
	}
	if err := proposals.LockAdministrators(t); err != nil {
		return err
	}
	k.Withheld, err = proposals.Needed(t, actor, proposals.Key(0), s.clock.Now())
	return err
}

// ask asks the other administrators for the scope that is withheld.
func (s *Service) ask(t database.Tx, actor models.Actor, k *Key) error {
	if !k.Withheld {
		return nil
	}
	p := &proposals.Proposal{KeyID: &k.ID, Name: k.Name, Before: k.rights(true), After: k.rights(false)}
	if err := proposals.Ask(t, actor, p, s.clock.Now()); err != nil {
		return err
	}
	if s.asked == nil {
		return nil
	}
	return s.asked(t, actor, 0, k.Name)
}

// GiveScope has a key's scope that moves money open what it says, as another administrator
// has confirmed.
//
// Errors: see proposals.Give.
func (s *Service) GiveScope(t database.Tx, p *proposals.Proposal, version int) (before, after map[string]any, err error) {
	id := *p.KeyID
	keys, err := s.keys(t.Statement.Context, id)
	if err != nil {
		return nil, nil, err
	}
	if len(keys) == 0 || keys[0].RevokedAt != nil || !keys[0].Withheld {
		return nil, nil, proposals.ErrChanged
	}
	k := &keys[0]
	k.Secrets = nil // of which nothing changes
	before = k.attributes()
	if err := t.Replace(&Key{}, id, version, map[string]any{"withheld": false}); err != nil {
		return nil, nil, fmt.Errorf("give key %d its scope: %w", id, err)
	}
	k.Withheld = false
	return before, k.attributes(), nil
}
