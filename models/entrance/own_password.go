package entrance

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/passwords"
	"veinte/models/audit"
	"veinte/models/database"
)

// The refusals of a change of the own password.
var (
	errCurrentWrong = models.Invalid("current", "password.currentWrong")
	errNoPassword   = &models.Error{Kind: models.KindConflict, Code: "password.none"} // they come by the provider
)

// passwordOf begins what wrong guesses of a password are counted by where somebody is
// signed in already: they lock nobody out of signing in.
const passwordOf = "password "

// OwnPassword is a person's change of their own password.
type OwnPassword struct {
	Current, New string
	Place        *Place
	Gone         func() bool // reports whether the client has hung up; nil: it is not known
}

// HasPassword reports whether the actor has one, and does not come by the provider alone.
func (s *Service) HasPassword(ctx context.Context, actor models.Actor) (bool, error) {
	t := database.Tx{DB: s.db.Gorm().WithContext(ctx)}
	u, err := accounts.ByID(t, actor.UserID)
	if err != nil {
		return false, err
	}
	return accounts.HasPassword(t, u)
}

// ChangePassword gives the actor, who says the one that they have, another password. Their
// other sessions end, and their other devices are not known any more: whoever changes one
// may fear that it is in the wrong hands.
//
// Errors: password.currentWrong, password.none, those of a new password, see
// passwords.Check; TooManyLogins, ErrSignInBusy; ErrStale when it was replaced meanwhile.
func (s *Service) ChangePassword(ctx context.Context, actor models.Actor, p OwnPassword) error {
	read := database.Tx{DB: s.db.Gorm().WithContext(ctx)}
	u, err := accounts.ByID(read, actor.UserID)
	if err != nil {
		return err
	}
	if has, err := accounts.HasPassword(read, u); err != nil {
		return err
	} else if !has {
		return errNoPassword
	}
	g := guesser{email: passwordOf + u.Email, by: actor.Network()}
	right := false
	err = p.Place.compute(ctx, p.Gone, func() (err error) {
		if err = mayGuess(read, s.clock.Now(), g); err == nil {
			right, err = passwords.Matches(p.Current, u.PasswordHash)
		}
		return err
	})
	if err != nil {
		return err
	}
	if !right {
		return s.currentWrong(ctx, actor, g, u)
	}
	hash, err := s.people.NewHash(ctx, u.Name, u.Email, p.New)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(t database.Tx) error {
		if err := lockGuesses(t, s.clock.Now(), g); err != nil {
			return err
		}
		if err := t.Replace(&models.User{}, u.ID, u.Version, map[string]any{"password_hash": hash}); err != nil {
			return err
		}
		if err := s.endOthers(t, actor); err != nil {
			return err
		}
		if err := s.Prove(t, actor); err != nil {
			return err
		}
		if err := s.people.Notify(t, actor, u.ID, models.NoticePasswordChanged); err != nil {
			return err
		}
		about := audit.About{After: map[string]any{"email": u.Email}}
		return audit.Record(t, actor, s.clock.Now(), models.ActionPasswordSet, models.OutcomeSuccess, about)
	})
}

// endOthers ends whatever is open of the actor but the session in which they act, who have
// just proved who they are.
func (s *Service) endOthers(t database.Tx, actor models.Actor) error {
	for _, statement := range []string{
		"DELETE FROM sign_in_steps WHERE user_id = @user",
		"DELETE FROM sessions WHERE user_id = @user AND id <> @session",
		"DELETE FROM known_devices WHERE user_id = @user AND device_id <> @device",
	} {
		err := t.Exec(statement, map[string]any{"user": actor.UserID, "session": actor.Session.ID, "device": actor.Session.DeviceID}).Error
		if err != nil {
			return fmt.Errorf("end what else is open of person %d: %w", actor.UserID, err)
		}
	}
	return nil
}

// currentWrong counts a wrong one, in the trail too.
func (s *Service) currentWrong(ctx context.Context, actor models.Actor, g guesser, u *models.User) error {
	about := audit.About{Reason: errCurrentWrong.Code, After: map[string]any{"email": u.Email}}
	counted, err := s.audit.Counted(actor, models.ActionPasswordSet, models.OutcomeFailure, about, u.Email)
	if err != nil {
		return err
	}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		now := s.clock.Now()
		if err := lockGuesses(t, now, g); err != nil {
			return err
		}
		if err := noteGuess(t, now, g); err != nil {
			return err
		}
		return counted.Record(t)
	})
	if err = counted.Unless(err); err != nil {
		return err
	}
	return models.Recorded(errCurrentWrong)
}

// SetPassword sets a password by a link, and makes the browser known in which that is done:
// after a new password no other is, and whoever guessed meanwhile would shut its owner out.
// device is for its cookie; cookie is the one that it has.
//
// Errors: as accounts.Service.SetPassword.
func (s *Service) SetPassword(ctx context.Context, reader models.Actor, token, password, cookie string) (device string, err error) {
	on, err := s.visitOf(ctx, cookie)
	if err != nil {
		return "", err
	}
	in, err := s.newSession(ctx, nil, on)
	if err != nil {
		return "", err
	}
	err = s.people.SetPasswordWith(ctx, reader, token, password, func(t database.Tx, u *models.User) error {
		in.User = u
		_, _, err := knowDevice(t, reader, in, s.clock.Now())
		return err
	})
	return in.Device, err
}
