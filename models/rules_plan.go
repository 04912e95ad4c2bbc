package models

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// RulesInput is what an administrator wants the rules to be, as typed. What is
// as it was shown is not changed, whatever has been changed since by others.
type RulesInput struct {
	Seen                          RulesSeen
	Cutoff                        string // HH:MM
	Margin, Answer, Result, Quiet string // seconds
	PrintReceipt, ManagersSettle  bool
	Receipts                      []ReceiptInput
	From                          string // a day, 2026-11-21; "": at once
	LaterCutoff                   bool   // "yes, later than the service takes requests"
	Note                          string // why; optional
	Click                         string // drawn with the preview
}

// ReceiptInput is a store or a reason with what the sheet starts with there.
type ReceiptInput struct {
	StoreID int64
	Reason  string
	Print   string // one of ReceiptWords
}

// ReceiptWords are the choices of a store's or a reason's receipt.
const (
	ReceiptGeneral = ""
	ReceiptPrint   = "print"
	ReceiptOmit    = "omit"
)

// RulesSeen says which rules a form was drawn with.
type RulesSeen struct {
	Revision int
	At       time.Time
}

// Input returns the rules of an instant as a form shows them.
func (s *Schedule) Input(now time.Time) RulesInput {
	r := s.At(now)
	seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
	return RulesInput{
		Seen: RulesSeen{Revision: s.Revision(), At: now.Truncate(time.Microsecond)}, Cutoff: r.Cutoff.String(),
		Margin: seconds(r.Margin), Answer: seconds(r.Answer), Result: seconds(r.Result), Quiet: seconds(r.Quiet),
		PrintReceipt: r.PrintReceipt, ManagersSettle: r.ManagersSettle,
	}
}

// RulesPlan is what a change would come to.
type RulesPlan struct {
	EffectiveAt   time.Time
	AtOnce        bool
	Change        RulesChange
	Before, After Rules    // at EffectiveAt
	Warnings      []string // catalogue keys of what to think about first
	Note          string
}

// Refusals are several refusals of one form.
type Refusals []*Error

func (r Refusals) Error() string { return errors.Join(r.Unwrap()...).Error() }

// Unwrap lets errors.As find the first.
func (r Refusals) Unwrap() []error {
	all := make([]error, len(r))
	for i, e := range r {
		all[i] = e
	}
	return all
}

// PlanRules returns what a change would come to, and writes nothing.
//
// Errors: ErrForbidden, ErrStale when the rules were changed since they were
// shown, or Refusals by field.
func (s *Cancellations) PlanRules(ctx context.Context, actor Actor, in RulesInput) (*RulesPlan, error) {
	if !actor.May(ManageSettings) {
		return nil, ErrForbidden
	}
	schedule, err := s.readSchedule(s.db.gorm.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	return s.plan(schedule, in, s.clock.Now())
}

// planning judges an input against the rules that it was typed over.
type planning struct {
	in       RulesInput
	now      time.Time
	schedule *Schedule
	window   Window // by the schedule
	shown    Rules
	plan     RulesPlan
	refused  Refusals
}

func (s *Cancellations) plan(schedule *Schedule, in RulesInput, now time.Time) (*RulesPlan, error) {
	if in.Seen.Revision != schedule.Revision() || in.Seen.At.After(now) {
		return nil, ErrStale
	}
	p := &planning{in: in, now: now, schedule: schedule, window: s.windowBy(schedule, now), shown: schedule.At(in.Seen.At)}
	p.times()
	p.receipts()
	p.note()
	p.from()
	p.cutoff()
	if in.PrintReceipt != p.shown.PrintReceipt {
		p.plan.Change.PrintReceipt = &in.PrintReceipt
	}
	if in.ManagersSettle != p.shown.ManagersSettle {
		p.plan.Change.ManagersSettle = &in.ManagersSettle
	}
	if len(p.refused) == 0 && p.plan.Change.empty() {
		p.refuse("", "rules.nothing")
	}
	if len(p.refused) > 0 {
		return nil, p.refused
	}
	p.plan.Before = schedule.At(p.plan.EffectiveAt)
	p.plan.After = p.plan.Before.after(p.plan.Change)
	p.warn()
	return &p.plan, nil
}
