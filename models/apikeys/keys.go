package apikeys

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/proposals"
	"veinte/models/audit"
	"veinte/models/database"
)

// Input is a key as entered in a form.
type Input struct {
	Name      string
	Scopes    []Scope
	AllStores bool
	StoreIDs  []int64
	Pace      Pace
	Days      int // until its secret expires
}

// DayChoices are the offered lifetimes of a secret, in days. None is unlimited, so
// that every key is reviewed again.
var DayChoices = []int{30, 90, 180, 365}

// OverlapChoices are the offered times, in hours, for which the old secret stays
// valid beside the new one; 0 ends it at once.
var OverlapChoices = []int{0, 1, 24, 7 * 24}

func (in Input) check() (Input, error) {
	var err error
	if in.Name, err = models.Text("name", in.Name, 80); err != nil {
		return in, err
	}
	if in.Scopes, err = parseScopes(in.Scopes); err != nil {
		return in, err
	}
	switch {
	case in.AllStores && len(in.StoreIDs) > 0:
		return in, models.Invalid("stores", "key.allAndSome") // ambiguous: do not guess which was meant
	case !in.AllStores && len(in.StoreIDs) == 0:
		return in, models.Invalid("stores", "store.required")
	}
	slices.Sort(in.StoreIDs)
	in.StoreIDs = slices.Compact(in.StoreIDs)
	if in.Pace.PerMinute() == 0 {
		return in, models.Invalid("pace", "key.paceInvalid")
	}
	if !slices.Contains(DayChoices, in.Days) {
		return in, models.Invalid("days", "key.daysInvalid")
	}
	return in, nil
}

func mayManageKeys(actor models.Actor) bool {
	return actor.May(models.ManageKeys) || actor.Role == models.SystemRole
}

