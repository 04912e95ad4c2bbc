package entrance

import (
	"context"
	"errors"

	"veinte/models"
	"veinte/models/accounts/sso"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/entrance/passkeys"
)

// errPasswordOff is the refusal of whoever does not come by the provider while people come
// in by it alone.
var errPasswordOff = models.Invalid("email", "login.passwordOff")

// checkPassword judges a sign-in by password while people come in by the provider alone.
// All but the one account are refused in the same words, whether the password was right or
// not: nobody learns whose account still counts, or that they guessed a password.
func (s *Service) checkPassword(ctx context.Context, from models.Actor, u *models.User, judged error) error {
	if judged != nil && !errors.Is(judged, errLoginWrong) {
		return judged
	}
	rules, err := sso.CurrentRules(database.Tx{DB: s.db.Gorm().WithContext(ctx)})
	switch {
	case err != nil:
		return err
	case !rules.PasswordOff:
		return judged
	case judged != nil, rules.Alone(u.ID), u.ShutOut(s.clock.Now()) != nil:
		return errPasswordOff
	}
	return s.db.InTx(ctx, func(t database.Tx) error { return s.recordBreakGlass(t, from, u) })
}

// checkPasskey judges a sign-in by a passkey alone, which is no way around the provider.
// why is what the trail says of a refusal.
func (s *Service) checkPasskey(t database.Tx, from models.Actor, u *models.User) (why *models.Error, err error) {
	if why = u.ShutOut(s.clock.Now()); why != nil {
		return why, passkeys.ErrUnknown
	}
	rules, err := sso.CurrentRules(t)
	switch {
	case err != nil || !rules.PasswordOff:
		return nil, err
	case rules.Alone(u.ID):
		return errPasswordOff, errPasswordOff
	}
	return nil, s.recordBreakGlass(t, from, u)
}

// recordBreakGlass says in the trail that the one account comes in which need not come by
// the provider, before there is a session. An alert tells of each such entry.
func (s *Service) recordBreakGlass(t database.Tx, from models.Actor, u *models.User) error {
	about := audit.About{After: map[string]any{"email": u.Email}}
	return audit.Record(t, u.ActorFrom(from), s.clock.Now(), models.ActionBreakGlass, models.OutcomeSuccess, about)
}
