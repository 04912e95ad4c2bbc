package models

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"veinte/models/cards"
)

// Settlement is a person's word, with evidence, on how a doubt ended.
type Settlement struct {
	Outcome  State  // what was seen: Confirmed or NotCanceled
	AuthCode string // of the cancellation's ticket
	Folio    string
	Note     string
}

// check asks for evidence: a ticket's code, or words about what was seen.
func (e Settlement) check() error {
	if e.Outcome != Confirmed && e.Outcome != NotCanceled {
		return Invalid("outcome", "resolution.outcome")
	}
	for field, text := range map[string]string{"authCode": e.AuthCode, "folio": e.Folio} {
		if len(text) > 40 {
			return Invalid(field, "field.tooLong")
		}
		if !storable(text) || strings.ContainsFunc(text, invisible) {
			return Invalid(field, "field.invalidText")
		}
		if text != "" && !strings.ContainsFunc(text, isLetterOrDigit) {
			return Invalid(field, "resolution.noTicket")
		}
	}
	if utf8.RuneCountInString(e.Note) > 500 {
		return Invalid("note", "field.tooLong")
	}
	if !storable(e.Note) {
		return Invalid("note", "field.invalidText")
	}
	for field, text := range map[string]string{"authCode": e.AuthCode, "folio": e.Folio, "note": e.Note} {
		if cards.Holds(text) {
			return Invalid(field, "field.cardNumber")
		}
	}
	if e.Outcome == Confirmed && e.AuthCode == "" && e.Folio == "" {
		// Who holds the ticket of a cancellation can read one of them from it.
		return Invalid("authCode", "resolution.noTicket")
	}
	if e.AuthCode == "" && e.Folio == "" && utf8.RuneCountInString(e.Note) < 10 {
		return Invalid("note", "resolution.evidence")
	}
	return nil
}

func (e Settlement) text() string {
	var parts []string
	for _, p := range [][2]string{{"authCode", e.AuthCode}, {"folio", e.Folio}, {"note", e.Note}} {
		if p[1] != "" {
			parts = append(parts, p[0]+" "+p[1])
		}
	}
	return strings.Join(parts, " · ")
}

// Settle ends a case by evidence that a person has seen: a doubt either way, any
// other case only as canceled, with the ticket in the hand.
//
// Errors: ErrNotFound, ErrForbidden, error.notUnknown, error.alreadySettled, or
// what is wrong with a field. The same settlement by the same person twice is one.
func (s *Cancellations) Settle(ctx context.Context, actor Actor, caseID int64, e Settlement) error {
	e = Settlement{e.Outcome, strings.TrimSpace(e.AuthCode), strings.TrimSpace(e.Folio), strings.TrimSpace(e.Note)}
	saleID, err := s.settle(ctx, actor, caseID, e)
	var refused *Error
	if errors.As(err, &refused) && saleID != 0 && actor.May(SettleCases) {
		if err := s.refuse(ctx, actor, ActionResolutionRefused, refusal{saleID: saleID, caseID: caseID, why: refused}); err != nil {
			return err
		}
		return Recorded(err)
	}
	return err
}

func (s *Cancellations) settle(ctx context.Context, actor Actor, caseID int64, e Settlement) (saleID int64, err error) {
	err = s.inCase(ctx, caseID, func(l *Held) error {
		saleID = l.sale.ID
		switch {
		case !actor.Sees(l.sale.StoreID):
			return ErrNotFound
		case !actor.May(SettleCases):
			return ErrForbidden
		}
		if err := e.check(); err != nil {
			return err
		}
		saw := PersonSaw(actor, e.Outcome == Confirmed, e.text())
		switch ruling := l.rule(saw); {
		case ruling.Why == WhyKnown:
			return l.settledBy(actor, saw.Words)
		case l.c.State != Unknown && !actor.Role.May(SettleCases):
			// The rules let a manager end a doubt, not overrule what is known.
			return ErrForbidden
		case ruling.Nothing():
			return &Error{Kind: KindConflict, Code: "error.notUnknown"}
		}
		_, err := l.Apply(ctx, saw)
		return err
	})
	return saleID, err
}

// settledBy tells a button pressed twice, which is nothing, from another person
// or other evidence, which came too late to be kept as what settled the case.
func (l *Held) settledBy(actor Actor, evidence string) error {
	var last AuditEntry
	err := take(l.Where("sale_id = ? AND cancellation_id = ? AND action = ?", l.sale.ID, l.c.ID, ActionCaseMoved).Order("id DESC"), &last)
	if err != nil {
		return fmt.Errorf("look for who settled case %d: %w", l.c.ID, err)
	}
	if last.ActorID != nil && *last.ActorID == actor.UserID && last.Reason == evidence {
		return nil
	}
	return &Error{Kind: KindConflict, Code: "error.alreadySettled"}
}