// CreateKey creates a key and returns its secret, which is never shown again. Its scope
// that moves money may wait for another administrator.
//
// Errors: ErrForbidden, ErrProofNeeded, a field, key.nameTaken.
func (s *Service) CreateKey(ctx context.Context, actor models.Actor, in Input) (*Key, string, error) {
	now := s.clock.Now()
	if !mayManageKeys(actor) {
		return nil, "", models.ErrForbidden
	}
	if err := actor.Fresh(); err != nil {
		return nil, "", err
	}
	in, err := in.check()
	if err != nil {
		return nil, "", err
	}
	k := &Key{
		Name: in.Name, Scopes: in.Scopes, AllStores: in.AllStores, StoreIDs: in.StoreIDs,
		PerMinute: in.Pace.PerMinute(), Version: 1, CreatedAt: now, CreatedBy: actor.Name,
	}
	secret := newKeySecret()
	err = s.db.InTx(ctx, func(t database.Tx) error {
		if err := s.withhold(t, actor, k); err != nil {
			return err
		}
		err := t.SQL.QueryRowContext(ctx, `INSERT INTO api_keys (name, scopes, all_stores, per_minute, created_at, created_by, withheld)
			VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
			k.Name, k.Scopes, k.AllStores, k.PerMinute, now, actor.Name, k.Withheld).Scan(&k.ID)
		if isDuplicate(err) {
			return models.Invalid("name", "key.nameTaken")
		}
		if err != nil {
			return err
		}
		if err := setKeyStores(t, k); err != nil {
			return err
		}
		sec, err := addSecret(t, k.ID, secret, now, actor.Name, in.Days)
		if err != nil {
			return err
		}
		k.Secrets = []Secret{*sec}
		if err := s.ask(t, actor, k); err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionKeyCreated, models.OutcomeSuccess, audit.About{After: k.attributes()})
	})
	if err != nil {
		return nil, "", fmt.Errorf("create key: %w", err)
	}
	return k, secret, nil
}

// isDuplicate reports whether PostgreSQL refused a row because of a unique index.
func isDuplicate(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505"
}

func setKeyStores(t database.Tx, k *Key) error {
	if k.AllStores {
		return nil
	}
	done := t.Exec("INSERT INTO api_key_stores (key_id, store_id) SELECT ?, id FROM stores WHERE id IN ?", k.ID, k.StoreIDs)
	if done.Error != nil {
		return done.Error
	}
	if int(done.RowsAffected) != len(k.StoreIDs) {
		return models.Invalid("stores", "store.unknown")
	}
	return nil
}

func addSecret(t database.Tx, keyID int64, secret string, now time.Time, by string, days int) (*Secret, error) {
	s := &Secret{KeyID: keyID, Prefix: shownPrefix(secret), CreatedAt: now, CreatedBy: by, ExpiresAt: now.AddDate(0, 0, days)}
	hash := secretHash(sha256.Sum256([]byte(secret)))
	s.bind(hash)
	return s, t.Raw(`INSERT INTO api_secrets (key_id, hash, prefix, created_at, created_by, expires_at)
		VALUES (?, ?, ?, ?, ?, ?) RETURNING id`, keyID, accounts.TokenHash(hash), s.Prefix, now, by, s.ExpiresAt).Scan(&s.ID).Error
}

// RotateKey gives the key a new secret and returns it. The previous one stays valid
// for overlap more hours, or until it would have expired.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, ErrStale, key.revoked, a field.
func (s *Service) RotateKey(ctx context.Context, actor models.Actor, id int64, version, days, overlap int) (string, error) {
	if err := actor.Fresh(); err != nil {
		return "", err
	}
	now := s.clock.Now()
	if !slices.Contains(DayChoices, days) {
		return "", models.Invalid("days", "key.daysInvalid")
	}
	if !slices.Contains(OverlapChoices, overlap) {
		return "", models.Invalid("overlap", "key.overlapInvalid")
	}
	secret := newKeySecret()
	err := s.changeKey(ctx, actor, id, version, map[string]any{}, func(t database.Tx, k *Key) error {
		before := k.attributes()
		s, err := addSecret(t, id, secret, now, actor.Name, days)
		if err != nil {
			return err
		}
		until := now.Add(time.Duration(overlap) * time.Hour)
		err = t.Exec(`UPDATE api_secrets SET expires_at = least(expires_at, ?), replaced_by = coalesce(replaced_by, ?)
				WHERE key_id = ? AND id <> ?`,
			until, s.ID, id, s.ID).Error
		if err != nil {
			return fmt.Errorf("end older secrets: %w", err)
		}
		k.Secrets = append([]Secret{*s}, k.Secrets...)
		after := k.attributes()
		after["overlapHours"] = overlap
		return audit.Record(t, actor, now, models.ActionKeyRotated, models.OutcomeSuccess, audit.About{Before: before, After: after})
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// RevokeKey revokes a key at once, with all of its secrets, and takes back what its program
// asked for and has not left.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, key.revoked.
func (s *Service) RevokeKey(ctx context.Context, actor models.Actor, id int64, version int) error {
	return s.revoke(ctx, actor, id, version, false)
}

// RevokeKeyOnly is RevokeKey, and leaves what its program asked for.
func (s *Service) RevokeKeyOnly(ctx context.Context, actor models.Actor, id int64, version int) error {
	return s.revoke(ctx, actor, id, version, true)
}

func (s *Service) revoke(ctx context.Context, actor models.Actor, id int64, version int, keep bool) error {
	now := s.clock.Now()
	columns := map[string]any{"revoked_at": now, "revoked_by": actor.Name}
	err := s.changeKey(ctx, actor, id, version, columns, func(t database.Tx, k *Key) error {
		after := map[string]any{"requestsKept": keep}
		if !keep && s.endRequests != nil {
			n, err := s.endRequests(t, actor, id)
			if err != nil {
				return err
			}
			after = map[string]any{"requestsTakenBack": n}
		}
		if err := proposals.Lapse(t, actor, proposals.Key(id), now); err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionKeyRevoked, models.OutcomeSuccess, audit.About{Before: k.attributes(), After: after})
	})
	if err == nil && s.ended != nil {
		s.ended(ctx)
	}
	return err
}

// changeKey changes a key, provided that the version is still the one the user saw.
// f gets the key as it was before.
func (s *Service) changeKey(
	ctx context.Context, actor models.Actor, id int64, version int, columns map[string]any, f func(database.Tx, *Key) error,
) error {
	if !mayManageKeys(actor) {
		return models.ErrForbidden
	}
	keys, err := s.keys(ctx, id)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return models.ErrNotFound
	}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		if err := proposals.LockAdministrators(t); err != nil {
			return err
		}
		if keys[0].RevokedAt != nil {
			return &models.Error{Kind: models.KindConflict, Code: "key.revoked"}
		}
		// Each change increments the version, so what was read before the
		// transaction still holds.
		if err := t.Replace(&Key{}, id, version, columns); err != nil {
			return err
		}
		if keys[0].Version != version {
			return models.ErrStale
		}
		return f(t, &keys[0])
	})
	if err != nil {
		return fmt.Errorf("change key %d: %w", id, err)
	}
	return nil
}

// Keys lists all keys, those in use first.
//
// Errors: ErrForbidden.
func (s *Service) Keys(ctx context.Context, actor models.Actor) ([]Key, error) {
	if !mayManageKeys(actor) {
		return nil, models.ErrForbidden
	}
	return s.keys(ctx, 0)
}

// Key returns one key.
//
// Errors: ErrForbidden or ErrNotFound.
func (s *Service) Key(ctx context.Context, actor models.Actor, id int64) (*Key, error) {
	if !mayManageKeys(actor) {
		return nil, models.ErrForbidden
	}
	keys, err := s.keys(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, models.ErrNotFound
	}
	return &keys[0], nil
}

// keys reads the key with an id, or all keys for 0.
func (s *Service) keys(ctx context.Context, id int64) ([]Key, error) {
	keys, err := database.Rows[Key](ctx, s.db, `SELECT id, name, scopes, all_stores, per_minute, withheld, version, created_at,
			created_by, revoked_at, revoked_by, array(SELECT store_id FROM api_key_stores WHERE key_id = k.id ORDER BY store_id) AS store_ids
		FROM api_keys k WHERE $1::bigint IN (0, id) ORDER BY revoked_at IS NOT NULL, lower(name), id`, id)
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	secrets, err := database.Rows[Secret](ctx, s.db, `SELECT id, key_id, prefix, created_at, created_by, expires_at, last_used_at,
			replaced_by
		FROM api_secrets WHERE $1::bigint IN (0, key_id) ORDER BY id DESC`, id)
	if err != nil {
		return nil, fmt.Errorf("list secrets: %w", err)
	}
	for _, s := range secrets {
		if i := slices.IndexFunc(keys, func(k Key) bool { return k.ID == s.KeyID }); i >= 0 {
			keys[i].Secrets = append(keys[i].Secrets, s)
		}
	}
	return keys, nil
}
