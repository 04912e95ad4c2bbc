package entrance

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// way is how somebody came in, as the trail says it.
type way string

// The ways. A sign-in of before they were told has none.
const (
	byPassword way = "password"
	byCode     way = "code"     // of their app, after the password
	byRecovery way = "recovery" // a recovery code, after the password
	byProvider way = "provider" // of the single sign-on
	byPasskey  way = "passkey"  // alone
	bySecond   way = "both"     // a passkey, after the password
	byPIN      way = "pin"      // at a counter device
)

// SignIn is a sign-in of a person, or one to their account that was refused.
type SignIn struct {
	At        time.Time
	Outcome   models.Outcome
	Reason    string // why it was refused, as the code of a text
	Address   string
	UserAgent string
	Way       string // "" where it was refused, and of old ones
	NewDevice bool
	More      int // how many others like it there were within the minute, which have no more facts
}

// shownSignIns is how many of them a person sees.
const shownSignIns = 10

// signInsSQL reads the last sign-ins of a person from the trail, each half in the order of
// an index of its own (migration 72). Whoever is refused is named by the address that was
// typed, so what was typed before that address was the person's is somebody else's.
const signInsSQL = `WITH own AS MATERIALIZED (SELECT u.id, u.email, greatest(u.created_at, (SELECT max(at) FROM audit_entries
		WHERE action = 'user.changed' AND after->>'email' = u.email AND before->>'email' <> u.email)) AS since
	FROM users u WHERE u.id = $1)
SELECT at, outcome, reason, address, user_agent, coalesce(after->>'way', '') AS way,
	coalesce((after->>'newDevice')::boolean, false) AS new_device, coalesce((after->>'more')::int, 0) AS more
FROM ((SELECT e.* FROM audit_entries e WHERE e.actor_id = (SELECT id FROM own) AND e.action = 'session.started'
		ORDER BY e.at DESC, e.id DESC LIMIT $2)
	UNION ALL
	(SELECT e.* FROM audit_entries e WHERE e.actor_id IS NULL AND e.actor_name = (SELECT email FROM own) AND e.action = 'session.started'
		AND e.at >= (SELECT since FROM own) ORDER BY e.at DESC, e.id DESC LIMIT $2)) both_of_them
ORDER BY at DESC, id DESC LIMIT $2`

// OwnSignIns returns the last sign-ins of the actor, those that were refused too.
func (s *Service) OwnSignIns(ctx context.Context, actor models.Actor) ([]SignIn, error) {
	rows, err := database.Rows[SignIn](ctx, s.db, signInsSQL, actor.UserID, shownSignIns)
	if err != nil {
		return nil, fmt.Errorf("list the sign-ins of person %d: %w", actor.UserID, err)
	}
	return rows, nil
}
