package proposals

import (
	"encoding/json"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Ask asks for rights in the transaction of the change that they are part of. It takes the
// place of what was asked for before.
func Ask(t database.Tx, actor models.Actor, p *Proposal, now time.Time) error {
	if err := Lapse(t, actor, p.Subject(), now); err != nil {
		return err
	}
	p.AskedBy, p.AskedByName, p.AskedAt, p.ExpiresAt = actor.UserID, actor.Name, now, now.Add(Life)
	if err := t.Create(p).Error; err != nil {
		return fmt.Errorf("ask for the rights of %s: %w", p.Name, err)
	}
	return audit.Record(t, actor, now, models.ActionRightsAsked, models.OutcomeSuccess, p.about())
}

// about is what the trail says of a proposal: the rights of before, and those it is for.
func (p *Proposal) about() audit.About {
	return audit.About{Before: p.attributes(&p.Before), After: p.attributes(&p.After)}
}

func (p *Proposal) attributes(of *models.Rights) map[string]any {
	told := map[string]any{}
	raw, _ := json.Marshal(of) // it holds nothing that cannot be written
	_ = json.Unmarshal(raw, &told)
	if told["name"], told["askedBy"], told["until"] = p.Name, p.AskedByName, p.ExpiresAt.UTC(); p.Email != "" {
		told["email"] = p.Email
	}
	return told
}

// Lapse ends what waits of a subject whose rights the actor changed otherwise, or ended.
func Lapse(t database.Tx, actor models.Actor, of Subject, now time.Time) error {
	if of.Kind == OfKey {
		return lapse(t, actor, now, map[string]any{"user": 0, "key": of.ID, "asker": 0})
	}
	return lapse(t, actor, now, map[string]any{"user": of.ID, "key": 0, "asker": 0})
}

// LapseOf ends what somebody asked for who is no longer an administrator.
func LapseOf(t database.Tx, actor models.Actor, asker int64, now time.Time) error {
	return lapse(t, actor, now, map[string]any{"user": 0, "key": 0, "asker": asker})
}

func lapse(t database.Tx, actor models.Actor, now time.Time, of map[string]any) error {
	var open []Proposal
	err := t.Where("ended_at IS NULL AND (user_id = @user OR key_id = @key OR asked_by = @asker)", of).Order("id").Find(&open).Error
	if err != nil {
		return fmt.Errorf("look for proposals: %w", err)
	}
	for i := range open {
		if err := end(t, actor, &open[i], Lapsed, now); err != nil {
			return err
		}
	}
	return nil
}

// end ends a proposal that gives nothing.
func end(t database.Tx, actor models.Actor, p *Proposal, by End, now time.Time) error {
	return endWith(t, actor, p, by, now, p.about())
}

// endWith ends a proposal, with its entry.
func endWith(t database.Tx, actor models.Actor, p *Proposal, by End, now time.Time, about audit.About) error {
	if err := t.Exec("UPDATE proposals SET ended_at = ?, ended_by = ? WHERE id = ?", now, by, p.ID).Error; err != nil {
		return fmt.Errorf("end proposal %d: %w", p.ID, err)
	}
	return audit.Record(t, actor, now, actions[by], models.OutcomeSuccess, about)
}
