package entrance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/entrance/factors"
	"veinte/models/entrance/passkeys"
)

// AskPasskey is what a browser, known by a secret of its own, has anybody sign to sign in
// without a password.
//
// Errors: those of passkeys.Ask.
func (s *Service) AskPasskey(ctx context.Context, browser string) (json.RawMessage, error) {
	of := passkeys.Ceremony{Purpose: passkeys.SignIn, Browser: browser}
	return s.passkeys.Ask(ctx, database.Tx{DB: s.db.Gorm().WithContext(ctx)}, of, nil)
}

// AskStep is what a browser has the person of a second step sign, or make a passkey with
// where they set one up.
//
// Errors: ErrStepOver, those of passkeys.Ask and AskNew.
func (s *Service) AskStep(ctx context.Context, token string) (json.RawMessage, error) {
	t := database.Tx{DB: s.db.Gorm().WithContext(ctx)}
	p, err := s.readStep(t, token)
	if err != nil {
		return nil, err
	}
	u := &models.User{ID: p.UserID, Email: p.Email, Name: p.Name}
	if p.Setup {
		return s.passkeys.AskNew(ctx, t, passkeys.Ceremony{Purpose: passkeys.Register, Browser: string(p.ID[:])}, u)
	}
	return s.passkeys.Ask(ctx, t, passkeys.Ceremony{Purpose: passkeys.SecondStep, Browser: string(p.ID[:])}, u)
}

// PasskeySignIn begins the session of the person whose passkey it is. The device has
// verified them, so that nothing else is asked for, whatever the rule of their role.
//
// Errors: those of passkeys.Use; passkeys.ErrUnknown for somebody who is disabled or whose
// access has ended (only the trail distinguishes them); login.passwordOff for whoever has to
// come by the provider.
func (s *Service) PasskeySignIn(ctx context.Context, from models.Actor, place *Place, browser, answer string) (*SignedIn, error) {
	var in *SignedIn
	var wrong error
	var counted *audit.Counted
	of := passkeys.Ceremony{Purpose: passkeys.SignIn, Browser: browser}
	err := s.db.InTx(ctx, func(t database.Tx) (err error) {
		in, wrong, counted = nil, nil, nil // it may be tried again
		used, err := s.usePasskey(ctx, t, from, of, 0, answer)
		var known *models.Error
		if err != nil && !errors.As(err, &known) {
			return err
		}
		u := &models.User{Email: "?"}
		if used != nil {
			var failed error
			if u, failed = accounts.ByID(t, used.UserID); failed != nil {
				return failed
			}
		}
		if err == nil {
			if known, err = s.checkPasskey(t, from, u); err == nil {
				in, err = s.newSession(ctx, u, place.visit(false))
				if err != nil {
					return err
				}
				in.way = byPasskey
				return s.openSession(t, from, s.guesser(ctx, from, place, u.Email), in)
			} else if known == nil {
				return err
			}
		}
		wrong, from.Name, from.Role = err, u.Email, models.Anonymous
		counted, err = s.audit.Counted(from, models.ActionLogin, models.OutcomeFailure, audit.About{Reason: known.Code}, u.Email)
		if err != nil {
			return err
		}
		return counted.Record(t)
	})
	if counted != nil {
		err = counted.Unless(err)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("sign in with a passkey: %w", err)
	case wrong != nil:
		return nil, models.Recorded(wrong)
	}
	return in, nil
}

// usePasskey judges what was signed with a passkey, and says in the trail that it was used,
// or that it was found to be copied. userID is whose it has to be, 0 for anybody.
func (s *Service) usePasskey(
	ctx context.Context, t database.Tx, from models.Actor, of passkeys.Ceremony, userID int64, answer string,
) (*passkeys.Used, error) {
	used, err := s.passkeys.Use(ctx, t, of, userID, answer)
	action, outcome := models.ActionPasskeyUsed, models.OutcomeSuccess
	switch {
	case used != nil && used.Copied:
		action, outcome = models.ActionPasskeyCloned, models.OutcomeDenied
	case err != nil:
		return used, err
	}
	u, failed := accounts.ByID(t, used.UserID)
	if failed != nil {
		return nil, failed
	}
	told := audit.About{After: map[string]any{"email": u.Email, "passkey": used.Name}}
	if failed := audit.Record(t, u.ActorFrom(from), s.clock.Now(), action, outcome, told); failed != nil {
		return nil, failed
	}
	return used, err
}

// addPasskey registers the passkey that a person's browser has made, and says so in the
// trail. Who has no recovery codes gets some.
func (s *Service) addPasskey(
	ctx context.Context, t database.Tx, actor models.Actor, of passkeys.Ceremony, u *models.User, given Given,
) (recovery []string, err error) {
	key, err := s.passkeys.Add(ctx, t, of, u, given.Name, given.Passkey)
	if err != nil {
		return nil, err
	}
	if recovery, err = factors.FirstRecovery(t, u.ID); err != nil {
		return nil, err
	}
	state, err := factors.Of(t, u.ID)
	if err != nil {
		return nil, err
	}
	told := map[string]any{"email": u.Email, "passkey": key.Name, "publicKeySha256": key.Binding, "codesLeft": state.Left}
	return recovery, audit.Record(t, actor, s.clock.Now(), models.ActionPasskeyAdded, models.OutcomeSuccess, audit.About{After: told})
}
