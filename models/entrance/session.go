package entrance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/sso"
	"veinte/models/audit"
	"veinte/models/database"
)

// How long a session lasts: a long shift, and without an act of its person half an hour, or
// two minutes on a counter device, whoever's it is. On a device that the person said is
// theirs only the first counts.
const (
	SessionLife = 12 * time.Hour
	IdleLife    = 30 * time.Minute
	CounterLife = 2 * time.Minute
)

// How often it is written at most that a person is there.
const (
	seenEvery          = time.Minute
	seenEveryAtCounter = 5 * time.Second
)

// Of a session s of a user u, on the device k of the user and the counter c, which may be
// NULL: that it can be used at $2, whose day of access is $3 and whose idle sessions were
// seen before $4, or at a counter before $5. One that began with a PIN ends when the person
// manages the counter's store no more.
const (
	sessionsOf = ` FROM sessions s JOIN users u ON u.id = s.user_id
		LEFT JOIN known_devices k ON k.user_id = s.user_id AND k.device_id = s.device_id
		LEFT JOIN counters c ON c.device_id = s.device_id AND c.ended_at IS NULL`
	sessionLives = `s.expires_at > $2
		AND CASE WHEN c.id IS NOT NULL THEN s.seen_at > $5 ELSE coalesce(k.own, false) OR s.seen_at > $4 END
		AND u.disabled_at IS NULL AND (u.access_until IS NULL OR u.access_until >= $3)
		AND (NOT s.pin OR u.role = 'manager' AND EXISTS (SELECT FROM user_stores WHERE user_id = u.id AND store_id = c.store_id))`
)

// hasFactorSQL is that a person has something of their own to prove, at the site $7, who they
// are. Who comes by the provider of the single sign-on alone has nothing, and is not asked; a password
// that is off is nothing either.
const hasFactorSQL = `(u.password_hash <> '' AND NOT EXISTS (SELECT FROM sso_rules WHERE password_off AND break_glass <> u.id)
	OR EXISTS (SELECT FROM passkeys WHERE user_id = u.id AND site = $7 AND cloned_at IS NULL)
	OR EXISTS (SELECT FROM second_factors WHERE user_id = u.id AND confirmed_at IS NOT NULL))`

// livesAt are $2 to $5 of sessionLives.
func livesAt(now time.Time) []any {
	return []any{now, string(models.AccessDay(now)), now.Add(-IdleLife), now.Add(-CounterLife)}
}

// SessionActor returns the user of a session's cookie, with their current role and
// stores, and their language.
//
// Errors: ErrNotFound when the session or the user's access has ended, or the user
// is disabled.
func (s *Service) SessionActor(ctx context.Context, token string) (actor models.Actor, language string, err error) {
	now := s.clock.Now()
	row, err := database.Row[sessionRow](ctx, s.db, `
		SELECT u.id, u.name, u.role, u.all_stores, u.language, u.access_until, u.first_steps_hidden_at IS NULL AS onboarding,
		       s.id AS session_id, coalesce(s.device_id, 0) AS device_id, coalesce(k.own, false) AS own, s.seen_at, s.proved_at,
		       coalesce(c.id, 0) AS counter_id, s.pin,
		       `+accounts.ResolvesSQL+`$2`+accounts.ResolvesEndSQL+` AS resolves,
		       EXISTS (SELECT FROM account_notices WHERE user_id = u.id AND dismissed_at IS NULL AND session_id IS DISTINCT FROM s.id) AS told,
		       r.asked AND s.proved_at <= $6 AND `+hasFactorSQL+` AS unproved,
		       r.asked AND EXISTS (SELECT FROM passkeys WHERE user_id = u.id AND site = $7 AND cloned_at IS NULL) AS passkey,
		       array(SELECT store_id FROM user_stores WHERE user_id = u.id ORDER BY store_id) AS store_ids`+
		sessionsOf+` CROSS JOIN proof_rule r WHERE s.token_hash = $1 AND `+sessionLives,
		slices.Concat([]any{accounts.HashToken(token)}, livesAt(now), []any{now.Add(-models.ProofLife), s.PasskeySite().ID})...)
	if err != nil {
		return models.Actor{}, "", err
	}
	actor = models.Actor{
		UserID: row.ID, Name: row.Name, Role: row.Role, AllStores: row.AllStores, StoreIDs: row.StoreIDs,
		ShowOnboarding: row.Onboarding, MayResolve: row.Resolves,
		Session: models.Session{
			ID: row.SessionID, DeviceID: row.DeviceID, Own: row.Own, SeenAt: row.SeenAt, ProvedAt: row.ProvedAt, Told: row.Told,
			Counter: row.CounterID, PIN: row.PIN, Passkey: row.Passkey,
		},
	}
	if row.Unproved {
		actor.Session.Unproved = models.ErrProofNeeded
	}
	if row.AccessUntil != nil {
		actor.AccessEnds = models.Day(row.AccessUntil.Format(time.DateOnly)).AccessEnds()
	}
	return actor, row.Language, nil
}

