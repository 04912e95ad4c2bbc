package models

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Oversight looks at who cancels, how much, and what of it is out of the
// ordinary. It changes nothing but what somebody notes of it: a number is a
// reason to look, never a verdict.
type Oversight struct {
	db     *DB
	clock  Clock
	window func() Window
	mu     sync.Mutex
	counts map[string]*board[int] // by scope: what nobody has looked at
}

// NewOversight makes it for the back office whose cases they are.
func NewOversight(s *Cancellations) *Oversight {
	return &Oversight{db: s.db, clock: s.clock, window: s.Window, counts: map[string]*board[int]{}}
}

// OversightBy is by what the report counts.
type OversightBy string

// By what cancellations are counted.
const (
	ByPerson   OversightBy = "person"   // who asked
	ByApprover OversightBy = "approver" // whose word it was: settled, by report, or asked again after "not canceled"
	ByReason   OversightBy = "reason"
	ByTerminal OversightBy = "terminal"
	ByStore    OversightBy = "store"
)

// OversightBys lists them in the order in which the report offers them.
var OversightBys = []OversightBy{ByPerson, ByApprover, ByReason, ByTerminal, ByStore}

// OversightFilter says what is looked at. Fill gives what is not said its default.
type OversightFilter struct {
	From, To Day // of the sales; days of the cut-off's zone, both included
	StoreID  int64
	By       OversightBy
	Kind     FindingKind // "" all that stand out
	Subject  string      // of one finding
	Minutes  int         // before the cut-off, that count as its last
	Times    int         // that a card comes again
	Days     int         // within which it does
}

// What the choices are; the first is the default.
var (
	OversightMinutes = []int{15, 5, 30, 60}
	OversightTimes   = []int{3, 2, 4, 5, 8}
	OversightDays    = []int{7, 1, 14, 28}
)

const (
	// oversightSpan is how long the period is unless somebody says otherwise:
	// four weeks, so that each day of the week counts alike.
	oversightSpan = 28
	// oversightMost bounds the period: a quarter of a year.
	oversightMost = 93
	// usualWeeks is how many weeks before the period an average is made of.
	usualWeeks = 8
)

// Fill gives what is not said its default, as of now.
func (o *Oversight) Fill(f OversightFilter) OversightFilter {
	if f.To == "" {
		f.To = o.window().Calendar.Day(o.clock.Now())
		if f.From > f.To {
			f.To = f.From
		}
	}
	if f.From == "" {
		f.From = f.To.plus(1 - oversightSpan)
	}
	if f.By == "" {
		f.By = ByPerson
	}
	for chosen, choices := range map[*int][]int{&f.Minutes: OversightMinutes, &f.Times: OversightTimes, &f.Days: OversightDays} {
		if *chosen == 0 {
			*chosen = choices[0]
		}
	}
	return f
}

// plus is so many days later.
func (d Day) plus(days int) Day {
	return Day(d.Time(time.UTC).AddDate(0, 0, days).Format(time.DateOnly))
}

// days is how many days the period has.
func (f OversightFilter) days() int {
	return int(f.To.Time(time.UTC).Sub(f.From.Time(time.UTC))/(24*time.Hour)) + 1
}

// begin is the day from which anything is read: that of the average's first week.
func (f OversightFilter) begin() Day { return f.From.plus(-7 * usualWeeks) }

// check judges a filled filter.
func (f OversightFilter) check() error {
	switch {
	case f.To < f.From:
		return Invalid("to", "oversight.reversed")
	case f.days() > oversightMost:
		return Invalid("to", "oversight.tooLong")
	case !slices.Contains(OversightBys, f.By):
		return Invalid("by", "filter.invalid")
	case f.Kind != "" && !slices.Contains(FindingKinds, f.Kind):
		return Invalid("kind", "filter.invalid")
	case !slices.Contains(OversightMinutes, f.Minutes):
		return Invalid("minutes", "filter.invalid")
	case !slices.Contains(OversightTimes, f.Times):
		return Invalid("times", "filter.invalid")
	case !slices.Contains(OversightDays, f.Days):
		return Invalid("days", "filter.invalid")
	}
	return nil
}

// look is a question within a scope, ready to be asked.
type look struct {
	*Oversight
	OversightFilter
	actor  Actor
	stores []int64 // that are looked into, all within the actor's scope
}

// look judges who asks and what for.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the scope, what is wrong
// with the filter.
func (o *Oversight) look(ctx context.Context, actor Actor, f OversightFilter) (*look, error) {
	if !actor.May(Oversee) {
		return nil, ErrForbidden
	}
	f = o.Fill(f)
	if err := f.check(); err != nil {
		return nil, err
	}
	stores, err := o.db.scope(ctx, actor, f.StoreID)
	if err != nil {
		return nil, err
	}
	return &look{Oversight: o, OversightFilter: f, actor: actor, stores: stores}, nil
}

// everything reports whether the look is into all stores that there are: only
// then is told what belongs to none.
func (l *look) everything() bool { return l.actor.AllStores && l.StoreID == 0 }

// Read notes that somebody read a page of oversight, or took it along as a file.
func (o *Oversight) Read(ctx context.Context, actor Actor, page string, f OversightFilter) error {
	f = o.Fill(f)
	told := map[string]any{"page": page, "from": f.From, "to": f.To}
	switch page {
	case "report", "report.csv":
		told["by"] = f.By
	case "days":
	default:
		if f.Kind != "" {
			told["finding"] = f.Kind
		}
		if f.Subject != "" {
			told["subject"] = legible(f.Subject, 100)
		}
	}
	err := o.db.transaction(ctx, func(t tx) error {
		a := about{after: told}
		if f.StoreID != 0 {
			a.store = &Store{}
			if err := take(t.Where("id = ?", f.StoreID), a.store); err != nil {
				return err
			}
		}
		return t.record(actor, o.clock.Now(), ActionOversightRead, OutcomeSuccess, a)
	})
	if err != nil {
		return fmt.Errorf("record reading of oversight: %w", err)
	}
	return nil
}
