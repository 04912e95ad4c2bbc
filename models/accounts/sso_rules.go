package accounts

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/accounts/proposals"
	"veinte/models/accounts/sso"
	"veinte/models/audit"
	"veinte/models/database"
)

// SSO is what the page of the single sign-on shows.
type SSO struct {
	Groups   []sso.Group
	Accounts []sso.Account
	sso.Rules
	Came    bool          // the reader, by the provider
	Keepers []models.User // administrators who could go on coming in without it
}

// SSO returns the rules of the single sign-on, for the provider of an issuer.
//
// Errors: ErrForbidden.
func (s *Service) SSO(ctx context.Context, actor models.Actor, issuer string) (*SSO, error) {
	if !actor.May(models.ManageUsers) {
		return nil, models.ErrForbidden
	}
	t := database.Tx{DB: s.db.Gorm().WithContext(ctx)}
	groups, err := sso.Groups(t)
	if err != nil {
		return nil, err
	}
	accounts, err := sso.Accounts(t, issuer)
	if err != nil {
		return nil, err
	}
	rules, err := sso.CurrentRules(t)
	if err != nil {
		return nil, err
	}
	came, err := sso.Came(t, actor.Session.ID)
	if err != nil {
		return nil, err
	}
	v := &SSO{Groups: groups, Accounts: accounts, Rules: *rules, Came: came}
	err = t.Where("role = ? AND disabled_at IS NULL AND access_until IS NULL AND password_hash <> ''", models.Administrator).
		Order("name, id").Find(&v.Keepers).Error
	return v, err
}

// SSOGroup returns a group of the provider.
//
// Errors: ErrForbidden, ErrNotFound.
func (s *Service) SSOGroup(ctx context.Context, actor models.Actor, id int64) (*sso.Group, error) {
	if !actor.May(models.ManageUsers) {
		return nil, models.ErrForbidden
	}
	return sso.GroupByID(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, id)
}

// mayRuleSSO refuses who may not say how people come in by the provider.
func mayRuleSSO(actor models.Actor) error {
	if !actor.May(models.ManageUsers) {
		return models.ErrForbidden
	}
	return actor.Fresh()
}

// changeGroups changes what groups give, with the entry that says so. It is a rule by which
// people get rights, as changing a person is an act by which one does. It takes effect at
// once, and what moves money is told to all who oversee.
func (s *Service) changeGroups(
	ctx context.Context, actor models.Actor, change func(database.Tx) (before, after *sso.Group, err error),
) error {
	if err := mayRuleSSO(actor); err != nil {
		return err
	}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		before, after, err := change(t)
		if err != nil {
			return err
		}
		var about audit.About
		if before != nil {
			about.Before = before.Attributes()
		}
		if after != nil {
			about.After = after.Attributes()
		}
		return audit.Record(t, actor, s.clock.Now(), models.ActionSSOGroups, models.OutcomeSuccess, about)
	})
	if err != nil {
		return fmt.Errorf("change the groups of the single sign-on: %w", err)
	}
	return nil
}

// AddSSOGroup has the people of a group of the provider come in.
//
// Errors: ErrForbidden, ErrProofNeeded, a field, sso.groupTaken.
func (s *Service) AddSSOGroup(ctx context.Context, actor models.Actor, g sso.Group) error {
	if err := g.Check(); err != nil {
		return err
	}
	return s.changeGroups(ctx, actor, func(t database.Tx) (before, after *sso.Group, err error) {
		added := g
		added.ID, added.Version, added.CreatedAt = 0, 1, s.clock.Now()
		return nil, &added, sso.Add(t, &added)
	})
}

// ChangeSSOGroup changes what the people of a group may do, from their next sign-in.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, ErrStale, a field, sso.groupTaken.
func (s *Service) ChangeSSOGroup(ctx context.Context, actor models.Actor, g sso.Group) error {
	if err := g.Check(); err != nil {
		return err
	}
	return s.changeGroups(ctx, actor, func(t database.Tx) (before, after *sso.Group, err error) {
		if before, err = sso.GroupByID(t, g.ID); err != nil {
			return nil, nil, err
		}
		return before, &g, sso.Change(t, &g)
	})
}

// RemoveSSOGroup has the people of a group come in no more by it.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, ErrStale.
func (s *Service) RemoveSSOGroup(ctx context.Context, actor models.Actor, id int64, version int) error {
	return s.changeGroups(ctx, actor, func(t database.Tx) (before, after *sso.Group, err error) {
		if before, err = sso.GroupByID(t, id); err != nil {
			return nil, nil, err
		}
		return before, nil, sso.Remove(t, id, version)
	})
}

// AllowSSOLink lets the provider's verified address take over an account that was here
// before, once.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, sso.linked.
func (s *Service) AllowSSOLink(ctx context.Context, actor models.Actor, userID int64, issuer string) error {
	if err := mayRuleSSO(actor); err != nil {
		return err
	}
	now := s.clock.Now()
	err := s.db.InTx(ctx, func(t database.Tx) error {
		u, err := ByID(t, userID)
		if err != nil {
			return err
		}
		var linked bool
		err = t.Raw("SELECT EXISTS (SELECT FROM sso_identities WHERE user_id = ? AND issuer = ?)", userID, issuer).Scan(&linked).Error
		if err != nil {
			return err
		}
		if linked {
			return models.Invalid("person", "sso.linked")
		}
		if fresh, err := sso.AllowLink(t, userID, actor.Name, now); err != nil || !fresh {
			return err
		}
		if err := proposals.NoteHelp(t, actor, userID, now); err != nil {
			return err
		}
		about := audit.About{After: map[string]any{"email": u.Email}}
		return audit.Record(t, actor, now, models.ActionSSOLink, models.OutcomeSuccess, about)
	})
	if err != nil {
		return fmt.Errorf("let the provider take over account %d: %w", userID, err)
	}
	return nil
}

// TrustAddresses has addresses believed of which the provider does not say whether it has
// verified them, or no more.
//
// Errors: ErrForbidden, ErrProofNeeded.
func (s *Service) TrustAddresses(ctx context.Context, actor models.Actor, trust bool) error {
	if err := mayRuleSSO(actor); err != nil {
		return err
	}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		before, err := sso.CurrentRules(t)
		if err != nil || before.TrustAddresses == trust {
			return err
		}
		if err := sso.SetTrust(t, trust); err != nil {
			return err
		}
		about := audit.About{Before: map[string]any{"trustAddresses": !trust}, After: map[string]any{"trustAddresses": trust}}
		return audit.Record(t, actor, s.clock.Now(), models.ActionSSOAddresses, models.OutcomeSuccess, about)
	})
	if err != nil {
		return fmt.Errorf("change which addresses are believed: %w", err)
	}
	return nil
}
