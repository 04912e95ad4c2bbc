package entrance

import (
	"context"
	"encoding/json"
	"errors"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/entrance/factors"
	"veinte/models/entrance/passkeys"
)

// The refusals of a change of the own factors, beside those of a proof.
var (
	ErrLastFactor = &models.Error{Kind: models.KindConflict, Code: "factor.last"} // the rule of their role asks for one
	errNoCodes    = &models.Error{Kind: models.KindConflict, Code: "factor.noneYet"}
	errNoApp      = &models.Error{Kind: models.KindConflict, Code: "factor.noApp"}
)

// OwnFactors is what a person has for their second step.
type OwnFactors struct {
	factors.State
	Email string
	Keys  []passkeys.Key
	Asked bool            // their role is asked for it, so that the last one stays
	Sure  bool            // they have something to prove with that it is them
	Next  *factors.Secret // of the app that is being set up
}

// OwnFactors returns what the actor has for their second step.
func (s *Service) OwnFactors(ctx context.Context, actor models.Actor) (*OwnFactors, error) {
	t := database.Tx{DB: s.db.Gorm().WithContext(ctx)}
	u, err := accounts.ByID(t, actor.UserID)
	if err != nil {
		return nil, err
	}
	own := &OwnFactors{Email: u.Email}
	if own.State, err = factors.Of(t, u.ID); err != nil {
		return nil, err
	}
	if own.Keys, err = passkeys.Of(t, u.ID); err != nil {
		return nil, err
	}
	has, err := accounts.HasPassword(t, u)
	if err != nil {
		return nil, err
	}
	own.Sure = has || !own.None()
	if own.Asked, err = factors.Asked(t, u.Role); err != nil {
		return nil, err
	}
	secret, err := s.factors.Next(t, u, actor.Session.ID)
	switch {
	case err == nil:
		own.Next = &secret
	case !errors.Is(err, models.ErrNotFound) && !errors.Is(err, factors.ErrUnreadable):
		return nil, err
	}
	return own, nil
}

// AskProof is what a browser has the actor sign to prove that it is them. AskOwn is what it
// makes a new passkey with.
//
// Errors: those of passkeys.Ask and AskNew.
func (s *Service) AskProof(ctx context.Context, actor models.Actor, browser string) (json.RawMessage, error) {
	return s.askOwn(ctx, actor, passkeys.Ceremony{Purpose: passkeys.Confirm, Browser: browser}, s.passkeys.Ask)
}

// AskOwn is AskProof for a new passkey.
func (s *Service) AskOwn(ctx context.Context, actor models.Actor, browser string) (json.RawMessage, error) {
	return s.askOwn(ctx, actor, passkeys.Ceremony{Purpose: passkeys.Register, Browser: browser}, s.passkeys.AskNew)
}

func (s *Service) askOwn(
	ctx context.Context, actor models.Actor, of passkeys.Ceremony,
	ask func(context.Context, database.Tx, passkeys.Ceremony, *models.User) (json.RawMessage, error),
) (json.RawMessage, error) {
	t := database.Tx{DB: s.db.Gorm().WithContext(ctx)}
	u, err := accounts.ByID(t, actor.UserID)
	if err != nil {
		return nil, err
	}
	return ask(ctx, t, of, u)
}

// AddPasskey registers the passkey that the actor's browser has made. recovery are new
// recovery codes, for who had none.
//
// Errors: those of a proof and of passkeys.Add.
func (s *Service) AddPasskey(ctx context.Context, actor models.Actor, p Proof, name, answer string) (recovery []string, err error) {
	of := passkeys.Ceremony{Purpose: passkeys.Register, Browser: p.Browser}
	err = s.changeOwn(ctx, actor, p, func(t database.Tx, u *models.User) (err error) {
		if recovery, err = s.addPasskey(ctx, t, actor, of, u, Given{Passkey: answer, Name: name}); err != nil {
			return err
		}
		return s.people.Notify(t, actor, u.ID, models.NoticeFactorAdded)
	})
	return recovery, err
}

// RemovePasskey removes a passkey of the actor, or refuses if it is the last that the rule
// of their role asks for.
//
// Errors: those of a proof, ErrNotFound, ErrLastFactor.
func (s *Service) RemovePasskey(ctx context.Context, actor models.Actor, p Proof, id int64) error {
	return s.changeOwn(ctx, actor, p, func(t database.Tx, u *models.User) error {
		key, err := passkeys.Remove(t, u.ID, id)
		if err != nil {
			return err
		}
		return s.removed(t, actor, u, models.ActionPasskeyRemoved, map[string]any{
			"email": u.Email, "passkey": key.Name, "publicKeySha256": key.Binding,
		})
	})
}

