package accounts

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// SessionLife is how long a sign-in lasts: a long shift.
const SessionLife = 12 * time.Hour

// Sign-in failures are forgotten after LoginWindow. The low limit applies to one
// account from one address: five wrong passwords sent from anywhere must not lock a
// manager out at 19:50. An address, which a whole shop may share, and an account
// from all addresses have higher limits.
const (
	LoginWindow          = 15 * time.Minute
	loginsPerPair        = 5
	loginsPerAddress     = 50
	loginsPerAccount     = 100
	loginFailuresKeptFor = 24 * time.Hour
)

// Login checks a user's password and starts a session. The token goes into a cookie;
// the database stores only its hash. from contains the address of the client.
//
// Errors: login.wrong for a wrong address or password, a disabled user and one whose
// access has ended (only the trail distinguishes them); ErrTooManyLogins.
func (s *Service) Login(ctx context.Context, from models.Actor, email, password string) (token string, u *models.User, err error) {
	now := s.clock.Now()
	name := "?" // no valid address was typed
	if parsed, err := models.ParseEmail(email); err == nil {
		name = parsed
	} else if typed := models.Legible(strings.TrimSpace(email), 120); typed != "" {
		name = typed
	}
	if err := failedLogins(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, now, name, from.Network()); err != nil {
		return "", nil, s.loginFailed(ctx, now, from, name, err)
	}
	u, err = s.UserByEmail(ctx, name)
	var unknown *models.Error
	if err != nil && !errors.As(err, &unknown) {
		return "", nil, fmt.Errorf("find account: %w", err)
	}
	hash := dummyHash
	if err == nil {
		hash = u.PasswordHash
	}
	ok, errHash := passwordMatches(ctx, password, hash)
	if errHash != nil {
		return "", nil, errHash
	}
	if err != nil || !ok {
		return "", nil, s.loginFailed(ctx, now, from, name, errLoginWrong)
	}
	if why := u.ShutOut(now); why != nil {
		if err := s.loginFailed(ctx, now, from, name, why); !errors.Is(err, why) {
			return "", nil, err
		}
		return "", nil, models.Recorded(errLoginWrong)
	}
	token, err = s.startSession(ctx, now, from, u)
	if errors.Is(err, models.ErrTooManyLogins) {
		return "", nil, s.loginFailed(ctx, now, from, name, models.ErrTooManyLogins)
	}
	if err != nil {
		return "", nil, fmt.Errorf("start session: %w", err)
	}
	return token, u, nil
}

// errLoginWrong is the error of every refused sign-in.
var errLoginWrong = models.Invalid("email", "login.wrong")

// failedLogins returns ErrTooManyLogins when the account or the address has failed
// too often within LoginWindow.
func failedLogins(t database.Tx, now time.Time, email, network string) error {
	var failed struct{ Pair, Account, Address int }
	err := t.Raw(`SELECT
		(SELECT count(*) FROM login_failures WHERE email = @email AND address = @address AND at > @since) AS pair,
		(SELECT count(*) FROM login_failures WHERE email = @email AND at > @since) AS account,
		(SELECT count(*) FROM login_failures WHERE address = @address AND at > @since) AS address`,
		map[string]any{"email": email, "address": network, "since": now.Add(-LoginWindow)}).Scan(&failed).Error
	if err != nil {
		return fmt.Errorf("count failed sign-ins: %w", err)
	}
	if failed.Pair >= loginsPerPair || failed.Account >= loginsPerAccount || failed.Address >= loginsPerAddress {
		return models.ErrTooManyLogins
	}
	return nil
}

// lockLogin counts the failures again after the password was checked, one attempt
// per account at a time. Otherwise a hundred parallel attempts would all count as
// the first.
func lockLogin(t database.Tx, now time.Time, email, network string) error {
	if err := t.Lock(database.LoginLock(email)); err != nil {
		return err
	}
	return failedLogins(t, now, email, network)
}

// loginFailed records the failure, in the trail too, and returns why. An attempt
// that was refused because of too many failures does not prolong the wait.
func (s *Service) loginFailed(ctx context.Context, now time.Time, from models.Actor, email string, why error) error {
	known, ok := why.(*models.Error)
	if !ok {
		return why
	}
	from.Name, from.Role = email, models.Anonymous
	var counted *audit.Counted
	err := s.db.InTx(ctx, func(t database.Tx) (err error) {
		switch err := lockLogin(t, now, email, from.Network()); {
		case err == models.ErrTooManyLogins:
			known = models.ErrTooManyLogins
		case err != nil:
			return err
		}
		outcome := models.OutcomeDenied
		if known.Kind != models.KindTooMany {
			outcome = models.OutcomeFailure
			if err := noteFailure(t, now, email, from.Network()); err != nil {
				return err
			}
		}
		if counted, err = s.audit.Counted(from, models.ActionLogin, outcome, audit.About{Reason: known.Code}, email); err != nil {
			return err
		}
		return counted.Record(t)
	})
	if counted != nil {
		err = counted.Unless(err)
	}
	if err != nil {
		return fmt.Errorf("record failed sign-in: %w", err)
	}
	return models.Recorded(known)
}

