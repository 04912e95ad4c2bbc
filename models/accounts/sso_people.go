package accounts

import (
	"fmt"
	"slices"

	"veinte/models"
	"veinte/models/accounts/proposals"
	"veinte/models/accounts/sso"
	"veinte/models/audit"
	"veinte/models/database"
)

// The refusals of people whom the provider has let in.
var (
	errNoGroup     = &models.Error{Kind: models.KindForbidden, Code: "sso.noGroup"}
	errNoAddress   = &models.Error{Kind: models.KindForbidden, Code: "sso.noAddress"}
	errNotVerified = &models.Error{Kind: models.KindForbidden, Code: "sso.notVerified"}
	errNotLinked   = &models.Error{Kind: models.KindForbidden, Code: "sso.notLinked"}
	errShutOut     = &models.Error{Kind: models.KindForbidden, Code: "sso.shutOut"}
)

// BySSO returns the person of whom the provider speaks. At their first time it makes their
// account, and each time it gives them what their groups give.
//
// Errors: sso.noGroup, sso.noAddress, sso.notVerified, sso.notLinked, sso.shutOut, user.lastAdministrator.
func (s *Service) BySSO(t database.Tx, from models.Actor, id *models.Identity) (*models.User, error) {
	// One after the other: of two first sign-ins at once one makes the account.
	if err := t.Lock(database.LockSSO); err != nil {
		return nil, err
	}
	if err := proposals.LockAdministrators(t); err != nil {
		return nil, err
	}
	groups, err := sso.Groups(t)
	if err != nil {
		return nil, err
	}
	grant, ok := sso.Judge(groups, id.Groups)
	u, err := s.userOfSSO(t, from, id, grant, ok)
	if err != nil {
		return nil, err
	}
	return u, s.grantSSO(t, from, u, grant)
}

// userOfSSO finds the account of an identity, makes it, or links the one that is there.
// Whoever is shut out reads so before anything else.
func (s *Service) userOfSSO(t database.Tx, from models.Actor, id *models.Identity, grant sso.Grant, granted bool) (*models.User, error) {
	userID, err := sso.UserOf(t, id)
	if err != nil {
		return nil, err
	}
	email, badAddress := models.ParseEmail(id.Email)
	linked := userID != 0
	if !linked && badAddress == nil {
		if err := t.Raw("SELECT id FROM users WHERE email = ?", email).Scan(&userID).Error; err != nil {
			return nil, fmt.Errorf("find account: %w", err)
		}
	}
	if userID == 0 {
		switch {
		case !granted:
			return nil, errNoGroup
		case badAddress != nil:
			return nil, errNoAddress
		}
		if err := believe(t, id); err != nil {
			return nil, err
		}
		return s.createSSO(t, from, id, email, grant)
	}
	if err := Lock(t, userID); err != nil {
		return nil, err
	}
	u, err := ByID(t, userID)
	if err != nil {
		return nil, err
	}
	if !linked {
		err = s.linkSSO(t, from, id, u)
	}
	switch {
	case err != nil:
		return nil, err
	case u.ShutOut(s.clock.Now()) != nil:
		return nil, errShutOut
	case !granted:
		return nil, errNoGroup
	}
	return u, nil
}

// believe refuses an address that may be somebody else's. It would take over their account,
// or stand in their way when they come.
func believe(t database.Tx, id *models.Identity) error {
	rules, err := sso.CurrentRules(t)
	if err == nil && !rules.Believes(id) {
		return errNotVerified
	}
	return err
}

// linkSSO lets the provider take over an account that is there. The address must be the
// person's for certain, and an administrator must have allowed it: whoever gets an address
// at the provider would get its account.
func (s *Service) linkSSO(t database.Tx, from models.Actor, id *models.Identity, u *models.User) error {
	if err := believe(t, id); err != nil {
		return err
	}
	allowed, err := sso.UseLink(t, u.ID)
	if err != nil {
		return err
	}
	if !allowed {
		return errNotLinked
	}
	now := s.clock.Now()
	if err := sso.Link(t, id, u.ID, now); err != nil {
		return database.Duplicated(err, "", errNotLinked.Code) // it is another's of the same provider
	}
	about := audit.About{After: map[string]any{"email": u.Email, "issuer": id.Issuer}}
	return audit.Record(t, u.ActorFrom(from), now, models.ActionUserLinked, models.OutcomeSuccess, about)
}

