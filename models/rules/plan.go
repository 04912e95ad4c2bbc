package rules

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"veinte/models"
)

// Input is what an administrator wants the rules to be, as typed. A field that was
// not touched is not changed, even if someone else has changed it since.
type Input struct {
	Seen                          Shown
	Cutoff                        string // HH:MM
	Margin, Answer, Result, Quiet string // seconds
	PrintReceipt, ManagersResolve bool
	Receipts                      []ReceiptInput
	From                          string // a day, 2026-11-21; "": at once
	LaterCutoff                   bool   // "yes, later than the service takes requests"
	Note                          string // why; optional
	Click                         string // drawn with the preview
}

// ReceiptInput is the receipt setting of a store or a reason.
type ReceiptInput struct {
	StoreID int64
	Reason  string
	Print   string // ReceiptGeneral, ReceiptPrint or ReceiptOmit
}

// The choices of a store's or a reason's receipt.
const (
	ReceiptGeneral = ""
	ReceiptPrint   = "print"
	ReceiptOmit    = "omit"
)

// Shown identifies the rules that a form was rendered with.
type Shown struct {
	Revision int
	At       time.Time
}

// Input returns the rules in force at an instant, as a form shows them.
func (s *Schedule) Input(now time.Time) Input {
	r := s.At(now)
	seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
	in := Input{
		Seen: Shown{Revision: s.Revision(), At: now.Truncate(time.Microsecond)}, Cutoff: r.Cutoff.String(),
		Margin: seconds(r.Margin), Answer: seconds(r.Answer), Result: seconds(r.Result), Quiet: seconds(r.Quiet),
		PrintReceipt: r.PrintReceipt, ManagersResolve: r.ManagersResolve,
	}
	for _, id := range slices.Sorted(maps.Keys(r.StoreReceipts)) {
		in.Receipts = append(in.Receipts, ReceiptInput{StoreID: id, Print: receiptValue(r.StoreReceipts[id])})
	}
	for _, code := range slices.Sorted(maps.Keys(r.ReasonReceipts)) {
		in.Receipts = append(in.Receipts, ReceiptInput{Reason: code, Print: receiptValue(r.ReasonReceipts[code])})
	}
	return in
}

// names reports whether the input sets the receipt of this store or reason.
func (in *Input) names(r ReceiptInput) bool {
	return slices.ContainsFunc(in.Receipts, func(o ReceiptInput) bool { return o.StoreID == r.StoreID && o.Reason == r.Reason })
}

func receiptValue(print bool) string {
	if print {
		return ReceiptPrint
	}
	return ReceiptOmit
}

// Rebase applies the fields that were changed in an input to the current rules.
// Untouched fields get the current values, so nobody's change is undone unnoticed.
func (s *Schedule) Rebase(in Input, now time.Time) Input {
	was, is := s.Input(in.Seen.At), s.Input(now)
	keep := func(into *string, typed, shown string) {
		if typed != shown {
			*into = typed
		}
	}
	keep(&is.Cutoff, in.Cutoff, was.Cutoff)
	keep(&is.Margin, in.Margin, was.Margin)
	keep(&is.Answer, in.Answer, was.Answer)
	keep(&is.Result, in.Result, was.Result)
	keep(&is.Quiet, in.Quiet, was.Quiet)
	if in.PrintReceipt != was.PrintReceipt {
		is.PrintReceipt = in.PrintReceipt
	}
	if in.ManagersResolve != was.ManagersResolve {
		is.ManagersResolve = in.ManagersResolve
	}
	for _, r := range in.Receipts {
		general := r.Print == ReceiptGeneral && !was.names(r)
		if !general && !slices.Contains(was.Receipts, r) {
			is.Receipts = slices.DeleteFunc(is.Receipts, func(o ReceiptInput) bool { return o.StoreID == r.StoreID && o.Reason == r.Reason })
			is.Receipts = append(is.Receipts, r)
		}
	}
	is.From, is.Note, is.LaterCutoff, is.Click = in.From, in.Note, in.LaterCutoff, in.Click
	return is
}

// Plan is the effect of a change.
type Plan struct {
	EffectiveAt   time.Time
	AtOnce        bool
	Change        Change
	Before, After Rules    // at EffectiveAt
	Warnings      []string // catalogue keys of what to consider first
	Note          string
	day           models.Day // it takes effect at its beginning; "": at once
}

// Refusals are the errors of one form.
type Refusals []*models.Error

func (r Refusals) Error() string { return errors.Join(r.Unwrap()...).Error() }

// Unwrap lets errors.As find the first one.
func (r Refusals) Unwrap() []error {
	all := make([]error, len(r))
	for i, e := range r {
		all[i] = e
	}
	return all
}

// PlanRules returns the effect of a change without writing anything.
//
// Errors: ErrForbidden, ErrStale when the rules were changed since they were shown,
// or Refusals by field.
func (s *Service) PlanRules(ctx context.Context, actor models.Actor, in Input) (*Plan, error) {
	if !actor.May(models.ManageSettings) {
		return nil, models.ErrForbidden
	}
	schedule, err := s.readSchedule(s.db.Gorm().WithContext(ctx))
	if err != nil {
		return nil, err
	}
	return s.plan(schedule, in, s.clock.Now())
}

// planning checks an input against the rules that it was typed over.
type planning struct {
	in       Input
	now      time.Time
	schedule *Schedule
	window   models.Window // of the schedule
	shown    Rules
	plan     Plan
	refused  Refusals
}

func (s *Service) plan(schedule *Schedule, in Input, now time.Time) (*Plan, error) {
	if in.Seen.Revision != schedule.Revision() || in.Seen.At.After(now) {
		return nil, models.ErrStale
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
	if in.ManagersResolve != p.shown.ManagersResolve {
		p.plan.Change.ManagersResolve = &in.ManagersResolve
	}
	if len(p.refused) == 0 && p.plan.Change.empty() {
		p.refuse("", "rules.nothing")
	}
	if len(p.refused) > 0 {
		return nil, p.refused
	}
	p.plan.Before = schedule.At(p.plan.EffectiveAt)
	p.plan.After = p.plan.Before.after(p.plan.Change)
	if p.plan.Before.equal(p.plan.After) {
		p.refuse("from", "rules.plannedAlready")
		return nil, p.refused
	}
	p.warn()
	return &p.plan, nil
}
