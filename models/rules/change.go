package rules

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Change writes a version of the rules. It waits for the requests and attempts that
// are being written; later ones use the new rules. Repeating the same click writes
// no second version.
//
// Errors: as PlanRules.
func (s *Service) Change(ctx context.Context, actor models.Actor, in Input) error {
	if !actor.May(models.ManageSettings) {
		return models.ErrForbidden
	}
	if err := actor.Fresh(); err != nil {
		return err
	}
	if in.Click == "" || len(in.Click) > 64 || !models.Storable(in.Click) {
		return models.Invalid("click", "error.badRequest")
	}
	defer s.rules.Forget()
	err := s.db.InTx(ctx, func(t database.Tx) error {
		if err := StopSending(t); err != nil {
			return err
		}
		var again int64
		if err := t.Model(&Version{}).Where("click = ?", in.Click).Count(&again).Error; err != nil || again > 0 {
			return err
		}
		schedule, err := s.readSchedule(t.DB)
		if err != nil {
			return err
		}
		now := s.clock.Now().Truncate(time.Microsecond) // PostgreSQL stores microseconds
		plan, err := s.plan(schedule, in, now)
		if err != nil {
			return err
		}
		return writeRules(t, actor, now, plan, in.Click)
	})
	if err != nil {
		return fmt.Errorf("change rules: %w", err)
	}
	return nil
}

// writeRules adds the version and its audit entry.
func writeRules(t database.Tx, actor models.Actor, now time.Time, plan *Plan, click string) error {
	v := Version{
		SetAt: now, SetBy: actor.Name, EffectiveAt: plan.EffectiveAt, Note: plan.Note, Click: click, Change: plan.Change,
	}
	if plan.AtOnce {
		v.SetAt = plan.EffectiveAt
	}
	if err := t.Create(&v).Error; err != nil {
		return fmt.Errorf("write rules: %w", err)
	}
	for _, r := range plan.Change.Receipts {
		if err := knows(t, r); err != nil {
			return err
		}
		err := t.Exec("INSERT INTO rule_receipts (rules_id, store_id, reason, print) VALUES (?, ?, ?, ?)",
			v.ID, r.StoreID, r.Reason, r.Print).Error
		if err != nil {
			return fmt.Errorf("write receipt of the rules: %w", err)
		}
	}
	before, after, err := ruleAttributes(t, plan.Change, plan.Before, plan.After)
	if err != nil {
		return err
	}
	if !plan.AtOnce {
		after["effectiveAt"] = plan.day
	}
	about := audit.About{Before: before, After: after, Reason: plan.Note}
	return audit.Record(t, actor, now, models.ActionRulesChanged, models.OutcomeSuccess, about)
}

// knows refuses a receipt setting of a store or a reason that does not exist.
func knows(t database.Tx, r ReceiptChange) error {
	if r.Reason != nil {
		if err := database.TakeRow(t.Where("code = ?", *r.Reason), &models.Reason{}); err == models.ErrNotFound {
			return models.Invalid("receipt."+*r.Reason, "reason.unknown")
		} else if err != nil {
			return err
		}
		return nil
	}
	if err := database.TakeRow(t.Where("id = ?", *r.StoreID), &models.Store{}); err == models.ErrNotFound {
		return models.Invalid("receiptStore."+strconv.FormatInt(*r.StoreID, 10), "store.unknown")
	} else if err != nil {
		return err
	}
	return nil
}