// RemoveApp removes the app of the actor, as RemovePasskey.
//
// Errors: those of a proof, factor.noApp, ErrLastFactor.
func (s *Service) RemoveApp(ctx context.Context, actor models.Actor, p Proof) error {
	return s.changeOwn(ctx, actor, p, func(t database.Tx, u *models.User) error {
		state, err := factors.Of(t, u.ID)
		if err != nil {
			return err
		}
		if state.Since == nil {
			return errNoApp
		}
		if err := factors.RemoveApp(t, u.ID); err != nil {
			return err
		}
		return s.removed(t, actor, u, models.ActionFactorRemoved, map[string]any{"email": u.Email})
	})
}

// removed refuses the removal of what the rule asks for, and says in the trail what was
// removed. Without a factor recovery codes open nothing.
func (s *Service) removed(t database.Tx, actor models.Actor, u *models.User, action models.Action, was map[string]any) error {
	state, err := factors.Of(t, u.ID)
	if err != nil {
		return err
	}
	if state.None() {
		asked, err := factors.Asked(t, u.Role)
		if err != nil {
			return err
		}
		if asked {
			return ErrLastFactor
		}
		if err := factors.RemoveRecovery(t, u.ID); err != nil {
			return err
		}
	}
	if err := s.people.Notify(t, actor, u.ID, models.NoticeFactorRemoved); err != nil {
		return err
	}
	return audit.Record(t, actor, s.clock.Now(), action, models.OutcomeSuccess, audit.About{Before: was})
}

// NewRecovery gives the actor new recovery codes; the old ones end.
//
// Errors: those of a proof, factor.noneYet.
func (s *Service) NewRecovery(ctx context.Context, actor models.Actor, p Proof) (codes []string, err error) {
	err = s.changeOwn(ctx, actor, p, func(t database.Tx, u *models.User) error {
		state, err := factors.Of(t, u.ID)
		if err != nil {
			return err
		}
		if state.None() {
			return errNoCodes
		}
		if codes, err = factors.MakeRecovery(t, u.ID); err != nil {
			return err
		}
		if err := s.people.Notify(t, actor, u.ID, models.NoticeRecoveryMade); err != nil {
			return err
		}
		return audit.Record(t, actor, s.clock.Now(), models.ActionRecoveryMade, models.OutcomeSuccess, audit.About{
			Before: map[string]any{"email": u.Email, "codesLeft": state.Left}, After: map[string]any{"email": u.Email, "codesLeft": len(codes)},
		})
	})
	return codes, err
}

// BeginApp makes the secret of the app that the actor sets up, or puts in the place of the
// one that they have. It is shown in their session alone, and changes nothing yet.
//
// Errors: those of a proof.
func (s *Service) BeginApp(ctx context.Context, actor models.Actor, p Proof) error {
	return s.proving(ctx, actor, p, func(t database.Tx, u *models.User) error {
		if _, err := s.factors.BeginNext(t, u, actor.Session.ID); err != nil {
			return err
		}
		told := audit.About{After: map[string]any{"email": u.Email}}
		return audit.Record(t, actor, s.clock.Now(), models.ActionFactorBegun, models.OutcomeSuccess, told)
	})
}

// ConfirmApp takes the first code of that app, which is asked for from then on. recovery
// are as in AddPasskey.
//
// Errors: ErrNotFound when none is being set up in this session, TooManyLogins, those of a
// code.
func (s *Service) ConfirmApp(ctx context.Context, actor models.Actor, code string) (recovery []string, err error) {
	u, err := accounts.ByID(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, actor.UserID)
	if err != nil {
		return nil, err
	}
	err = s.trying(ctx, actor, u, trial{models.ActionFactorSet, true}, func(t database.Tx) (wrong, err error) {
		before, err := factors.Of(t, u.ID)
		if err != nil {
			return nil, err
		}
		if recovery, err = s.factors.ConfirmNext(t, u, actor.Session.ID, code); err != nil {
			return refusal(err)
		}
		if err := s.endOthers(t, actor); err != nil {
			return nil, err
		}
		after, err := factors.Of(t, u.ID)
		if err != nil {
			return nil, err
		}
		if err := s.people.Notify(t, actor, u.ID, models.NoticeFactorAdded); err != nil {
			return nil, err
		}
		return nil, audit.Record(t, actor, s.clock.Now(), models.ActionFactorSet, models.OutcomeSuccess, audit.About{
			Before: map[string]any{"email": u.Email, "app": before.Since != nil},
			After:  map[string]any{"email": u.Email, "app": true, "codesLeft": after.Left},
		})
	})
	return recovery, err
}
