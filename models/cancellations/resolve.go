package cancellations

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cards"
	"veinte/models/database"
	"veinte/models/evidence"
)

// Resolution is a person's statement, with evidence, of how a doubt ended.
type Resolution struct {
	Outcome  models.State // what the person saw: Confirmed or NotCanceled
	AuthCode string       // of the cancellation's ticket
	Folio    string
	Note     string
}

// minAuthCode is the fewest characters of an authorization: acquirers give six, and some
// terminals print it without its leading zeros.
const minAuthCode = 4

// check requires evidence: a ticket's code, or a description of what was seen.
func (e Resolution) check(now time.Time) error {
	if e.Outcome != models.Confirmed && e.Outcome != models.NotCanceled {
		return models.Invalid("outcome", "resolution.outcome")
	}
	for field, text := range map[string]string{"authCode": e.AuthCode, "folio": e.Folio} {
		if len(text) > 40 {
			return models.Invalid(field, "field.tooLong")
		}
		if !models.Storable(text) || strings.ContainsFunc(text, models.Invisible) {
			return models.Invalid(field, "field.invalidText")
		}
		if text != "" && !strings.ContainsFunc(text, models.IsLetterOrDigit) {
			return models.Invalid(field, "resolution.noTicket")
		}
		if field == "authCode" && text != "" && len(text) < minAuthCode {
			return models.Invalid(field, "resolution.short")
		}
	}
	if utf8.RuneCountInString(e.Note) > 500 {
		return models.Invalid("note", "field.tooLong")
	}
	if !models.Readable(e.Note) {
		return models.Invalid("note", "field.invalidText")
	}
	for field, holds := range map[string]bool{
		"authCode": cards.InReference(e.AuthCode, now), "folio": cards.InReference(e.Folio, now), "note": cards.Holds(e.Note),
	} {
		if holds {
			return models.Invalid(field, "field.cardNumber")
		}
	}
	if e.Outcome == models.Confirmed && e.AuthCode == "" && e.Folio == "" {
		// A cancellation's ticket has one of them printed on it.
		return models.Invalid("authCode", "resolution.noTicket")
	}
	if e.AuthCode == "" && e.Folio == "" && utf8.RuneCountInString(e.Note) < 10 {
		return models.Invalid("note", "resolution.evidence")
	}
	return nil
}

func (e Resolution) text() string {
	var parts []string
	for _, p := range [][2]string{{"authCode", e.AuthCode}, {"folio", e.Folio}, {"note", e.Note}} {
		if p[1] != "" {
			parts = append(parts, p[0]+" "+p[1])
		}
	}
	return strings.Join(parts, " · ")
}

// Resolve ends a cancellation by evidence that a person has seen: a doubt either
// way, any other state only as canceled, with the ticket.
//
// Errors: ErrNotFound, ErrForbidden, ErrProofNeeded, error.notUnknown, error.alreadySettled, or what
// is wrong with a field, a number of the sale itself too. Repeating the same resolution by the same person has no
// effect.
func (s *Service) Resolve(ctx context.Context, actor models.Actor, id int64, e Resolution) error {
	if err := actor.Fresh(); err != nil {
		return err
	}
	e = Resolution{e.Outcome, strings.TrimSpace(e.AuthCode), strings.TrimSpace(e.Folio), strings.TrimSpace(e.Note)}
	saleID, err := s.resolve(ctx, actor, id, e)
	var refused *models.Error
	if errors.As(err, &refused) && saleID != 0 && actor.May(models.ResolveCancellations) {
		record := audit.RefusalRecord{SaleID: saleID, CancellationID: id, Why: refused}
		if err := s.config.Audit.Refuse(ctx, actor, models.ActionResolutionRefused, record); err != nil {
			return err
		}
		return models.Recorded(err)
	}
	return err
}