// ruleAttributes returns a change's attributes for the trail, before and after.
// Stores and reasons are written by their codes; null means "as the general rule".
func ruleAttributes(t database.Tx, c Change, before, after Rules) (was, is map[string]any, err error) {
	was, is = map[string]any{}, map[string]any{}
	tell := func(name string, changed bool, b, a any) {
		if changed {
			was[name], is[name] = b, a
		}
	}
	tell("cutoff", c.Cutoff != nil, before.Cutoff.String(), after.Cutoff.String())
	tell("marginSeconds", c.Margin != nil, before.Margin.Seconds(), after.Margin.Seconds())
	tell("answerSeconds", c.Answer != nil, before.Answer.Seconds(), after.Answer.Seconds())
	tell("resultSeconds", c.Result != nil, before.Result.Seconds(), after.Result.Seconds())
	tell("quietSeconds", c.Quiet != nil, before.Quiet.Seconds(), after.Quiet.Seconds())
	tell("printReceipt", c.PrintReceipt != nil, before.PrintReceipt, after.PrintReceipt)
	tell("managersSettle", c.ManagersResolve != nil, before.ManagersResolve, after.ManagersResolve)
	for _, r := range c.Receipts {
		name, key, b, a := "reasonReceipts", "", any(nil), any(nil)
		if r.Reason != nil {
			key, b, a = *r.Reason, setting(before.ReasonReceipts, *r.Reason), setting(after.ReasonReceipts, *r.Reason)
		} else {
			var store models.Store
			if err := database.TakeRow(t.Where("id = ?", *r.StoreID), &store); err != nil {
				return nil, nil, fmt.Errorf("name store %d: %w", *r.StoreID, err)
			}
			name, key, b, a = "storeReceipts", store.Code, setting(before.StoreReceipts, *r.StoreID), setting(after.StoreReceipts, *r.StoreID)
		}
		if was[name] == nil {
			was[name], is[name] = map[string]any{}, map[string]any{}
		}
		was[name].(map[string]any)[key], is[name].(map[string]any)[key] = b, a
	}
	return was, is, nil
}

// setting returns a map's value for a key, or nil when there is none.
func setting[K comparable](m map[K]bool, key K) any {
	if v, ok := m[key]; ok {
		return v
	}
	return nil
}

// errWithdrawn and errInForce are the reasons why a version cannot be withdrawn.
var (
	errWithdrawn = &models.Error{Kind: models.KindConflict, Code: "rules.alreadyTakenBack"}
	errInForce   = &models.Error{Kind: models.KindConflict, Code: "rules.alreadyInForce"}
)

// WithdrawChange withdraws a planned version before it takes effect.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, rules.alreadyTakenBack,
// rules.alreadyInForce.
func (s *Service) WithdrawChange(ctx context.Context, actor models.Actor, id int64) error {
	if !actor.May(models.ManageSettings) {
		return models.ErrForbidden
	}
	if err := actor.Fresh(); err != nil {
		return err
	}
	defer s.rules.Forget()
	return s.db.InTx(ctx, func(t database.Tx) error {
		if err := StopSending(t); err != nil {
			return err
		}
		schedule, err := s.readSchedule(t.DB)
		if err != nil {
			return err
		}
		past, err := schedule.find(id)
		if err != nil {
			return err
		}
		now := s.clock.Now().Truncate(time.Microsecond)
		switch {
		case past.WithdrawnAt != nil:
			return errWithdrawn
		case !past.Planned(now):
			return errInForce
		}
		err = t.Model(&Version{}).Where("id = ?", id).Updates(map[string]any{"taken_back_at": now, "taken_back_by": actor.Name}).Error
		if err != nil {
			return fmt.Errorf("take rules %d back: %w", id, err)
		}
		// A withdrawal is the change in reverse: after becomes before.
		after, before, err := ruleAttributes(t, past.Change, past.Before, past.After)
		if err != nil {
			return err
		}
		before["effectiveAt"] = schedule.Calendar().Day(past.EffectiveAt)
		return audit.Record(t, actor, now, models.ActionRulesWithdrawn, models.OutcomeSuccess, audit.About{Before: before, After: after})
	})
}

func (s *Schedule) find(id int64) (*PastRules, error) {
	for _, past := range s.History() {
		if past.ID == id {
			return &past, nil
		}
	}
	return nil, models.ErrNotFound
}
