package audit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// ofResults begins the reasons why a post to the results endpoint is refused.
const ofResults = "results."

// RefusedResult records why a post to the results endpoint was refused, in the same way
// as APIRefused. The address that was tried is not stored: it may be a right one with a
// letter missing.
func (s *Service) RefusedResult(ctx context.Context, actor models.Actor, reason string) error {
	return s.APIRefused(ctx, actor, reason, "POST /results/***")
}

// RecordRetention is how long a repeated request gets the response of the first one.
const RecordRetention = 24 * time.Hour

// Malformed is why what a program sent could not be understood, whatever it
// was.
const Malformed = "api.invalid"

// refusalOutcome distinguishes what was denied from what merely failed.
func refusalOutcome(code string) models.Outcome {
	if code == Malformed {
		return models.OutcomeFailure
	}
	return models.OutcomeDenied
}

// refusalAction is the action of a refusal that is counted: those of programs have
// their own, all others are a refused post to the results endpoint.
func refusalAction(code string) models.Action {
	if strings.HasPrefix(code, ofResults) || code == forgedForm {
		return models.ActionRefused
	}
	return models.ActionAPIRefused
}

// forgedForm is why a form of another site, or without its token, is refused.
const forgedForm = "error.csrf"

// APIRefused records that a program was refused and why, as a code: whoever may try
// without being known must not fill the trail. The first of its kind within a minute
// enters the trail at once; how many more there were follows when the minute is over,
// see SweepAPI. what names the request.
func (s *Service) APIRefused(ctx context.Context, actor models.Actor, code, what string) error {
	actor, now := actor.Named(), s.clock.Now()
	err := s.db.InTx(ctx, func(t database.Tx) error {
		var tries int
		err := t.Raw(`INSERT INTO api_refusals AS r (minute, address, key_id, name, code, tries) VALUES (?, ?, ?, ?, ?, 1)
			ON CONFLICT (minute, address, key_id, code) DO UPDATE SET tries = r.tries + 1 RETURNING tries`,
			now.Truncate(time.Minute), actor.Address, actor.UserID, actor.Name, code).Scan(&tries).Error
		if err != nil || tries > 1 {
			return err
		}
		return Record(t, actor, now, refusalAction(code), refusalOutcome(code), About{Reason: code, After: asked(what)})
	})
	if err != nil {
		return fmt.Errorf("note refusal: %w", err)
	}
	return nil
}

// SweepAPI deletes responses that are a day old, and records how often a program was
// refused in the minutes that are over.
func (s *Service) SweepAPI(ctx context.Context) error {
	now := s.clock.Now()
	if _, err := s.db.Pool().Exec(ctx, `DELETE FROM api_answers WHERE begun_at < $1`, now.Add(-RecordRetention)); err != nil {
		return fmt.Errorf("forget answers: %w", err)
	}
	return s.db.InTx(ctx, func(t database.Tx) error {
		var over []refusals
		err := t.Raw(`DELETE FROM api_refusals WHERE minute < ? RETURNING minute, address, key_id, name, code, tries`, now.Add(-time.Minute)).
			Scan(&over).Error
		if err != nil {
			return fmt.Errorf("take refusals: %w", err)
		}
		for _, r := range over {
			if err := recordRefusals(t, r, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// refusals are those of one kind within a minute.
type refusals struct {
	Minute              time.Time
	Address, Name, Code string
	KeyID               int64
	Tries               int
}

// recordRefusals records those after the first, which has its own entry.
func recordRefusals(t database.Tx, r refusals, now time.Time) error {
	if r.Tries == 1 {
		return nil
	}
	actor := models.Actor{UserID: r.KeyID, Name: r.Name, Role: models.Integration, Address: r.Address}
	if r.KeyID == 0 {
		actor.Role = models.Anonymous
	}
	return Record(t, actor, now, refusalAction(r.Code), refusalOutcome(r.Code), About{Reason: r.Code, After: map[string]any{
		"more": r.Tries - 1, "minute": r.Minute.UTC().Format(time.RFC3339),
	}})
}