// sessionRow is a session with its user.
type sessionRow struct {
	ID          int64
	Name        string
	Role        models.Role
	AllStores   bool
	StoreIDs    []int64
	Language    string
	AccessUntil *time.Time
	Onboarding  bool // they have not dismissed it
	Resolves    bool // the rules let managers resolve doubts

	SessionID, DeviceID int64
	Own                 bool
	SeenAt, ProvedAt    time.Time
	Told                bool
	CounterID           int64
	PIN                 bool
	Unproved, Passkey   bool
}

// Living returns which of the sessions can still be used, with the rights of their people
// as they are now: streams and files under way ask, which no request of their person would
// end.
func (s *Service) Living(ctx context.Context, tokens []string) (map[string]models.Actor, error) {
	hashes, of := make([][]byte, len(tokens)), make(map[accounts.TokenHash]string, len(tokens))
	for i, token := range tokens {
		hash := accounts.HashToken(token)
		hashes[i], of[hash] = hash[:], token
	}
	rows, err := database.Rows[struct {
		TokenHash []byte
		ID        int64
		Role      models.Role
		AllStores bool
		StoreIDs  []int64
	}](ctx, s.db, `SELECT s.token_hash, u.id, u.role, u.all_stores,
			array(SELECT store_id FROM user_stores WHERE user_id = u.id ORDER BY store_id) AS store_ids`+
		sessionsOf+` WHERE s.token_hash = ANY ($1) AND `+sessionLives,
		append([]any{hashes}, livesAt(s.clock.Now())...)...)
	if err != nil {
		return nil, fmt.Errorf("see which sessions have ended: %w", err)
	}
	living := make(map[string]models.Actor, len(rows))
	for i := range rows {
		r := &rows[i]
		living[of[accounts.TokenHash(r.TokenHash)]] = models.Actor{UserID: r.ID, Role: r.Role, AllStores: r.AllStores, StoreIDs: r.StoreIDs}
	}
	return living, nil
}

// Saw notes that the person of a session does something. What pages ask by themselves is
// nobody's act.
func (s *Service) Saw(ctx context.Context, actor models.Actor) error {
	now, every := s.clock.Now(), seenEvery
	if actor.Session.Counter != 0 {
		every = seenEveryAtCounter
	}
	if actor.Session.ID == 0 || now.Sub(actor.Session.SeenAt) < every {
		return nil
	}
	_, err := s.db.Exec(ctx, `UPDATE sessions SET seen_at = $2 WHERE id = $1 AND seen_at < $2`, actor.Session.ID, now)
	if err != nil {
		return fmt.Errorf("note that session %d is used: %w", actor.Session.ID, err)
	}
	return nil
}

// ProvedAt returns when the person of a session last proved who they are, as it stands in
// the transaction. A request's own actor has it as of the request's beginning.
//
// Errors: ErrNotFound when the session has ended.
func (s *Service) ProvedAt(t database.Tx, actor models.Actor) (time.Time, error) {
	var at time.Time
	done := t.Raw("SELECT proved_at FROM sessions WHERE id = ? AND user_id = ? FOR UPDATE", actor.Session.ID, actor.UserID).Scan(&at)
	if done.Error == nil && done.RowsAffected == 0 {
		return at, models.ErrNotFound
	}
	return at, done.Error
}

// Prove notes that the person of a session has just proved who they are. The caller has
// checked it, and says so in the trail.
//
// Errors: ErrNotFound when the session has ended.
func (s *Service) Prove(t database.Tx, actor models.Actor) error {
	done := t.Exec("UPDATE sessions SET proved_at = ? WHERE id = ? AND user_id = ?", s.clock.Now(), actor.Session.ID, actor.UserID)
	if done.Error == nil && done.RowsAffected == 0 {
		return models.ErrNotFound
	}
	return done.Error
}

// Logout ends a session. byProvider is whether it came by the provider of the single
// sign-on, where another one may go on.
func (s *Service) Logout(ctx context.Context, actor models.Actor, token string) (byProvider bool, err error) {
	now := s.clock.Now()
	err = s.db.InTx(ctx, func(t database.Tx) (err error) {
		if byProvider, err = sso.Came(t, actor.Session.ID); err != nil {
			return err
		}
		done := t.Exec("DELETE FROM sessions WHERE token_hash = ?", accounts.HashToken(token))
		if done.Error != nil || done.RowsAffected == 0 {
			return done.Error
		}
		return audit.Record(t, actor, now, models.ActionLogout, models.OutcomeSuccess, audit.About{})
	})
	return byProvider, err
}
