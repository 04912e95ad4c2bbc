package entrance

import (
	"context"
	"fmt"
	"maps"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/proposals"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/entrance/factors"
)

// Factors returns what is there of a person's second step.
//
// Errors: ErrForbidden.
func (s *Service) Factors(ctx context.Context, actor models.Actor, id int64) (factors.State, error) {
	if !actor.May(models.ManageUsers) && actor.UserID != id {
		return factors.State{}, models.ErrForbidden
	}
	return factors.Of(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, id)
}

// ResetFactors removes the app, the passkeys and the recovery codes of a person who lost them, and ends
// their sessions: they set up another at their next sign-in. Nobody resets their own;
// the only administrator's is reset by the command line.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, factor.own, factor.none.
func (s *Service) ResetFactors(ctx context.Context, actor models.Actor, id int64) error {
	if err := mayRule(actor); err != nil {
		return err
	}
	if actor.UserID == id {
		return errOwnFactors
	}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		if err := accounts.Lock(t, id); err != nil {
			return err
		}
		u, err := accounts.ByID(t, id)
		if err != nil {
			return err
		}
		state, err := factors.Of(t, id)
		if err != nil {
			return err
		}
		pin, err := RemovePIN(t, id)
		if err != nil {
			return err
		}
		if state.None() && !pin {
			return errNoFactors
		}
		if err := factors.Reset(t, id); err != nil {
			return err
		}
		if err := accounts.EndSessions(t, id); err != nil {
			return err
		}
		if err := t.Exec("DELETE FROM login_failures WHERE email = ?", codesOf+u.Email).Error; err != nil {
			return err
		}
		if err := s.people.NotifyFactorReset(t, actor, u); err != nil {
			return err
		}
		if err := proposals.NoteHelp(t, actor, id, s.clock.Now()); err != nil {
			return err
		}
		about := audit.About{
			Before: map[string]any{"email": u.Email, "app": state.Since != nil, "passkeys": state.Passkeys, "codesLeft": state.Left},
			After:  map[string]any{"email": u.Email, "app": false, "passkeys": 0, "codesLeft": 0},
		}
		if pin {
			about.Before.(map[string]any)["counterPin"], about.After.(map[string]any)["counterPin"] = true, false
		}
		return audit.Record(t, actor, s.clock.Now(), models.ActionFactorReset, models.OutcomeSuccess, about)
	})
	if err != nil {
		return fmt.Errorf("reset the factors of user %d: %w", id, err)
	}
	return nil
}

// FactorRules returns when people of each role are asked for the second step.
func (s *Service) FactorRules(ctx context.Context) (map[models.Role]factors.Ask, error) {
	return factors.Rules(database.Tx{DB: s.db.Gorm().WithContext(ctx)})
}

// AskNobody has nobody asked for the second step, nor for a fresh proof, where the rules are those of a new
// installation: the demo and practice begin so, and what somebody sets there stays.
func (s *Service) AskNobody(ctx context.Context, actor models.Actor) error {
	rules, err := s.FactorRules(ctx)
	if err != nil || !maps.Equal(rules, factors.Defaults()) {
		return err
	}
	for role := range rules {
		rules[role] = factors.Never
	}
	if err := s.SetAsksProof(ctx, actor, false); err != nil {
		return err
	}
	return s.SetFactorRules(ctx, actor, rules)
}

// AsksProof reports whether people are asked for a fresh proof before what weighs most.
func (s *Service) AsksProof(ctx context.Context) (bool, error) {
	return factors.AsksProof(database.Tx{DB: s.db.Gorm().WithContext(ctx)})
}

// SetAsksProof changes that.
//
// Errors: ErrForbidden, ErrProofNeeded.
func (s *Service) SetAsksProof(ctx context.Context, actor models.Actor, asked bool) error {
	if err := mayRule(actor); err != nil {
		return err
	}
	return s.db.InTx(ctx, func(t database.Tx) error {
		was, err := factors.SetAsksProof(t, asked)
		if err != nil || was == asked {
			return err
		}
		about := audit.About{Before: map[string]any{"asksProof": was}, After: map[string]any{"asksProof": asked}}
		return audit.Record(t, actor, s.clock.Now(), models.ActionFactorRules, models.OutcomeSuccess, about)
	})
}

// mayRule refuses who may not decide what people are asked for.
func mayRule(actor models.Actor) error {
	if !actor.May(models.ManageUsers) && actor.Role != models.SystemRole {
		return models.ErrForbidden
	}
	return actor.Fresh()
}

// SetFactorRules changes when people of each role are asked for the second step, from
// their next sign-in.
//
// Errors: ErrForbidden, ErrProofNeeded, factor.rule.
func (s *Service) SetFactorRules(ctx context.Context, actor models.Actor, rules map[models.Role]factors.Ask) error {
	if err := mayRule(actor); err != nil {
		return err
	}
	return s.db.InTx(ctx, func(t database.Tx) error {
		before, after := map[string]any{}, map[string]any{}
		if err := t.Exec("SELECT role FROM factor_rules ORDER BY role FOR UPDATE").Error; err != nil {
			return err
		}
		old, err := factors.Rules(t)
		if err != nil {
			return err
		}
		for role, ask := range rules {
			if old[role] == ask {
				continue
			}
			if err := factors.SetRule(t, role, ask); err != nil {
				return err
			}
			before[string(role)], after[string(role)] = old[role], ask
		}
		if len(after) == 0 {
			return nil
		}
		return audit.Record(t, actor, s.clock.Now(), models.ActionFactorRules, models.OutcomeSuccess, audit.About{Before: before, After: after})
	})
}
