package entrance

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/passwords"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/entrance/factors"
	"veinte/models/entrance/passkeys"
)

// ErrProof is the refusal of what was to prove that it is still the person of the session.
var ErrProof = models.Invalid("proof", "proof.wrong")

// Proof is that it is still the person of the session: a code of their app, their
// password, or what their browser has signed with a passkey.
type Proof struct {
	Text, Passkey string
	Browser       string // of the passkey, a secret
	Place         *Place // for the password
	Gone          func() bool
}

// changeOwn changes the actor's factors once they have proved that it is them, and ends
// whatever else is open of them, as a change of the password does: whoever changes a factor
// may fear that it is in the wrong hands.
//
// Errors: those of proving.
func (s *Service) changeOwn(ctx context.Context, actor models.Actor, p Proof, f func(database.Tx, *models.User) error) error {
	return s.proving(ctx, actor, p, func(t database.Tx, u *models.User) error {
		if err := f(t, u); err != nil {
			return err
		}
		return s.endOthers(t, actor)
	})
}

// proving does f once the actor has proved that it is them, in a session that still lives.
//
// Errors: ErrProof, TooManyLogins, ErrSignInBusy, those of a code and of a passkey.
func (s *Service) proving(ctx context.Context, actor models.Actor, p Proof, f func(database.Tx, *models.User) error) error {
	u, err := accounts.ByID(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, actor.UserID)
	if err != nil {
		return err
	}
	known, err := s.knowsPassword(ctx, ownGuesser(actor, u), u, p)
	if err != nil {
		return err
	}
	return s.trying(ctx, actor, u, trial{models.ActionProofRefused, p.Passkey == ""}, func(t database.Tx) (wrong, err error) {
		if !known {
			if err := s.proves(ctx, t, actor, u, p); err != nil {
				return refusal(err)
			}
		}
		if err := s.Prove(t, actor); err != nil {
			return nil, err
		}
		return nil, f(t, u)
	})
}

// Confirm takes a proof that it is still the person of the session, which then is fresh.
//
// Errors: those of proving.
func (s *Service) Confirm(ctx context.Context, actor models.Actor, p Proof) error {
	return s.proving(ctx, actor, p, func(t database.Tx, u *models.User) error {
		told := audit.About{After: map[string]any{"email": u.Email}}
		return audit.Record(t, actor, s.clock.Now(), models.ActionProved, models.OutcomeSuccess, told)
	})
}

// ownGuesser is who guesses in a session, counted like guesses of the current password, and
// with them: they lock nobody out of signing in.
func ownGuesser(actor models.Actor, u *models.User) guesser {
	return guesser{email: passwordOf + u.Email, by: actor.Network()}
}

// trial is how something is recorded that turns out to be wrong.
type trial struct {
	refused models.Action
	guess   bool // it is counted as a guess; nobody guesses a passkey
}

// refusal is a wrong guess, or that nothing could be judged.
func refusal(err error) (wrong, failed error) {
	var known *models.Error
	if errors.As(err, &known) && !errors.Is(err, factors.ErrUnreadable) && !errors.Is(err, models.ErrNotFound) {
		return err, nil
	}
	return nil, err
}

// trying does what may turn out to be wrong: then it is counted, in the trail too.
func (s *Service) trying(
	ctx context.Context, actor models.Actor, u *models.User, of trial, f func(database.Tx) (wrong, err error),
) error {
	g := ownGuesser(actor, u)
	var wrong error
	var counted *audit.Counted
	err := s.db.InTx(ctx, func(t database.Tx) (err error) {
		wrong, counted = nil, nil
		if err := lockGuesses(t, s.clock.Now(), g); err != nil {
			return err
		}
		if err := accounts.Lock(t, u.ID); err != nil {
			return err
		}
		if wrong, err = f(t); err != nil || wrong == nil {
			return err
		}
		if of.guess {
			if err := noteGuess(t, s.clock.Now(), g); err != nil {
				return err
			}
		}
		var known *models.Error
		errors.As(wrong, &known)
		about := audit.About{Reason: known.Code, After: map[string]any{"email": u.Email}}
		if counted, err = s.audit.Counted(actor, of.refused, models.OutcomeFailure, about, u.Email); err != nil {
			return err
		}
		return counted.Record(t)
	})
	if counted != nil {
		err = counted.Unless(err)
	}
	switch {
	case err != nil:
		return fmt.Errorf("judge a proof of user %d: %w", u.ID, err)
	case wrong != nil:
		return models.Recorded(wrong)
	}
	return nil
}

// appCode is how long a code of an app is; no password is so short.
const appCode = 6

func codeOf(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), " ", "") }

// knowsPassword reports whether what was typed is the person's password. One that lets
// nobody in proves nothing either.
func (s *Service) knowsPassword(ctx context.Context, g guesser, u *models.User, p Proof) (ok bool, err error) {
	if p.Passkey != "" || p.Place == nil || len(codeOf(p.Text)) <= appCode {
		return false, nil
	}
	t := database.Tx{DB: s.db.Gorm().WithContext(ctx)}
	if has, err := accounts.HasPassword(t, u); err != nil || !has {
		return false, err
	}
	if err := mayGuess(t, s.clock.Now(), g); err != nil {
		return false, err
	}
	err = p.Place.compute(ctx, p.Gone, func() (err error) {
		ok, err = passwords.Matches(p.Text, u.PasswordHash)
		return err
	})
	return ok, err
}

// proves judges a passkey or a code of the app. Recovery codes are for signing in.
func (s *Service) proves(ctx context.Context, t database.Tx, actor models.Actor, u *models.User, p Proof) error {
	if p.Passkey != "" {
		_, err := s.usePasskey(ctx, t, actor, passkeys.Ceremony{Purpose: passkeys.Confirm, Browser: p.Browser}, u.ID, p.Passkey)
		return err
	}
	if code := codeOf(p.Text); len(code) == appCode {
		_, err := s.factors.Use(t, u.ID, code)
		return inProof(err)
	}
	return ErrProof
}

// inProof names the field of a code that proves.
func inProof(err error) error {
	var known *models.Error
	if errors.As(err, &known) && known.Field == "code" {
		return models.Invalid("proof", known.Code)
	}
	return err
}
