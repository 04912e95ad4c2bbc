package factors

import (
	"fmt"

	"veinte/models"
	"veinte/models/database"
)

// BeginNext makes the secret of the app that a person sets up in their account, in the
// session in which they have proved that it is them. An app that is in use is asked for until the next one has
// proved.
func (s *Service) BeginNext(t database.Tx, u *models.User, session int64) (Secret, error) {
	secret := newSecret()
	boxes, err := s.sealers(t)
	if err != nil {
		return Secret{}, err
	}
	seal := func(secret string) bytea { return boxes[0].Encrypt(purpose(u.ID), []byte(secret)) }
	now := s.clock.Now()
	err = t.Exec(`INSERT INTO second_factors (user_id, secret, created_at, next_secret, next_at, next_session)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (user_id) DO UPDATE
		SET next_secret = excluded.next_secret, next_at = excluded.next_at, next_session = excluded.next_session`,
		u.ID, seal(newSecret()), now, seal(secret), now, session).Error // the one that a sign-in sets up is drawn anew there
	if err != nil {
		return Secret{}, fmt.Errorf("store the secret of the next app: %w", err)
	}
	return secretOf(u, secret)
}

// Next returns the secret of the app that is to take the place of the one in use, to the
// session that has begun it: whoever has another did not prove anything.
//
// Errors: ErrNotFound.
func (s *Service) Next(t database.Tx, u *models.User, session int64) (Secret, error) {
	row, err := s.row(t, u.ID)
	if err != nil {
		return Secret{}, err
	}
	if row.NextAt == nil || *row.NextSession != session || s.clock.Now().After(row.NextAt.Add(SetupLife)) {
		return Secret{}, models.ErrNotFound
	}
	secret, err := s.open(t, u.ID, row.NextSecret)
	if err != nil {
		return Secret{}, err
	}
	return secretOf(u, secret)
}

// ConfirmNext takes the first code of the next app, which is asked for from then on.
// recovery are new recovery codes, for who had none.
//
// Errors: ErrNotFound, those of a code.
func (s *Service) ConfirmNext(t database.Tx, u *models.User, session int64, code string) (recovery []string, err error) {
	if _, err := s.Next(t, u, session); err != nil {
		return nil, err
	}
	row, err := s.row(t, u.ID)
	if err != nil {
		return nil, err
	}
	row.Secret, row.LastStep, row.EarlyStep = row.NextSecret, 0, 0
	if err := s.useApp(t, row, clean(code)); err != nil {
		return nil, err
	}
	err = t.Exec(`UPDATE second_factors SET secret = next_secret, confirmed_at = ?, next_secret = NULL, next_at = NULL, next_session = NULL
		WHERE user_id = ?`, s.clock.Now(), u.ID).Error
	if err != nil {
		return nil, fmt.Errorf("replace an app: %w", err)
	}
	return FirstRecovery(t, u.ID)
}

// RemoveApp removes a person's app.
func RemoveApp(t database.Tx, userID int64) error {
	return t.Exec("DELETE FROM second_factors WHERE user_id = ?", userID).Error
}