func (s *Service) resolve(ctx context.Context, actor models.Actor, id int64, e Resolution) (saleID int64, err error) {
	err = s.withLocked(ctx, id, func(l *Held) error {
		saleID = l.sale.ID
		if err := l.allows(&actor, models.ResolveCancellations); err != nil {
			return err
		}
		if err := e.check(l.now); err != nil {
			return err
		}
		if err := l.notOfSale(e); err != nil {
			return err
		}
		saw := evidence.PersonSaw(actor, e.Outcome == models.Confirmed, e.text())
		switch ruling := l.rule(saw); {
		case ruling.Why == evidence.WhyKnown:
			return l.resolvedBy(actor, saw.Words)
		case l.c.State != models.Unknown && !actor.Role.May(models.ResolveCancellations):
			// The rules let a manager resolve a doubt, but not change a known
			// outcome.
			return models.ErrForbidden
		case ruling.Nothing():
			return &models.Error{Kind: models.KindConflict, Code: "error.notUnknown"}
		}
		// Where the shop's money rests on one person's word, another one looks at it.
		doubted, err := l.doubted(actor, e.Outcome)
		if err != nil {
			return err
		}
		if _, err := l.Apply(ctx, saw); err != nil || doubted == "" {
			return err
		}
		return l.raise(actor, doubted, l.c.Attempts, "")
	})
	return saleID, err
}

// doubted is why a person's word that the sale is canceled has to be looked at by another:
// the terminal has said that it is still charged, or refused, or they requested it
// themselves. "" where it need not.
func (l *Held) doubted(actor models.Actor, outcome models.State) (models.Conflict, error) {
	if outcome != models.Confirmed {
		return "", nil
	}
	var denied bool
	err := l.tx.Raw(`SELECT EXISTS (SELECT FROM results WHERE cancellation_id = ? AND standing = ? AND status <> ?)`,
		l.c.ID, models.StandingCharged, models.ResultDuplicate).Scan(&denied).Error
	switch {
	case err != nil:
		return "", fmt.Errorf("look for what the terminal said of cancellation %d: %w", l.c.ID, err)
	case denied || l.c.State == models.Rejected:
		return models.ConflictAgainstTerminal, nil
	case l.c.RequestedBy != nil && *l.c.RequestedBy == actor.UserID:
		return models.ConflictOwnWord, nil
	}
	return "", nil
}

// notOfSale refuses the sale's own numbers as evidence, whichever door told them: they
// were there before anybody asked to cancel it. The terminal authorizes a cancellation
// anew, but repeats the sale's folio, which may stand beside such an authorization.
func (l *Held) notOfSale(e Resolution) error {
	var told []models.SaleFact
	if err := l.tx.Where("sale_id = ? AND fact IN ('authCode', 'folio')", l.sale.ID).Find(&told).Error; err != nil {
		return fmt.Errorf("list numbers of sale %d: %w", l.sale.ID, err)
	}
	told = append(told, models.SaleFact{Fact: "authCode", Value: l.sale.AuthCode}, models.SaleFact{Fact: "folio", Value: l.sale.Folio},
		models.SaleFact{Fact: "orderId", Value: l.sale.OrderID})
	for _, given := range []struct{ field, text string }{{"authCode", e.AuthCode}, {"folio", e.Folio}} {
		for _, own := range told {
			beside := given.field == "folio" && own.Fact == "folio" && e.AuthCode != ""
			if given.text != "" && own.Value != "" && !beside && models.SameFact(given.field, given.text, own.Value) {
				return models.Invalid(given.field, "resolution.ofSale."+own.Fact)
			}
		}
	}
	return nil
}

// resolvedBy distinguishes a repeated click, which has no effect, from another person
// or other evidence, which came after the cancellation was resolved.
func (l *Held) resolvedBy(actor models.Actor, evidence string) error {
	var last models.AuditEntry
	moves := l.tx.Where("sale_id = ? AND cancellation_id = ? AND action = ?", l.sale.ID, l.c.ID, models.ActionCancellationMoved)
	if err := database.TakeRow(moves.Order("id DESC"), &last); err != nil {
		return fmt.Errorf("look for who resolved cancellation %d: %w", l.c.ID, err)
	}
	if last.ActorID != nil && *last.ActorID == actor.UserID && last.Reason == evidence {
		return nil
	}
	return &models.Error{Kind: models.KindConflict, Code: "error.alreadySettled"}
}
