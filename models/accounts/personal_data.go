package accounts

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// PersonalData is all that is stored of a person: what they may ask for. Secrets, such
// as the hashes of their password and sessions, are not part of it.
type PersonalData struct {
	Profile       map[string]any  `json:"profile"`
	Sessions      []SessionData   `json:"sessions"`
	FailedSignIns []FailedSignIn  `json:"failedSignIns"`
	Account       json.RawMessage `json:"account"` // devices, links and the like
	Entries       []PersonalEntry `json:"entries"` // of the trail, by them or about them
}

// personalAccount is what hangs on a person's account, without its secrets. A test looks
// for every table that names people.
const personalAccount = `SELECT json_build_object(
	'devices', (SELECT coalesce(json_agg(r ORDER BY r.since), '[]') FROM (SELECT k.created_at AS since, k.signed_in_at AS "lastSignIn",
		k.address, d.user_agent AS "userAgent", k.own FROM known_devices k JOIN devices d ON d.id = k.device_id WHERE k.user_id = @id) r),
	'passwordLinks', (SELECT coalesce(json_agg(r ORDER BY r.since), '[]') FROM (SELECT kind, created_at AS since, expires_at AS until,
		ended_at AS ended, ended_by AS "endedBy" FROM account_links WHERE user_id = @id) r),
	'notices', (SELECT coalesce(json_agg(r ORDER BY r.since), '[]') FROM (SELECT at AS since, kind, address, user_agent AS "userAgent",
		dismissed_at AS dismissed FROM account_notices WHERE user_id = @id) r),
	'secondFactor', (SELECT json_build_object('since', confirmed_at, 'codesLeft', (SELECT count(*) FROM recovery_codes c
		WHERE c.user_id = f.user_id AND c.used_at IS NULL)) FROM second_factors f WHERE user_id = @id AND confirmed_at IS NOT NULL),
	'passkeys', (SELECT coalesce(json_agg(r ORDER BY r.since), '[]') FROM (SELECT created_at AS since, name, used_at AS "lastUsed",
		cloned_at AS "refusedSince" FROM passkeys WHERE user_id = @id) r),
	'halfSignIns', (SELECT coalesce(json_agg(r ORDER BY r.since), '[]') FROM (SELECT created_at AS since, expires_at AS until
		FROM sign_in_steps WHERE user_id = @id) r),
	'identities', (SELECT coalesce(json_agg(r ORDER BY r.since), '[]') FROM (SELECT created_at AS since, issuer, subject
		FROM sso_identities WHERE user_id = @id) r),
	'mailsCheckpoint', (SELECT mails_checkpoint FROM users WHERE id = @id),
	'breakGlass', (SELECT EXISTS (SELECT FROM sso_rules WHERE break_glass = @id)),
	'helpedBy', (SELECT coalesce(json_agg(r ORDER BY r.since), '[]') FROM (SELECT h.at AS since, u.name AS by
		FROM access_helpers h LEFT JOIN users u ON u.id = h.helper_id WHERE h.user_id = @id) r),
	'proposals', (SELECT coalesce(json_agg(r ORDER BY r.since), '[]') FROM (SELECT asked_at AS since, asked_by_name AS by,
		rights_before AS before, rights_after AS after, ended_at AS ended, ended_by AS "endedBy" FROM proposals WHERE user_id = @id) r),
	'identityAllowed', (SELECT json_build_object('since', allowed_at, 'by', allowed_by) FROM sso_links WHERE user_id = @id),
	'blockedNames', (SELECT coalesce(json_agg(name), '[]') FROM blocked_names WHERE user_id = @id),
	'counterPin', (SELECT json_build_object('since', set_at, 'wrong', wrong, 'wrongAt', (SELECT coalesce(json_agg(c.name), '[]')
		FROM counter_tries w JOIN counters c ON c.id = w.counter_id WHERE w.user_id = p.user_id)) FROM counter_pins p WHERE user_id = @id),
	'counters', (SELECT coalesce(json_agg(r ORDER BY r.since), '[]') FROM (SELECT made_at AS since, name, ended_at AS ended
		FROM counters WHERE @id IN (made_by, ended_by, last_user_id)) r),
	'savedFilters', (SELECT coalesce(json_agg(r ORDER BY r.since), '[]') FROM (SELECT created_at AS since, list, name, filter, shared
		FROM saved_views WHERE owner_id = @id) r),
	'letters', (SELECT coalesce(json_agg(r ORDER BY r.since), '[]') FROM (SELECT created_at AS since, state, finished_at AS finished
		FROM mails WHERE lower(recipient) = @email) r))`

