package accounts

import (
	"time"

	"veinte/models"
	"veinte/models/accounts/proposals"
	"veinte/models/database"
)

// errOwnRights: nobody changes their own role, stores or end of access. What somebody may
// do is always the word of somebody else.
var errOwnRights = &models.Error{Kind: models.KindConflict, Code: "user.ownRights"}

// sameRights reports whether the input, which has been checked, leaves a user the role,
// the stores and the end of access that they have.
func (in Input) sameRights(u *models.User) bool {
	has, gets := u.Rights(), in.rights(u)
	return gets.Equal(&has)
}

// rights are those that the input, which has been checked, gives a user.
func (in Input) rights(u *models.User) models.Rights {
	return models.Rights{
		Role: in.Role, AllStores: in.AllStores, Stores: in.StoreIDs, AccessUntil: in.end(), Disabled: u.DisabledAt != nil,
	}
}

// keepRights leaves a user the rights that they have.
func (in *Input) keepRights(u *models.User) {
	in.Role, in.AllStores, in.StoreIDs, in.AccessUntil = u.Role, u.AllStores, u.StoreIDs, ""
	if u.AccessUntil != nil {
		in.AccessUntil = string(*u.AccessUntil)
	}
}

// enabled are the rights of a user who is let in.
func enabled(u *models.User) models.Rights {
	r := u.Rights()
	r.Disabled = false
	return r
}

// propose reports whether rights that a user is to get wait for another administrator, and
// asks for them then. What was asked for before lapses with any other rights. The
// administrators are locked.
func (s *Service) propose(t database.Tx, actor models.Actor, u *models.User, to models.Rights) (waits bool, err error) {
	has, of, now := u.Rights(), proposals.Person(u.ID), s.clock.Now()
	if to.Equal(&has) {
		return false, nil
	}
	if to.Wider(&has) {
		if waits, err = proposals.Needed(t, actor, of, now); err != nil {
			return false, err
		}
	}
	if waits {
		return true, s.ask(t, actor, u, to)
	}
	return false, proposals.Lapse(t, actor, of, now)
}

// ask asks the other administrators to give a user rights.
func (s *Service) ask(t database.Tx, actor models.Actor, u *models.User, to models.Rights) error {
	p := &proposals.Proposal{UserID: &u.ID, Name: u.Name, Email: u.Email, Before: u.Rights(), After: to}
	if err := proposals.Ask(t, actor, p, s.clock.Now()); err != nil {
		return err
	}
	return s.NotifyAsked(t, actor, u.ID, u.Name)
}

// beginWithout has somebody new begin without access where another administrator has to
// confirm their rights. The administrators are locked.
func (s *Service) beginWithout(t database.Tx, actor models.Actor, u *models.User) (waits bool, err error) {
	gets, now := u.Rights(), s.clock.Now()
	if gets.MovesMoney() {
		if waits, err = proposals.Needed(t, actor, proposals.Person(0), now); err != nil {
			return false, err
		}
	}
	if waits {
		u.DisabledAt = &now
	} else {
		u.SecondFrom = secondFrom(&models.User{}, u.Role, actor.UserID != 0, now)
	}
	return waits, nil
}

// secondFrom is from when on somebody who gets a role at once counts as a second
// administrator. Who was made by one alone, or by a group of the single sign-on, does not
// count at first: one alone would be both. The command line's word is enough.
func secondFrom(was *models.User, role models.Role, alone bool, now time.Time) *time.Time {
	switch {
	case role != models.Administrator || !alone:
		return nil
	case was.Role == models.Administrator:
		return was.SecondFrom
	}
	from := now.Add(proposals.Aside)
	return &from
}

// GiveRights gives a person the rights that another administrator has confirmed.
//
// Errors: see proposals.Give; user.lastAdministrator.
func (s *Service) GiveRights(t database.Tx, p *proposals.Proposal, version int) (before, after map[string]any, err error) {
	u, err := ByID(t, *p.UserID)
	if err != nil {
		return nil, nil, err
	}
	if has := u.Rights(); !has.Equal(&p.Before) {
		return nil, nil, proposals.ErrChanged
	}
	before = u.DisabledAttributes(p.Before.Disabled)
	gets := &p.After
	if u.Role == models.Administrator && gets.Role != models.Administrator {
		if err := requireAdministrator(t, u.ID); err != nil {
			return nil, nil, err
		}
	}
	columns := map[string]any{
		"role": gets.Role, "all_stores": gets.AllStores, "access_until": gets.AccessUntil, "disabled_at": nil, "second_from": nil,
	}
	if err := replaceUser(t, u.ID, version, columns); err != nil {
		return nil, nil, err
	}
	if err := setScope(t, u.ID, gets.Stores); err != nil {
		return nil, nil, err
	}
	u.Role, u.AllStores, u.StoreIDs, u.AccessUntil = gets.Role, gets.AllStores, gets.Stores, gets.AccessUntil
	return before, u.DisabledAttributes(false), nil
}
