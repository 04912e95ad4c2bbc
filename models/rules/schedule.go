package rules

import (
	"slices"
	"time"

	"veinte/models"
)

// Schedule is every version of the rules, over the values that the server was
// started with.
type Schedule struct {
	first    Rules
	calendar models.Calendar // with the first cut-off
	versions []Version       // in the order in which they take effect
}

// firstSchedule is the schedule without any version: the values that the server was
// started with. Receipts are printed by default.
func firstSchedule(w models.Window, waits models.Waits) *Schedule {
	return &Schedule{calendar: w.Calendar, first: Rules{
		Cutoff: w.Calendar.Standard, Margin: w.Margin,
		Answer: waits.Answer, Result: waits.Result, Quiet: waits.Quiet, PrintReceipt: true,
	}}
}

// with returns the schedule with these versions, in the order in which they take
// effect. Receipts are passed separately because only pages need them.
func (s *Schedule) with(versions []Version, receipts map[int64][]ReceiptChange) *Schedule {
	next := &Schedule{first: s.first, calendar: s.calendar, versions: versions}
	var changes []models.CutoffChange
	for i := range versions {
		v := &versions[i]
		v.Receipts = receipts[v.ID]
		if v.WithdrawnAt == nil && v.Cutoff != nil {
			changes = append(changes, models.CutoffChange{From: v.EffectiveAt, Cutoff: *v.Cutoff})
		}
	}
	next.calendar = s.calendar.With(changes...)
	return next
}

// Calendar returns the calendar that assigns a sale to a day, with the cut-off of
// every day.
func (s *Schedule) Calendar() models.Calendar { return s.calendar }

// Revision counts the versions and their withdrawals. It changes with every change
// of the rules.
func (s *Schedule) Revision() int {
	n := len(s.versions)
	for i := range s.versions {
		if s.versions[i].WithdrawnAt != nil {
			n++
		}
	}
	return n
}

// At returns the rules in force at an instant. The cut-off is that of its day.
func (s *Schedule) At(t time.Time) Rules {
	r := s.first.clone()
	for i := range s.versions {
		if v := &s.versions[i]; v.inForce(t) {
			r.apply(v.Change)
		}
	}
	local := s.calendar.Cutoff(t)
	r.Cutoff = models.TimeOfDay(local.Hour()*60 + local.Minute())
	return r
}

// times returns only the durations in force at an instant. It is separate from At
// because every page needs it.
func (s *Schedule) times(t time.Time) Rules {
	r := s.first
	for i := range s.versions {
		if v := &s.versions[i]; v.inForce(t) {
			r.applyTimes(v.Change)
		}
	}
	return r
}

// Planned returns the versions that have not taken effect yet, the soonest first.
func (s *Schedule) Planned(now time.Time) []Version {
	var planned []Version
	for _, v := range s.versions {
		if v.Planned(now) {
			planned = append(planned, v)
		}
	}
	return planned
}

// PastRules is a version with the rules before and after it.
type PastRules struct {
	Version
	Before, After Rules
}

// History returns every version, the last to take effect first, each with the rules
// before and after it. A withdrawn version shows what it would have changed.
func (s *Schedule) History() []PastRules {
	past := make([]PastRules, 0, len(s.versions))
	r := s.first
	for _, v := range s.versions {
		after := r.after(v.Change)
		past = append(past, PastRules{Version: v, Before: r, After: after})
		if v.WithdrawnAt == nil {
			r = after
		}
	}
	slices.Reverse(past)
	return past
}
