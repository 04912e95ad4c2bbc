package rules

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// ReasonInput is a reason as entered in a form.
type ReasonInput struct{ LabelES, LabelEN string }

func (in ReasonInput) check() (ReasonInput, error) {
	var err error
	if in.LabelES, err = models.Text("labelEs", in.LabelES, 60); err != nil {
		return in, err
	}
	in.LabelEN, err = models.Text("labelEn", in.LabelEN, 60)
	return in, err
}

// free refuses labels in which the blocked name of a person stands.
func (in ReasonInput) free(t database.Tx) error {
	if err := audit.NameFree(t, "labelEs", in.LabelES); err != nil {
		return err
	}
	return audit.NameFree(t, "labelEn", in.LabelEN)
}

// errLastReason: without any reason to choose nobody could cancel anything.
var errLastReason = &models.Error{Kind: models.KindConflict, Code: "reasons.last"}

// maxReasons is how many reasons may be in use. It is small because the list is read
// while a customer waits.
const maxReasons = 20

// AllReasons returns every reason, those in use first, each group in its order.
func (s *Service) AllReasons(ctx context.Context) ([]models.Reason, error) {
	var reasons []models.Reason
	err := s.db.Gorm().WithContext(ctx).Order("retired_at IS NOT NULL, position, code").Find(&reasons).Error
	if err != nil {
		return nil, fmt.Errorf("list reasons: %w", err)
	}
	return reasons, nil
}

// inReasons runs f with every reason, while nobody else can change one.
func (s *Service) inReasons(ctx context.Context, actor models.Actor, f func(database.Tx, []models.Reason) error) error {
	if !actor.May(models.ManageSettings) {
		return models.ErrForbidden
	}
	return s.db.InTx(ctx, func(t database.Tx) error {
		var all []models.Reason
		err := t.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Order("position, code").Find(&all).Error
		if err != nil {
			return fmt.Errorf("lock reasons: %w", err)
		}
		return f(t, all)
	})
}

// AddReason adds a reason at the end of the list.
//
// Errors: ErrForbidden, ErrProofNeeded, a field, reasons.tooMany.
func (s *Service) AddReason(ctx context.Context, actor models.Actor, in ReasonInput) error {
	if err := actor.Fresh(); err != nil {
		return err
	}
	now := s.clock.Now()
	in, err := in.check()
	if err != nil {
		return err
	}
	return s.inReasons(ctx, actor, func(t database.Tx, all []models.Reason) error {
		if err := in.free(t); err != nil {
			return err
		}
		if len(inUse(all)) >= maxReasons {
			return &models.Error{Kind: models.KindConflict, Code: "reasons.tooMany"}
		}
		r := models.Reason{Code: freeCode(in.LabelEN, all), LabelES: in.LabelES, LabelEN: in.LabelEN, Version: 1}
		for i := range all {
			r.Position = max(r.Position, all[i].Position)
		}
		r.Position++
		if err := t.Create(&r).Error; err != nil {
			return duplicateLabel(err, &r, all)
		}
		return audit.Record(t, actor, now, models.ActionReasonsChanged, models.OutcomeSuccess, audit.About{After: r.Attributes()})
	})
}

// RenameReason changes the label of a reason. Old cancellations show the new label
// too, so the meaning must stay the same.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, ErrStale, or a field.
func (s *Service) RenameReason(ctx context.Context, actor models.Actor, code string, version int, in ReasonInput) error {
	now := s.clock.Now()
	in, err := in.check()
	if err != nil {
		return err
	}
	return s.changeReason(ctx, actor, now, code, version, func(r *models.Reason, _ []models.Reason) error {
		r.LabelES, r.LabelEN = in.LabelES, in.LabelEN
		return nil
	})
}

// RetireReason removes a reason from the list. Cancellations that name it keep it.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, ErrStale, reasons.last.
func (s *Service) RetireReason(ctx context.Context, actor models.Actor, code string, version int) error {
	now := s.clock.Now()
	return s.changeReason(ctx, actor, now, code, version, func(r *models.Reason, all []models.Reason) error {
		if r.RetiredAt == nil && len(inUse(all)) == 1 {
			return errLastReason
		}
		if r.RetiredAt == nil {
			r.RetiredAt = &now
		}
		return nil
	})
}

// RestoreReason puts a retired reason back at its old position.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, ErrStale, reasons.tooMany, or labelEs or
// labelEn when another reason has taken its label.
func (s *Service) RestoreReason(ctx context.Context, actor models.Actor, code string, version int) error {
	now := s.clock.Now()
	return s.changeReason(ctx, actor, now, code, version, func(r *models.Reason, all []models.Reason) error {
		if r.RetiredAt != nil && len(inUse(all)) >= maxReasons {
			return &models.Error{Kind: models.KindConflict, Code: "reasons.tooMany"}
		}
		r.RetiredAt = nil
		return nil
	})
}

