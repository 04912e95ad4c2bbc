package imports

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// AnswerStatus stores what a person says that the values of the status columns mean,
// in the order of StatusWords, and has the file checked again.
//
// Errors: a field, ErrState, ErrForbidden, ErrNotFound.
func (s *Service) AnswerStatus(ctx context.Context, actor models.Actor, id int64, version int, answers []Meaning) error {
	return s.inImport(ctx, actor, id, version, Checked, func(p *pass, _ *importer) error {
		words := p.imp.StatusWords()
		if len(words) == 0 || len(answers) != len(words) {
			return ErrState
		}
		before := stateAttributes(Checked)
		before["statusWords"] = meaningsOf(words)
		for i, meaning := range answers {
			if !slices.Contains(Meanings, meaning) {
				return errNoWord
			}
			if words[i].Meaning != meaning {
				words[i].Meaning, words[i].By = meaning, actor.Name
			}
		}
		if err := p.imp.setStatusWords(words); err != nil {
			return err
		}
		by, err := models.EncodeActor(actor)
		if err != nil {
			return err
		}
		p.imp.Actor, p.imp.HeldBack, p.imp.DoneCount = by, false, 0
		if err := p.move(Checking); err != nil {
			return err
		}
		if err := database.Enqueue(ctx, s.queue, p.Tx, models.Task{Kind: models.TaskImport, SubjectID: id}); err != nil {
			return err
		}
		after := p.imp.attributes()
		after["statusWords"] = meaningsOf(words)
		about := audit.About{Before: before, After: after}
		return audit.Record(p.Tx, actor, p.now, models.ActionImportAnswered, models.OutcomeSuccess, about)
	})
}

// meaningsOf are the values and what they mean, for the trail.
func meaningsOf(words []StatusWord) []string {
	said := make([]string, len(words))
	for i, w := range words {
		said[i] = w.Word + ": " + string(w.Meaning)
	}
	return said
}

func (i *Import) setStatusWords(words []StatusWord) error {
	if words == nil {
		words = []StatusWord{}
	}
	b, err := json.Marshal(words)
	if err != nil {
		return fmt.Errorf("encode status words: %w", err)
	}
	i.Statuses = b
	return nil
}
