package entrance

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/sso"
	"veinte/models/audit"
	"veinte/models/database"
)

// BeginSSO begins a sign-in at the provider, which leads to next. lead returns where the
// provider lets people sign in; while it cannot be reached, nothing is stored. cookie is
// that of a device that has signed in before, or "": such a device is counted by itself, so
// that nobody else in a shop's network takes its place.
//
// Errors: sso.ErrTooManyFlows, those of lead.
func (s *Service) BeginSSO(
	ctx context.Context, from models.Actor, cookie, next string, lead func(context.Context, models.SSORequest) (string, error),
) (flow *sso.Flow, to string, err error) {
	by := from.Network()
	if on, err := s.visitOf(ctx, cookie); err != nil {
		return nil, "", err
	} else if on.device != "" {
		by = devicePrefix + on.device
	}
	flow = sso.NewFlow(next)
	if to, err = lead(ctx, flow.SSORequest); err != nil {
		return nil, "", s.ssoRefused(ctx, from, "", err)
	}
	err = s.db.InTx(ctx, func(t database.Tx) error { return sso.Begin(t, flow, by, s.clock.Now()) })
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
// Errors: sso.noGroup, sso.noAddress, sso.notVerified, sso.notLinked, sso.shutOut, user.lastAdministrator.
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
	u, err := s.people.BySSO(t, from, id)
	if err != nil {
		return nil, err
	}
	in, err := s.newSession(ctx, u, on)
	if err != nil {
		return nil, err
	}
	in.way = byProvider
	if err := s.openSession(t, from, guesser{by: from.Network()}, in); err != nil {
		return nil, err
	}
	return in, sso.Note(t, accounts.HashToken(in.Token), id)
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
			by := accounts.SSOActor(from, e.Name)
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
