package accounts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"veinte/models"
	"veinte/models/accounts/sso"
	"veinte/models/audit"
	"veinte/models/database"
)

// The refusals of people whom the provider has let in.
var (
	errNoGroup   = &models.Error{Kind: models.KindForbidden, Code: "sso.noGroup"}
	errNoAddress = &models.Error{Kind: models.KindForbidden, Code: "sso.noAddress"}
	errNotLinked = &models.Error{Kind: models.KindForbidden, Code: "sso.notLinked"}
	errShutOut   = &models.Error{Kind: models.KindForbidden, Code: "sso.shutOut"}
)

// ssoName is the part of the system that acts for people who come by the provider.
const ssoName = "single sign-on"

// BeginSSO begins a sign-in at the provider, which leads to next. lead returns where the
// provider lets people sign in; while it cannot be reached, nothing is stored.
//
// Errors: sso.ErrTooManyFlows, those of lead.
func (s *Service) BeginSSO(
	ctx context.Context, from models.Actor, next string, lead func(context.Context, models.SSORequest) (string, error),
) (flow *sso.Flow, to string, err error) {
	flow = sso.NewFlow(next)
	if to, err = lead(ctx, flow.SSORequest); err != nil {
		return nil, "", s.ssoRefused(ctx, from, "", err)
	}
	err = s.db.InTx(ctx, func(t database.Tx) error { return sso.Begin(t, flow, from.Network(), s.clock.Now()) })
	if errors.Is(err, sso.ErrTooManyFlows) {
		return nil, "", s.ssoRefused(ctx, from, "", sso.ErrTooManyFlows)
	}
	return flow, to, err
}

// TakeSSO ends what BeginSSO has begun, in the same browser.
//
// Errors: sso.ErrFlowOver.
func (s *Service) TakeSSO(ctx context.Context, from models.Actor, state, browser string) (flow *sso.Flow, err error) {
	err = s.db.InTx(ctx, func(t database.Tx) (err error) {
		flow, err = sso.Take(t, state, browser, s.clock.Now())
		return err
	})
	if errors.Is(err, sso.ErrFlowOver) {
		return nil, s.ssoRefused(ctx, from, "", sso.ErrFlowOver)
	}
	return flow, err
}

// RefuseSSO records why somebody did not come in by the provider, as a counted entry.
func (s *Service) RefuseSSO(ctx context.Context, from models.Actor, why error) error {
	return s.ssoRefused(ctx, from, "", why)
}

func (s *Service) ssoRefused(ctx context.Context, from models.Actor, name string, why error) error {
	var known *models.Error
	if !errors.As(why, &known) {
		return why
	}
	if name = models.Legible(strings.TrimSpace(name), 120); name == "" {
		name = "?"
	}
	from = models.Actor{Name: name, Role: models.Anonymous, Address: from.Address, UserAgent: from.UserAgent, RequestID: from.RequestID}
	err := s.audit.RecordCounted(ctx, from, models.ActionLogin, models.OutcomeDenied, audit.About{Reason: known.Code}, known.Code+" "+name)
	if err != nil {
		return err
	}
	return models.Recorded(why)
}

// SignInSSO begins a session of the person of whom the provider speaks. At their first
// time it makes their account, and each time it gives them what their groups give. cookie is
// that of a device that has signed in before, or "".
//
// Errors: sso.noGroup, sso.noAddress, sso.notLinked, sso.shutOut, user.lastAdministrator.
func (s *Service) SignInSSO(ctx context.Context, from models.Actor, id *models.Identity, cookie string) (in *SignedIn, err error) {
	on, err := s.visitOf(ctx, cookie)
	if err != nil {
		return nil, err
	}
	err = s.db.InTx(ctx, func(t database.Tx) (err error) {
		in, err = s.enterSSO(ctx, t, from, id, on)
		return err
	})
	var known *models.Error
	switch {
	case err == nil:
		return in, nil
	case errors.As(err, &known):
		return nil, s.ssoRefused(ctx, from, id.Email, known)
	}
	return nil, fmt.Errorf("sign in by the provider: %w", err)
}

