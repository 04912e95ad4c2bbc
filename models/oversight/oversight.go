package oversight

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/terminals"
)

// Service looks at who cancels, how much, and what of it is out of the
// ordinary. It changes nothing but what somebody notes of it: a number is a
// reason to look, never a verdict.
type Service struct {
	db        *database.DB
	clock     models.Clock
	window    func() models.Window
	terminals *terminals.Service
	mu        sync.Mutex
	counts    map[string]*database.Cache[int] // by scope: what nobody has looked at
}

// New makes the service.
func New(db *database.DB, clock models.Clock, window func() models.Window, t *terminals.Service) *Service {
	return &Service{db: db, clock: clock, window: window, terminals: t, counts: map[string]*database.Cache[int]{}}
}

// By is by what the report counts.
type By string

// By what cancellations are counted.
const (
	ByPerson   By = "person"   // who asked
	ByApprover By = "approver" // whose word it was: settled, by report, or asked again after "not canceled"
	ByReason   By = "reason"
	ByTerminal By = "terminal"
	ByStore    By = "store"
)

// Bys lists them in the order in which the report offers them.
var Bys = []By{ByPerson, ByApprover, ByReason, ByTerminal, ByStore}

// Filter says what is looked at. Fill gives what is not said its default.
type Filter struct {
	From, To models.Day // of the sales; days of the cut-off's zone, both included
	StoreID  int64
	By       By
	Kind     FindingKind // "" all that stand out
	Subject  string      // of one finding
	Minutes  int         // before the cut-off, that count as its last
	Times    int         // that a card comes again
	Days     int         // within which it does
}

// What the choices are; the first is the default.
var (
	MinuteChoices = []int{15, 5, 30, 60}
	TimeChoices   = []int{3, 2, 4, 5, 8}
	DayChoices    = []int{7, 1, 14, 28}
)

const (
	// defaultDays is how long the period is unless somebody says otherwise:
	// four weeks, so that each day of the week counts alike.
	defaultDays = 28
	// maxDays bounds the period: a quarter of a year.
	maxDays = 93
	// usualWeeks is how many weeks before the period an average is made of.
	usualWeeks = 8
)

// Fill gives what is not said its default, as of now.
func (o *Service) Fill(f Filter) Filter {
	if f.To == "" {
		f.To = o.window().Calendar.Day(o.clock.Now())
		if f.From > f.To {
			f.To = f.From
		}
	}
	if f.From == "" {
		f.From = f.To.Plus(1 - defaultDays)
	}
	if f.By == "" {
		f.By = ByPerson
	}
	for chosen, choices := range map[*int][]int{&f.Minutes: MinuteChoices, &f.Times: TimeChoices, &f.Days: DayChoices} {
		if *chosen == 0 {
			*chosen = choices[0]
		}
	}
	return f
}

// days is how many days the period has.
func (f Filter) days() int {
	return int(f.To.Time(time.UTC).Sub(f.From.Time(time.UTC))/(24*time.Hour)) + 1
}

// begin is the day from which anything is read: that of the average's first week.
func (f Filter) begin() models.Day { return f.From.Plus(-7 * usualWeeks) }

// check judges a filled filter.
func (f Filter) check() error {
	switch {
	case f.To < f.From:
		return models.Invalid("to", "oversight.reversed")
	case f.days() > maxDays:
		return models.Invalid("to", "oversight.tooLong")
	case !slices.Contains(Bys, f.By):
		return models.Invalid("by", "filter.invalid")
	case f.Kind != "" && !slices.Contains(FindingKinds, f.Kind):
		return models.Invalid("kind", "filter.invalid")
	case !slices.Contains(MinuteChoices, f.Minutes):
		return models.Invalid("minutes", "filter.invalid")
	case !slices.Contains(TimeChoices, f.Times):
		return models.Invalid("times", "filter.invalid")
	case !slices.Contains(DayChoices, f.Days):
		return models.Invalid("days", "filter.invalid")
	}
	return nil
}

// query is a question within a scope, ready to be asked.
type query struct {
	*Service
	Filter
	actor  models.Actor
	stores []int64 // that are looked into, all within the actor's scope
}

// newQuery judges who asks and what for.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the scope, what is wrong
// with the filter.
func (o *Service) newQuery(ctx context.Context, actor models.Actor, f Filter) (*query, error) {
	if !actor.May(models.Oversee) {
		return nil, models.ErrForbidden
	}
	f = o.Fill(f)
	if err := f.check(); err != nil {
		return nil, err
	}
	stores, err := o.terminals.Scope(ctx, actor, f.StoreID)
	if err != nil {
		return nil, err
	}
	return &query{Service: o, Filter: f, actor: actor, stores: stores}, nil
}

// allStores reports whether the look is into all stores that there are: only
// then is told what belongs to none.
func (l *query) allStores() bool { return l.actor.AllStores && l.StoreID == 0 }

// Read notes that somebody read a page of oversight, or took it along as a file.
func (o *Service) Read(ctx context.Context, actor models.Actor, page string, f Filter) error {
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
			told["subject"] = models.Legible(f.Subject, 100)
		}
	}
	err := o.db.InTx(ctx, func(t database.Tx) error {
		a := audit.About{After: told}
		if f.StoreID != 0 {
			a.Store = &models.Store{}
			if err := database.TakeRow(t.Where("id = ?", f.StoreID), a.Store); err != nil {
				return err
			}
		}
		return audit.Record(t, actor, o.clock.Now(), models.ActionOversightRead, models.OutcomeSuccess, a)
	})
	if err != nil {
		return fmt.Errorf("record reading of oversight: %w", err)
	}
	return nil
}
