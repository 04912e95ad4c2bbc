package accounts

import (
	"context"
	"errors"
	"fmt"

	"veinte/models"
	"veinte/models/accounts/proposals"
	"veinte/models/accounts/sso"
	"veinte/models/audit"
	"veinte/models/database"
)

// The refusals of the rule that people come in by the provider alone.
var (
	errNotByProvider = &models.Error{Kind: models.KindConflict, Code: "sso.notByIt"}
	errBreakGlass    = &models.Error{Kind: models.KindConflict, Code: "user.breakGlass"}
	errPasswordOff   = &models.Error{Kind: models.KindConflict, Code: "user.passwordOff"}
)

// HasPassword reports whether somebody has a password that counts: none does of whoever
// comes in by the provider alone.
func HasPassword(t database.Tx, u *models.User) (bool, error) {
	rules, err := sso.CurrentRules(t)
	return err == nil && u.PasswordHash != "" && !rules.Alone(u.ID), err
}

// SetPasswordRule has people come in by the provider alone, but for one administrator with
// a password; 0 lets all passwords count again. Only who has come by the provider switches
// passwords off: so it is known to work.
//
// Errors: ErrForbidden, ErrProofNeeded, sso.notByIt, sso.breakGlassInvalid.
func (s *Service) SetPasswordRule(ctx context.Context, actor models.Actor, breakGlass int64) error {
	if err := mayRuleSSO(actor); err != nil {
		return err
	}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		if err := proposals.LockAdministrators(t); err != nil {
			return err
		}
		before, err := sso.CurrentRules(t)
		if err != nil || before.BreakGlass == breakGlass {
			return err
		}
		if breakGlass != 0 {
			if err := mayBreakGlass(t, actor, breakGlass); err != nil {
				return err
			}
			// A sign-in that waits for its second step was let in by the rule of before.
			if err := t.Exec("DELETE FROM sign_in_steps").Error; err != nil {
				return err
			}
		}
		if err := sso.SetPassword(t, breakGlass); err != nil {
			return err
		}
		after, err := sso.CurrentRules(t)
		if err != nil {
			return err
		}
		about := audit.About{Before: before.PasswordAttributes(), After: after.PasswordAttributes()}
		return audit.Record(t, actor, s.clock.Now(), models.ActionSSOPassword, models.OutcomeSuccess, about)
	})
	if err != nil {
		return fmt.Errorf("change whether passwords count: %w", err)
	}
	return nil
}

// mayBreakGlass refuses the rule to a session that did not come by the provider, and an
// account that could not come in on the day.
func mayBreakGlass(t database.Tx, actor models.Actor, id int64) error {
	came, err := sso.Came(t, actor.Session.ID)
	if err != nil {
		return err
	}
	if !came {
		return errNotByProvider
	}
	invalid := models.Invalid("keeper", "sso.breakGlassInvalid")
	u, err := ByID(t, id)
	switch {
	case errors.Is(err, models.ErrNotFound):
		return invalid
	case err != nil:
		return err
	case u.Role != models.Administrator || u.PasswordHash == "" || u.AccessUntil != nil || u.DisabledAt != nil:
		return invalid
	}
	return nil
}

// keepBreakGlass refuses to shut out the one account that comes in without the provider.
func keepBreakGlass(t database.Tx, id int64) error {
	rules, err := sso.CurrentRules(t)
	if err == nil && rules.BreakGlass == id {
		return errBreakGlass
	}
	return err
}

// mayHaveLink refuses a link to set a password that would not count.
func mayHaveLink(t database.Tx, userID int64, refusal error) error {
	rules, err := sso.CurrentRules(t)
	if err == nil && rules.Alone(userID) {
		return refusal
	}
	return err
}