func (s *Service) enterSSO(ctx context.Context, t database.Tx, from models.Actor, id *models.Identity, on visit) (*SignedIn, error) {
	// One after the other: of two first sign-ins at once one makes the account.
	if err := t.Lock(database.LockSSO); err != nil {
		return nil, err
	}
	if err := lockAdministrators(t); err != nil {
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
	if err := s.grantSSO(t, from, u, grant); err != nil {
		return nil, err
	}
	in, err := s.newSession(ctx, u, on)
	if err != nil {
		return nil, err
	}
	if err := s.openSession(t, from, guesser{email: ssoName, by: from.Network()}, in); err != nil {
		return nil, err
	}
	return in, sso.Note(t, hashToken(in.Token), id)
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
		return s.createSSO(t, from, id, email, grant)
	}
	if err := lockUser(t, userID); err != nil {
		return nil, err
	}
	u, err := user(t, userID)
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

// linkSSO lets the provider take over an account that is there. The address must be the
// person's for certain, and an administrator must have allowed it: whoever gets an address
// at the provider would get its account.
func (s *Service) linkSSO(t database.Tx, from models.Actor, id *models.Identity, u *models.User) error {
	if !id.EmailVerified {
		return errNotLinked
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
	u := &models.User{
		Email: email, Name: nameOfSSO(t, id, email), Role: grant.Role, AllStores: grant.AllStores, StoreIDs: grant.StoreIDs,
		Version: 1, CreatedAt: now,
	}
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
	return u, audit.Record(t, systemFrom(from, u), now, models.ActionUserCreated, models.OutcomeSuccess, audit.About{After: told})
}

// nameOfSSO is the name of the provider, or the address where that cannot be one here.
func nameOfSSO(t database.Tx, id *models.Identity, email string) string {
	name, err := models.Text("name", models.Truncate(id.Name, 80), 80)
	if err != nil || audit.NameFree(t, "name", name) != nil {
		return models.Truncate(email, 80)
	}
	return name
}

// namesOfGroups are the groups as the trail tells them: the first few.
func namesOfGroups(groups []string) []string {
	told := []string{}
	for _, g := range groups[:min(len(groups), 20)] {
		told = append(told, models.Legible(g, 80))
	}
	return told
}

// systemFrom is the single sign-on, acting for a person.
func systemFrom(from models.Actor, u *models.User) models.Actor {
	a := models.System(ssoName, u.Name)
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
	columns := map[string]any{"role": g.Role, "all_stores": g.AllStores}
	if err := t.Replace(&models.User{}, u.ID, u.Version, columns); err != nil {
		return err
	}
	if err := setScope(t, u.ID, g.StoreIDs); err != nil {
		return err
	}
	u.Role, u.AllStores, u.StoreIDs, u.Version = g.Role, g.AllStores, g.StoreIDs, u.Version+1
	about := audit.About{Before: before, After: u.Attributes()}
	return audit.Record(t, systemFrom(from, u), s.clock.Now(), models.ActionUserChanged, models.OutcomeSuccess, about)
}

// EndSSO ends the sessions of which the provider says that they are over.
//
// Errors: sso.ErrLogoutUsed.
func (s *Service) EndSSO(ctx context.Context, from models.Actor, l *models.ProviderLogout) error {
	now := s.clock.Now()
	err := s.db.InTx(ctx, func(t database.Tx) error {
		ended, err := sso.End(t, l, now)
		if err != nil {
			return err
		}
		for _, e := range ended {
			about := audit.About{Reason: "session.byProvider", Before: map[string]any{"userId": e.UserID, "since": e.Since.UTC()}}
			by := systemFrom(from, &models.User{Name: e.Name})
			if err := audit.Record(t, by, now, models.ActionLogout, models.OutcomeSuccess, about); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, sso.ErrLogoutUsed) {
		return s.RefuseLogout(ctx, from, err)
	}
	return err
}

// RefuseLogout records that somebody spoke in the provider's name, as a counted entry.
func (s *Service) RefuseLogout(ctx context.Context, from models.Actor, why error) error {
	var known *models.Error
	if !errors.As(why, &known) {
		return why
	}
	from = from.Named()
	err := s.audit.RecordCounted(ctx, from, models.ActionLogout, models.OutcomeDenied, audit.About{Reason: known.Code}, known.Code)
	if err != nil {
		return err
	}
	return models.Recorded(why)
}