// SessionData is a sign-in that has not ended.
type SessionData struct {
	CreatedAt time.Time `json:"since"`
	ExpiresAt time.Time `json:"until"`
	Address   string    `json:"address"`
	UserAgent string    `json:"userAgent"`
}

// FailedSignIn is a wrong sign-in with the person's address.
type FailedSignIn struct {
	At      time.Time `json:"at"`
	Address string    `json:"address"`
}

// PersonalEntry is an entry of the trail.
type PersonalEntry struct {
	ID        int64            `json:"id"`
	At        time.Time        `json:"at"`
	ActorName string           `json:"actor"`
	ActorRole models.Role      `json:"role"`
	Action    models.Action    `json:"action"`
	Outcome   string           `json:"outcome"`
	StoreName string           `json:"store,omitempty"`
	OrderID   string           `json:"orderId,omitempty"`
	Before    *json.RawMessage `json:"before,omitempty"`
	After     *json.RawMessage `json:"after,omitempty"`
	Reason    string           `json:"reason,omitempty"`
	Address   string           `json:"address,omitempty"`
	UserAgent string           `json:"userAgent,omitempty"`
}

// personalEntries are the entries by a person and of changes to their account. Programs
// are numbered beside people. Jobs name only on whose behalf they work, and a namesake's
// are not theirs to read; what the person requested is an entry of their own.
const personalEntries = `SELECT id, at, actor_name, actor_role, action, outcome, store_name, order_id, before, after, reason,
		address, user_agent
	FROM audit_entries
	WHERE actor_id = @id AND actor_role <> @program
		OR action LIKE ANY ('{user.%,rights.%}') AND (before->>'email' = @email OR after->>'email' = @email)
	ORDER BY at, id`

// PersonalData returns all that is stored of a person. That it was handed out is in the
// trail.
//
// Errors: ErrForbidden or ErrNotFound.
func (s *Service) PersonalData(ctx context.Context, actor models.Actor, id int64) (*PersonalData, error) {
	if !actor.May(models.ManageUsers) && actor.Role != models.SystemRole {
		return nil, models.ErrForbidden
	}
	data := &PersonalData{Sessions: []SessionData{}, FailedSignIns: []FailedSignIn{}, Entries: []PersonalEntry{}}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		u, err := ByID(t, id)
		if err != nil {
			return err
		}
		data.Profile = u.DisabledAttributes(u.DisabledAt != nil)
		data.Profile["createdAt"], data.Profile["language"] = u.CreatedAt, u.Language
		given := map[string]any{"id": id, "email": u.Email, "program": models.Integration}
		if err := t.Raw(`SELECT created_at, expires_at, address, user_agent FROM sessions WHERE user_id = @id ORDER BY created_at`,
			given).Scan(&data.Sessions).Error; err != nil {
			return err
		}
		if err := t.Raw(`SELECT at, address FROM login_failures WHERE email = @email ORDER BY at`, given).
			Scan(&data.FailedSignIns).Error; err != nil {
			return err
		}
		if err := t.Raw(personalAccount, given).Row().Scan(&data.Account); err != nil {
			return err
		}
		if err := t.Raw(personalEntries, given).Scan(&data.Entries).Error; err != nil {
			return err
		}
		return audit.Record(t, actor, s.clock.Now(), models.ActionUserExported, models.OutcomeSuccess,
			audit.About{After: map[string]any{"email": u.Email, "name": u.Name}})
	})
	if err != nil {
		return nil, fmt.Errorf("collect the data of person %d: %w", id, err)
	}
	return data, nil
}
