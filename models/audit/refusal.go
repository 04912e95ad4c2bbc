package audit

import (
	"context"
	"errors"
	"fmt"

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
		case actor.Role == "":
			return s.RecordCounted(ctx, actor, models.ActionRefused, models.OutcomeDenied, About{Reason: known.Code, After: asked(line)},
				known.Code)
		case nowhere:
			return s.ActRefused(ctx, actor, line, known.Code)
		case forged:
			return s.RecordCounted(ctx, actor, models.ActionRefused, models.OutcomeDenied, About{Reason: forgedForm, After: asked(line)},
				forgedForm+" "+shape(line))
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
	a := About{Reason: models.Legible(what, 200)}
	return s.RecordCounted(ctx, actor, models.ActionRefused, models.OutcomeDenied, a, shape(a.Reason))
}

// ActRefused records that a rule forbade an act and nothing of it was done. why is
// the refusal's code; what names the request. A form that was filled in wrongly is
// no refusal, see TRAIL.md.
func (s *Service) ActRefused(ctx context.Context, actor models.Actor, what, why string) error {
	return s.RecordCounted(ctx, actor, models.ActionActRefused, models.OutcomeFailure, About{Reason: why, After: asked(what)},
		why+" "+shape(what))
}

// asked names a request in an entry.
func asked(what string) map[string]any { return map[string]any{"request": models.Legible(what, 200)} }

// RefusalRecord is what somebody was refused, and why.
type RefusalRecord struct {
	SaleID, CancellationID int64
	Why                    *models.Error
	Together               *BulkPart
	// Seen is the amount that the person saw, when it is another now.
	Seen *models.Money
}

// Refuse records that somebody was refused. A sale of another store is a denial and
// is named by its number only: people may read their own entries, and would learn
// from them what they may not see.
func (s *Service) Refuse(ctx context.Context, actor models.Actor, action models.Action, r RefusalRecord) error {
	var counted *Counted
	err := s.db.InTx(ctx, func(t database.Tx) (err error) {
		after := map[string]any{"saleId": r.SaleID}
		r.Together.AddAttributes(after)
		if r.Seen != nil {
			after["seenAmount"] = *r.Seen
		}
		a := About{Reason: r.Why.Code, CancellationID: r.CancellationID, After: after}
		var sale models.Sale
		if err := database.TakeRow(t.Where("id = ?", r.SaleID), &sale); err == nil && actor.Sees(sale.StoreID) {
			var store models.Store
			if err := database.TakeRow(t.Where("id = ?", sale.StoreID), &store); err != nil {
				return err
			}
			a.Sale, a.Store = &sale, &store
		}
		outcome := models.OutcomeFailure
		if r.Why.Kind == models.KindNotFound || r.Why.Kind == models.KindForbidden {
			outcome = models.OutcomeDenied
		}
		if counted, err = s.Counted(actor, action, outcome, a, fmt.Sprint(r.Why.Code, " ", r.SaleID, " ", r.CancellationID)); err != nil {
			return err
		}
		return counted.Record(t)
	})
	if counted == nil {
		return err
	}
	return counted.Unless(err)
}

// BulkPart records in the trail that a request was part of a bulk request.
type BulkPart struct {
	Reference string // the reference of the bulk request; all entries with it belong together
	Of        int    // how many sales it had
}

func (t *BulkPart) AddAttributes(after map[string]any) {
	if t != nil {
		after["together"], after["togetherOf"] = t.Reference, t.Of
	}
}