// createSSO makes the account of somebody who comes for the first time. They have no
// password.
func (s *Service) createSSO(t database.Tx, from models.Actor, id *models.Identity, email string, grant sso.Grant) (*models.User, error) {
	now := s.clock.Now()
	name, err := nameOfSSO(t, id, email)
	if err != nil {
		return nil, err
	}
	u := &models.User{
		Email: email, Name: name, Role: grant.Role, AllStores: grant.AllStores, StoreIDs: grant.StoreIDs,
		Version: 1, CreatedAt: now,
	}
	u.SecondFrom = secondFrom(&models.User{}, grant.Role, true, now)
	if err := t.Create(u).Error; err != nil {
		return nil, err
	}
	if err := setScope(t, u.ID, u.StoreIDs); err != nil {
		return nil, err
	}
	if err := sso.Link(t, id, u.ID, now); err != nil {
		return nil, err
	}
	told := u.Attributes()
	told["issuer"], told["groups"] = id.Issuer, namesOfGroups(id.Groups)
	return u, audit.Record(t, SSOActor(from, u.Name), now, models.ActionUserCreated, models.OutcomeSuccess, audit.About{After: told})
}

// nameOfSSO is the name of the provider, or the address where that cannot be one here, or
// is somebody else's already: at many providers people choose their names themselves, and
// the trail tells people by theirs.
func nameOfSSO(t database.Tx, id *models.Identity, email string) (string, error) {
	name, err := models.Text("name", models.Truncate(id.Name, 80), 80)
	if err != nil || audit.NameFree(t, "name", name) != nil {
		return models.Truncate(email, 80), nil
	}
	var taken bool
	if err := t.Raw(`SELECT EXISTS (SELECT FROM users WHERE lower(name) = lower(?))`, name).Scan(&taken).Error; err != nil {
		return "", fmt.Errorf("look for the name of somebody new: %w", err)
	}
	if taken {
		return models.Truncate(email, 80), nil
	}
	return name, nil
}

// namesOfGroups are the groups as the trail tells them: the first few.
func namesOfGroups(groups []string) []string {
	told := []string{}
	for _, g := range groups[:min(len(groups), 20)] {
		told = append(told, models.Legible(g, 80))
	}
	return told
}

// SSOActor is the single sign-on, acting for a person.
func SSOActor(from models.Actor, name string) models.Actor {
	a := models.System("single sign-on", name)
	a.Address, a.UserAgent, a.RequestID = from.Address, from.UserAgent, from.RequestID
	return a
}

// grantSSO gives a person what their groups give now.
func (s *Service) grantSSO(t database.Tx, from models.Actor, u *models.User, g sso.Grant) error {
	if u.Role == g.Role && u.AllStores == g.AllStores && slices.Equal(u.StoreIDs, g.StoreIDs) {
		return nil
	}
	if u.Role == models.Administrator && g.Role != models.Administrator {
		if err := requireAdministrator(t, u.ID); err != nil {
			return err
		}
	}
	before := u.Attributes()
	now := s.clock.Now()
	columns := map[string]any{"role": g.Role, "all_stores": g.AllStores, "second_from": secondFrom(u, g.Role, true, now)}
	if err := t.Replace(&models.User{}, u.ID, u.Version, columns); err != nil {
		return err
	}
	if err := setScope(t, u.ID, g.StoreIDs); err != nil {
		return err
	}
	if u.Role == models.Administrator && g.Role != models.Administrator {
		if err := proposals.LapseOf(t, SSOActor(from, u.Name), u.ID, now); err != nil {
			return err
		}
	}
	u.Role, u.AllStores, u.StoreIDs, u.Version = g.Role, g.AllStores, g.StoreIDs, u.Version+1
	about := audit.About{Before: before, After: u.Attributes()}
	return audit.Record(t, SSOActor(from, u.Name), now, models.ActionUserChanged, models.OutcomeSuccess, about)
}
