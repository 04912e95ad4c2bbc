package models

import (
	"context"
	"errors"
	"time"
)

// RefusedRequest is a request that was refused, as far as the trail asks.
type RefusedRequest struct {
	Line    string // method and address: POST /sales/7
	Changes bool   // it would have changed something
	Program bool   // nobody sits before it who sees what is wrong
}

// RecordRefusal writes the entry that a request's error owes the trail, of a page
// and of a program alike: what was denied, what somebody asked for that is not
// there for them, and what a rule stood against. Nothing is owed by an error that
// is no refusal, and by one whose entry is written, see Refusal.
//
// A person who fills in a form wrongly sees it; that is no refusal. What a program
// writes wrongly is one. See TRAIL.md.
func (db *DB) RecordRefusal(ctx context.Context, actor Actor, now time.Time, r RefusedRequest, err error) error {
	var known *Error
	if !errors.As(err, &known) {
		return nil
	}
	of := &Refusal{}
	if errors.As(err, &of); of.Recorded || !r.owes(known, of) {
		return nil
	}
	line := r.Line
	if of.Line != "" {
		line = of.Line
	}
	switch known.Kind {
	case KindInvalid:
		return db.APIRefused(ctx, actor, now, WrittenWrongly, line)
	case KindForbidden, KindNotFound:
		if r.Program {
			break
		}
		forged, nowhere := known.Code == forgedForm, of.Mistake || known.Kind == KindNotFound && actor.AllStores
		switch {
		case forged && actor.Role == "":
			return db.countedRefusal(ctx, actor, now, forgedForm, line)
		case nowhere:
			return db.ActRefused(ctx, actor, now, line, known.Code)
		case forged:
			return db.forgedForm(ctx, actor, now, line)
		}
		return db.Refused(ctx, actor, now, line)
	}
	if r.Program {
		return db.APIRefused(ctx, actor, now, known.Code, line)
	}
	return db.ActRefused(ctx, actor, now, line, known.Code)
}

// owes reports whether a refusal is one that the trail is told of. Whoever only
// reads is told of by what they may not; a program also by its haste.
func (r RefusedRequest) owes(known *Error, of *Refusal) bool {
	switch known.Kind {
	case KindForbidden:
		return true
	case KindNotFound:
		return r.Changes || of.Hidden || !r.Program
	case KindInvalid:
		return r.Changes && r.Program
	case KindTooMany:
		return r.Changes || r.Program
	}
	return r.Changes
}

// Refused records that somebody was denied what they tried.
func (db *DB) Refused(ctx context.Context, actor Actor, now time.Time, what string) error {
	return db.transaction(ctx, func(t tx) error {
		return t.record(actor.named(), now, ActionRefused, OutcomeDenied, about{reason: legible(what, 200)})
	})
}

// ActRefused records that a rule stood against what somebody tried: nothing of it
// was done. why is the refusal's code; what names the request. A form that was
// filled in wrongly is no refusal, see TRAIL.md.
func (db *DB) ActRefused(ctx context.Context, actor Actor, now time.Time, what, why string) error {
	return db.transaction(ctx, func(t tx) error {
		return t.record(actor.named(), now, ActionActRefused, OutcomeFailure, about{reason: why, after: asked(what)})
	})
}

// forgedForm records that somebody's form came from another site.
func (db *DB) forgedForm(ctx context.Context, actor Actor, now time.Time, what string) error {
	return db.transaction(ctx, func(t tx) error {
		return t.record(actor.named(), now, ActionRefused, OutcomeDenied, about{reason: forgedForm, after: asked(what)})
	})
}

// asked names a request in an entry.
func asked(what string) map[string]any { return map[string]any{"request": legible(what, 200)} }

// named gives somebody who is not signed in the name that the trail has for them.
func (a Actor) named() Actor {
	if a.Role == "" {
		a.Name, a.Role = "?", Anonymous
	}
	return a
}
