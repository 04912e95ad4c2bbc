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

// changeOwn changes the actor's factors once they have proved that it is them.
//
// Errors: ErrProof, TooManyLogins, ErrSignInBusy, those of a code and of a passkey.
func (s *Service) changeOwn(ctx context.Context, actor models.Actor, p Proof, f func(database.Tx, *models.User) error) error {
	u, err := accounts.ByID(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, actor.UserID)
	if err != nil {
		return err
	}
	g := guesser{email: codesOf + u.Email, by: actor.Network(), known: true}
	known, err := s.knowsPassword(ctx, g, u, p)
	if err != nil {
		return err
	}
	var wrong error
	var counted *audit.Counted
	err = s.db.InTx(ctx, func(t database.Tx) error {
		wrong, counted = nil, nil
		if err := accounts.Lock(t, u.ID); err != nil {
			return err
		}
		if err := lockGuesses(t, s.clock.Now(), g); err != nil {
			return err
		}
		if !known {
			if wrong = s.proves(ctx, t, actor, u, p); wrong != nil {
				return s.proofFailed(t, actor, g, u, p, wrong, &counted)
			}
		}
		return f(t, u)
	})
	if counted != nil {
		err = counted.Unless(err)
	}
	switch {
	case err == nil && wrong != nil:
		return models.Recorded(wrong)
	case err != nil:
		return fmt.Errorf("change the factors of user %d: %w", u.ID, err)
	}
	return nil
}

// appCode is how long a code of an app is; no password is so short.
const appCode = 6

func codeOf(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), " ", "") }

// knowsPassword reports whether what was typed is the person's password.
func (s *Service) knowsPassword(ctx context.Context, g guesser, u *models.User, p Proof) (ok bool, err error) {
	if p.Passkey != "" || p.Place == nil || u.PasswordHash == "" || len(codeOf(p.Text)) <= appCode {
		return false, nil
	}
	if err := mayGuess(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, s.clock.Now(), g); err != nil {
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

// proofFailed counts a wrong proof, in the trail too.
func (s *Service) proofFailed(
	t database.Tx, actor models.Actor, g guesser, u *models.User, p Proof, wrong error, counted **audit.Counted,
) (err error) {
	var known *models.Error
	if !errors.As(wrong, &known) {
		return wrong
	}
	if p.Passkey == "" {
		if err := noteGuess(t, s.clock.Now(), g); err != nil {
			return err
		}
	}
	about := audit.About{Reason: known.Code, After: map[string]any{"email": u.Email}}
	if *counted, err = s.audit.Counted(actor, models.ActionProofRefused, models.OutcomeFailure, about, u.Email); err != nil {
		return err
	}
	return (*counted).Record(t)
}
