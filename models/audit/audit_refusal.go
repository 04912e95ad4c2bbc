package audit

import (
	"context"
	"errors"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// RefusedRequest is a request that was refused, with what the trail records of it.
type RefusedRequest struct {
	Line    string // method and address: POST /sales/7
	Changes bool   // it would have changed something
	Program bool   // the client is a program: no person sees what is wrong
}

// RecordRefusal writes the entry for a request's error, of a page and of a program
// alike: a denial, a request for something outside the scope, or an act that a rule
// forbids. Errors that are no refusals get no entry, nor does one whose entry is
// already written, see Refusal.
//
// A person who fills in a form wrongly sees it; that is no refusal. The same mistake
// of a program is one. See TRAIL.md.
func (s *Service) RecordRefusal(ctx context.Context, actor models.Actor, r RefusedRequest, err error) error {
	now := s.clock.Now()
	var known *models.Error
	if !errors.As(err, &known) {
		return nil
	}
	of := &models.Refusal{}
	if errors.As(err, &of); of.Recorded || !r.owes(known, of) {
		return nil
	}
	line := r.Line
	if of.Line != "" {
		line = of.Line
	}
	switch known.Kind {
	case models.KindInvalid:
		return s.APIRefused(ctx, actor, Malformed, line)
	case models.KindForbidden, models.KindNotFound:
		if r.Program {
			break
		}
		forged, nowhere := known.Code == forgedForm, of.Mistake || known.Kind == models.KindNotFound && actor.AllStores
		switch {
		case forged && actor.Role == "":
			return s.countedRefusal(ctx, actor, now, forgedForm, line)
		case nowhere:
			return s.ActRefused(ctx, actor, line, known.Code)
		case forged:
			return s.forgedForm(ctx, actor, now, line)
		}
		return s.Refused(ctx, actor, line)
	}
	if r.Program {
		return s.APIRefused(ctx, actor, known.Code, line)
	}
	return s.ActRefused(ctx, actor, line, known.Code)
}

// owes reports whether a refusal is recorded. Of requests that only read, denials
// are recorded; of programs, exceeded rate limits too.
func (r RefusedRequest) owes(known *models.Error, of *models.Refusal) bool {
	switch known.Kind {
	case models.KindForbidden:
		return true
	case models.KindNotFound:
		return r.Changes || of.Hidden || !r.Program
	case models.KindInvalid:
		return r.Changes && r.Program
	case models.KindTooMany:
		return r.Changes || r.Program
	}
	return r.Changes
}

// Refused records that somebody was denied what they tried.
func (s *Service) Refused(ctx context.Context, actor models.Actor, what string) error {
	now := s.clock.Now()
	return s.db.InTx(ctx, func(t database.Tx) error {
		return Record(t, actor.Named(), now, models.ActionRefused, models.OutcomeDenied, About{Reason: models.Legible(what, 200)})
	})
}

// ActRefused records that a rule forbade an act and nothing of it was done. why is
// the refusal's code; what names the request. A form that was filled in wrongly is
// no refusal, see TRAIL.md.
func (s *Service) ActRefused(ctx context.Context, actor models.Actor, what, why string) error {
	now := s.clock.Now()
	return s.db.InTx(ctx, func(t database.Tx) error {
		return Record(t, actor.Named(), now, models.ActionActRefused, models.OutcomeFailure, About{Reason: why, After: asked(what)})
	})
}

// forgedForm records that a form came from another site.
func (s *Service) forgedForm(ctx context.Context, actor models.Actor, now time.Time, what string) error {
	return s.db.InTx(ctx, func(t database.Tx) error {
		return Record(t, actor.Named(), now, models.ActionRefused, models.OutcomeDenied, About{Reason: forgedForm, After: asked(what)})
	})
}

// asked names a request in an entry.
func asked(what string) map[string]any { return map[string]any{"request": models.Legible(what, 200)} }
