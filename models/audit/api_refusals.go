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
	if strings.HasPrefix(code, ofResults) {
		return models.ActionRefused
	}
	return models.ActionAPIRefused
}

// forgedForm is why a form of another site, or without its token, is refused.
const forgedForm = "error.csrf"

// APIRefused records that a program was refused and why, as a code. what names the
// request, of the first.
func (s *Service) APIRefused(ctx context.Context, actor models.Actor, code, what string) error {
	return s.RecordCounted(ctx, actor, refusalAction(code), refusalOutcome(code), About{Reason: code, After: asked(what)}, code)
}

// SweepAPI deletes responses that are a day old, and records how many refusals there were
// in the minutes that are over; those of a server of an earlier version are counted in
// the database.
func (s *Service) SweepAPI(ctx context.Context) error {
	now := s.clock.Now()
	if _, err := s.db.Pool().Exec(ctx, `DELETE FROM api_answers WHERE begun_at < $1`, now.Add(-RecordRetention)); err != nil {
		return fmt.Errorf("forget answers: %w", err)
	}
	if err := s.FlushRefusals(ctx, false); err != nil {
		return err
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
