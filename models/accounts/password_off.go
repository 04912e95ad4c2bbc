package accounts

import (
	"context"
	"errors"
	"fmt"

	"veinte/models"
	"veinte/models/accounts/sso"
	"veinte/models/audit"
	"veinte/models/database"
)

// The refusals of the rule that people come in by the provider alone.
var (
	errPasswordOff = models.Invalid("email", "login.passwordOff")
	errNotByIt     = &models.Error{Kind: models.KindConflict, Code: "sso.notByIt"}
	errBreakGlass  = &models.Error{Kind: models.KindConflict, Code: "user.breakGlass"}
)

// byPassword judges a sign-in by password while people come in by the provider alone. All
// but the one account are refused in the same words, whether the password was right or
// not: nobody learns whose it is, or that they guessed one. The use of that account is an
// entry before there is a session, of which an alert tells.
func (s *Service) byPassword(ctx context.Context, from models.Actor, u *models.User, judged error) (*models.User, error) {
	if judged != nil && !errors.Is(judged, errLoginWrong) {
		return nil, judged
	}
	rule, err := sso.Password(database.Tx{DB: s.db.Gorm().WithContext(ctx)})
	switch {
	case err != nil:
		return nil, err
	case !rule.PasswordOff:
		return u, judged
	case judged != nil || u.ID != rule.BreakGlass:
		return nil, errPasswordOff
	case u.ShutOut(s.clock.Now()) != nil:
		return u, nil // they are refused as always
	}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		about := audit.About{After: map[string]any{"email": u.Email}}
		return audit.Record(t, u.ActorFrom(from), s.clock.Now(), models.ActionBreakGlass, models.OutcomeSuccess, about)
	})
	return u, err
}

// SetPasswordRule has people come in by the provider alone, but for one administrator with
// a password; 0 lets all passwords count again. Only who has come by the provider switches
// passwords off: so it is known to work.
//
// Errors: ErrForbidden, sso.notByIt, sso.breakGlassInvalid.
func (s *Service) SetPasswordRule(ctx context.Context, actor models.Actor, session string, breakGlass int64) error {
	if !actor.May(models.ManageUsers) {
		return models.ErrForbidden
	}
	now := s.clock.Now()
	err := s.db.InTx(ctx, func(t database.Tx) error {
		if err := lockAdministrators(t); err != nil {
			return err
		}
		before, err := sso.Password(t)
		if err != nil || before.BreakGlass == breakGlass {
			return err
		}
		if breakGlass != 0 {
			if err := s.mayBreakGlass(t, session, breakGlass); err != nil {
				return err
			}
		}
		if err := sso.SetPassword(t, breakGlass); err != nil {
			return err
		}
		after, err := sso.Password(t)
		if err != nil {
			return err
		}
		about := audit.About{Before: before.Attributes(), After: after.Attributes()}
		return audit.Record(t, actor, now, models.ActionSSOPassword, models.OutcomeSuccess, about)
	})
	if err != nil {
		return fmt.Errorf("change whether passwords count: %w", err)
	}
	return nil
}

// mayBreakGlass refuses the rule to a session that did not come by the provider, and an
// account that could not come in on the day.
func (s *Service) mayBreakGlass(t database.Tx, session string, id int64) error {
	came, err := sso.Came(t, hashToken(session))
	if err != nil {
		return err
	}
	if !came {
		return errNotByIt
	}
	u, err := user(t, id)
	if errors.Is(err, models.ErrNotFound) {
		return models.Invalid("person", "sso.breakGlassInvalid")
	}
	if err != nil {
		return err
	}
	if u.Role != models.Administrator || u.PasswordHash == "" || u.AccessUntil != nil || u.ShutOut(s.clock.Now()) != nil {
		return models.Invalid("person", "sso.breakGlassInvalid")
	}
	return nil
}

// keepBreakGlass refuses to shut out the one account whose password counts.
func keepBreakGlass(t database.Tx, id int64) error {
	rule, err := sso.Password(t)
	if err == nil && rule.PasswordOff && rule.BreakGlass == id {
		return errBreakGlass
	}
	return err
}