// changeReason changes one reason. A change without any difference is not recorded
// in the trail.
func (s *Service) changeReason(
	ctx context.Context, actor models.Actor, now time.Time, code string, version int,
	change func(r *models.Reason, all []models.Reason) error,
) error {
	if err := actor.Fresh(); err != nil {
		return err
	}
	return s.inReasons(ctx, actor, func(t database.Tx, all []models.Reason) error {
		r, err := findReason(all, code, version)
		if err != nil {
			return err
		}
		was := *r
		if err := change(r, all); err != nil {
			return err
		}
		renamed := r.LabelES != was.LabelES || r.LabelEN != was.LabelEN
		if !renamed && (r.RetiredAt == nil) == (was.RetiredAt == nil) {
			return nil
		}
		if renamed {
			if err := (ReasonInput{r.LabelES, r.LabelEN}).free(t); err != nil {
				return err
			}
		}
		columns := map[string]any{"label_es": r.LabelES, "label_en": r.LabelEN, "retired_at": r.RetiredAt, "version": r.Version + 1}
		if err := t.Model(&models.Reason{}).Where("code = ?", code).Updates(columns).Error; err != nil {
			return duplicateLabel(err, r, all)
		}
		about := audit.About{Before: was.Attributes(), After: r.Attributes()}
		return audit.Record(t, actor, now, models.ActionReasonsChanged, models.OutcomeSuccess, about)
	})
}

func findReason(all []models.Reason, code string, version int) (*models.Reason, error) {
	for i := range all {
		if all[i].Code != code {
			continue
		}
		if all[i].Version != version {
			return nil, models.ErrStale
		}
		return &all[i], nil
	}
	return nil, models.ErrNotFound
}

// MoveReason moves a reason one position up or down among those in use. At the end
// of the list nothing changes.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale.
func (s *Service) MoveReason(ctx context.Context, actor models.Actor, code string, version int, up bool) error {
	now := s.clock.Now()
	return s.inReasons(ctx, actor, func(t database.Tx, all []models.Reason) error {
		r, err := findReason(all, code, version)
		if err != nil {
			return err
		}
		used := inUse(all)
		before := codesOf(used)
		for i := range used {
			j := i + 1
			if up {
				j = i - 1
			}
			if used[i].Code == r.Code && j >= 0 && j < len(used) {
				used[i], used[j] = used[j], used[i]
				break
			}
		}
		if strings.Join(before, " ") == strings.Join(codesOf(used), " ") {
			return nil
		}
		for i := range used {
			columns := map[string]any{"position": i + 1}
			if used[i].Code == code {
				columns["version"] = version + 1
			}
			if err := t.Model(&models.Reason{}).Where("code = ?", used[i].Code).Updates(columns).Error; err != nil {
				return fmt.Errorf("put reason %s in place: %w", used[i].Code, err)
			}
		}
		return audit.Record(t, actor, now, models.ActionReasonsChanged, models.OutcomeSuccess,
			audit.About{Before: map[string]any{"order": before}, After: map[string]any{"order": codesOf(used)}})
	})
}

// inUse returns the reasons that can be chosen, in their order.
func inUse(all []models.Reason) []models.Reason {
	var used []models.Reason
	for _, r := range all {
		if r.RetiredAt == nil {
			used = append(used, r)
		}
	}
	return used
}

func codesOf(reasons []models.Reason) []string {
	codes := make([]string, len(reasons))
	for i := range reasons {
		codes[i] = reasons[i].Code
	}
	return codes
}

// duplicateLabel returns which of the labels another reason in use already has.
func duplicateLabel(err error, r *models.Reason, all []models.Reason) error {
	if !errors.Is(err, gorm.ErrDuplicatedKey) {
		return fmt.Errorf("write reason: %w", err)
	}
	for _, other := range inUse(all) {
		if other.Code != r.Code && strings.EqualFold(other.LabelES, r.LabelES) {
			return models.Invalid("labelEs", "reasons.taken")
		}
	}
	return models.Invalid("labelEn", "reasons.taken")
}

// freeCode derives a code from the English label, for exports and the trail: "Wrong
// size, again" becomes wrongSizeAgain. When that is taken, letters are appended.
func freeCode(label string, all []models.Reason) string {
	taken := map[string]bool{"required": true, "unknown": true} // used as codes of errors
	for i := range all {
		taken[all[i].Code] = true
	}
	var b strings.Builder
	word := false
	for _, r := range label {
		ascii := r < unicode.MaxASCII && unicode.IsLetter(r)
		switch {
		case ascii && b.Len() > 0 && !word:
			b.WriteRune(unicode.ToUpper(r))
		case ascii:
			b.WriteRune(unicode.ToLower(r))
		}
		word = ascii
		if b.Len() == 24 {
			break
		}
	}
	base := b.String()
	if len(base) < 2 {
		base = "reason"
	}
	code := base
	for n := 0; taken[code]; n++ {
		code = base + string(rune('A'+n/26%26)) + string(rune('A'+n%26))
	}
	return code
}