func noteFailure(t database.Tx, now time.Time, email, network string) error {
	if err := t.Exec("INSERT INTO login_failures (email, address, at) VALUES (?, ?, ?)", email, network, now).Error; err != nil {
		return err
	}
	return t.Exec("DELETE FROM login_failures WHERE at < ?", now.Add(-loginFailuresKeptFor)).Error
}

func (s *Service) startSession(ctx context.Context, now time.Time, from models.Actor, u *models.User) (string, error) {
	var raw [32]byte
	_, _ = rand.Read(raw[:])
	token := base64.RawURLEncoding.EncodeToString(raw[:])
	actor := u.Actor()
	actor.Address, actor.UserAgent, actor.RequestID = from.Address, from.UserAgent, from.RequestID
	err := s.db.InTx(ctx, func(t database.Tx) error {
		if err := lockLogin(t, now, u.Email, from.Network()); err != nil {
			return err
		}
		if err := t.Exec("DELETE FROM login_failures WHERE email = ?", u.Email).Error; err != nil {
			return err
		}
		err := t.Exec("INSERT INTO sessions (token_hash, user_id, created_at, expires_at, address, user_agent) VALUES (?, ?, ?, ?, ?, ?)",
			hashToken(token), u.ID, now, now.Add(SessionLife), from.Address, models.Legible(from.UserAgent, 200)).Error
		if err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionLogin, models.OutcomeSuccess, audit.About{})
	})
	return token, err
}

// TokenHash is the hash of a session's token, as stored in the database. It
// implements driver.Valuer because gorm would spread plain bytes over several
// columns.
type TokenHash [sha256.Size]byte

// Value returns the hash for a bytea column.
func (h TokenHash) Value() (driver.Value, error) { return h[:], nil }

func hashToken(token string) TokenHash { return sha256.Sum256([]byte(token)) }

// SessionActor returns the user of a session's cookie, with their current role and
// stores, and their language.
//
// Errors: ErrNotFound when the session or the user's access has ended, or the user
// is disabled.
func (s *Service) SessionActor(ctx context.Context, token string) (actor models.Actor, language string, err error) {
	now := s.clock.Now()
	row, err := database.Row[sessionRow](ctx, s.db.Pool(), `
		SELECT u.id, u.name, u.role, u.all_stores, u.language, u.access_until, u.first_steps_hidden_at IS NULL AS onboarding,
		       u.role = 'manager' AND coalesce((SELECT managers_settle FROM rules
			WHERE managers_settle IS NOT NULL AND taken_back_at IS NULL AND effective_at <= $2
			ORDER BY effective_at DESC, id DESC LIMIT 1), false) AS resolves,
		       array(SELECT store_id FROM user_stores WHERE user_id = u.id ORDER BY store_id) AS store_ids
		FROM sessions s JOIN users u ON u.id = s.user_id
		WHERE s.token_hash = $1 AND s.expires_at > $2 AND u.disabled_at IS NULL
			AND (u.access_until IS NULL OR u.access_until >= $3)`, hashToken(token), now, string(models.AccessDay(now)))
	if err != nil {
		return models.Actor{}, "", err
	}
	actor = models.Actor{
		UserID: row.ID, Name: row.Name, Role: row.Role, AllStores: row.AllStores, StoreIDs: row.StoreIDs,
		ShowOnboarding: row.Onboarding, MayResolve: row.Resolves,
	}
	if row.AccessUntil != nil {
		actor.AccessEnds = models.Day(row.AccessUntil.Format(time.DateOnly)).AccessEnds()
	}
	return actor, row.Language, nil
}

// sessionRow is a session's user.
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
}

// Logout ends a session.
func (s *Service) Logout(ctx context.Context, actor models.Actor, token string) error {
	now := s.clock.Now()
	return s.db.InTx(ctx, func(t database.Tx) error {
		done := t.Exec("DELETE FROM sessions WHERE token_hash = ?", hashToken(token))
		if done.Error != nil || done.RowsAffected == 0 {
			return done.Error
		}
		return audit.Record(t, actor, now, models.ActionLogout, models.OutcomeSuccess, audit.About{})
	})
}

// SetLanguage stores the language that a user chose.
func (s *Service) SetLanguage(ctx context.Context, actor models.Actor, language string) error {
	now := s.clock.Now()
	return s.db.InTx(ctx, func(t database.Tx) error {
		var was string
		if err := t.Raw("SELECT language FROM users WHERE id = ? FOR UPDATE", actor.UserID).Scan(&was).Error; err != nil || was == language {
			return err
		}
		if err := t.Exec("UPDATE users SET language = ? WHERE id = ?", language, actor.UserID).Error; err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionLanguageChosen, models.OutcomeSuccess,
			audit.About{Before: map[string]any{"language": was}, After: map[string]any{"language": language}})
	})
}
