package entrance

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit"
	"veinte/models/database"
)

// How many sessions and known devices a person has at most. The ones that were not used
// for longest go first.
const (
	maxSessions = 10
	maxDevices  = 20
)

func (s *Service) startSession(ctx context.Context, from models.Actor, g guesser, u *models.User, on visit) (*SignedIn, error) {
	in, err := s.newSession(ctx, u, on)
	if err != nil {
		return nil, err
	}
	in.way = byPassword
	err = s.db.InTx(ctx, func(t database.Tx) error {
		if err := lockGuesses(t, s.clock.Now(), g); err != nil {
			return err
		}
		return s.openSession(t, from, g, in)
	})
	if err != nil && !errors.Is(err, models.ErrTooManyLogins) && !errors.Is(err, errLoginWrong) {
		return nil, fmt.Errorf("start session: %w", err)
	}
	return in, err
}

// stillIs refuses a sign-in whose password was replaced while it waited: their sessions have
// ended, and this one would not. Who replaces one waits for it.
func stillIs(t database.Tx, u *models.User) error {
	var same bool
	err := t.Raw("SELECT password_hash = ? FROM users WHERE id = ? FOR SHARE", u.PasswordHash, u.ID).Scan(&same).Error
	if err == nil && !same {
		return errLoginWrong
	}
	return err
}

// newSession draws the secrets of a session.
func (s *Service) newSession(ctx context.Context, u *models.User, on visit) (*SignedIn, error) {
	key, err := s.deviceKey(ctx)
	if err != nil {
		return nil, err
	}
	if on.device == "" {
		on.device = newDeviceID()
	}
	var raw [32]byte
	_, _ = rand.Read(raw[:])
	return &SignedIn{Token: encode(raw[:]), Device: deviceCookie(key, on.device, s.clock.Now()), User: u, on: on}, nil
}

// openSession stores a session and says so in the trail. It takes the place of the one
// before on its device, whoever had it.
func (s *Service) openSession(t database.Tx, from models.Actor, g guesser, in *SignedIn) error {
	now, u := s.clock.Now(), in.User
	if err := stillIs(t, u); err != nil {
		return err
	}
	// What others guessed stays counted: ten an hour, however often its owner signs in.
	if err := t.Exec("DELETE FROM login_failures WHERE email = ? AND address = ?", u.Email, g.by).Error; err != nil {
		return err
	}
	deviceID, said, err := knowDevice(t, from, in, now)
	if err != nil {
		return err
	}
	if err := s.endReplaced(t, u.ID, deviceID, now); err != nil {
		return err
	}
	err = t.Raw(`INSERT INTO sessions (token_hash, user_id, device_id, created_at, seen_at, proved_at, expires_at, address, user_agent, pin)
		VALUES (@hash, @user, @device, @now, @now, @proved, @until, @address, @agent, @pin) RETURNING id`, map[string]any{
		"hash": accounts.HashToken(in.Token), "user": u.ID, "device": deviceID, "now": now, "proved": in.provedAt(now),
		"until": now.Add(SessionLife), "address": from.Address, "agent": agentOf(from), "pin": in.way == byPIN,
	}).Scan(&in.sessionID).Error
	if err != nil {
		return err
	}
	if err := s.notifyNewDevice(t, from, in, deviceID, said); err != nil {
		return err
	}
	if said == nil {
		said = map[string]any{}
	}
	said["way"] = in.way
	if err := atCounter(t, in, deviceID, said); err != nil {
		return err
	}
	t.Tell(models.SignedIn{})
	return audit.Record(t, u.ActorFrom(from), now, models.ActionLogin, models.OutcomeSuccess, audit.About{After: said})
}

// notifyNewDevice tells a person that somebody signed in as them in a browser that was not
// known. Whoever is known in no other has nothing to compare it with: they come for the first
// time, or have just been told of another password.
func (s *Service) notifyNewDevice(t database.Tx, from models.Actor, in *SignedIn, deviceID int64, said map[string]any) error {
	if isNew, _ := said["newDevice"].(bool); !isNew || s.sharedPeople || in.way == byPIN { // a counter is their store's
		return nil
	}
	var others bool
	err := t.Raw("SELECT EXISTS (SELECT FROM known_devices WHERE user_id = ? AND device_id <> ?)", in.User.ID, deviceID).Scan(&others).Error
	if err != nil || !others {
		return err
	}
	return s.people.Notify(t, in.actor(from), in.User.ID, models.NoticeNewDevice)
}

func agentOf(from models.Actor) string { return models.Legible(from.UserAgent, 200) }

// knowDevice stores that the person has signed in on the device. said is what the trail
// says of it, nothing for a device that they had known before.
func knowDevice(t database.Tx, from models.Actor, in *SignedIn, now time.Time) (id int64, said map[string]any, err error) {
	given := map[string]any{
		"token": in.on.device, "user": in.User.ID, "own": in.on.own, "now": now, "address": from.Address,
		"agent": agentOf(from), "most": maxDevices,
	}
	err = t.Raw(`INSERT INTO devices (token, created_at, user_agent) VALUES (@token, @now, @agent)
		ON CONFLICT (token) DO UPDATE SET user_agent = excluded.user_agent RETURNING id`, given).Scan(&id).Error
	if err != nil {
		return 0, nil, fmt.Errorf("store a device: %w", err)
	}
	given["device"] = id
	var was struct{ Known, Own bool }
	err = t.Raw(`SELECT true AS known, own FROM known_devices WHERE user_id = @user AND device_id = @device FOR UPDATE`, given).
		Scan(&was).Error
	if err != nil {
		return 0, nil, err
	}
	err = t.Exec(`INSERT INTO known_devices (user_id, device_id, own, created_at, signed_in_at, address)
		VALUES (@user, @device, @own, @now, @now, @address)
		ON CONFLICT (user_id, device_id) DO UPDATE SET own = known_devices.own OR excluded.own,
			signed_in_at = excluded.signed_in_at, address = excluded.address`, given).Error
	if err != nil {
		return 0, nil, fmt.Errorf("store that a device is known: %w", err)
	}
	err = t.Exec(`DELETE FROM known_devices WHERE user_id = @user AND device_id IN (SELECT device_id FROM known_devices
		WHERE user_id = @user ORDER BY signed_in_at DESC, device_id DESC OFFSET @most)`, given).Error
	if !was.Known || in.on.own && !was.Own {
		said = map[string]any{"newDevice": !was.Known, "ownDevice": in.on.own || was.Own}
	}
	return id, said, err
}
