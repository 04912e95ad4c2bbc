package oversight

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/terminals"
)

// Service reports who cancels, how much, and which of it is unusual. It only writes
// the notes that users add. A number is a reason to check, not a verdict.
type Service struct {
	db        *database.DB
	clock     models.Clock
	window    func() models.Window
	terminals *terminals.Service
	mu        sync.Mutex
	waiting   map[string]*database.Cache[[]Waiting] // unreviewed findings, by scope
}

// New makes the service.
func New(db *database.DB, clock models.Clock, window func() models.Window, t *terminals.Service) *Service {
	return &Service{db: db, clock: clock, window: window, terminals: t, waiting: map[string]*database.Cache[[]Waiting]{}}
}

// By is what the report groups by.
type By string

// What the report groups by.
const (
	ByPerson   By = "person"   // who requested it
	ByApprover By = "approver" // who approved it: by resolving it, by a report, or by requesting it again after "not canceled"
	ByReason   By = "reason"
	ByTerminal By = "terminal"
	ByStore    By = "store"
)

// Bys lists them in the order in which the report shows them.
var Bys = []By{ByPerson, ByApprover, ByReason, ByTerminal, ByStore}

// Filter selects what is reported. Fill sets the defaults of empty fields.
type Filter struct {
	From, To models.Day // days of the sales, in the cut-off's time zone, both included
	StoreID  int64
	By       By
	Kind     FindingKind // "" for all outliers
	Subject  string      // of one finding
	Minutes  int         // before the cut-off, that count as its last minutes
	Times    int         // how often a card must come again
	Days     int         // within how many days
}

// The choices; the first is the default.
var (
	MinuteChoices = []int{15, 5, 30, 60}
	TimeChoices   = []int{3, 2, 4, 5, 8}
	DayChoices    = []int{7, 1, 14, 28}
)

const (
	// defaultDays is the default length of the period: four weeks, so that each
	// weekday counts equally.
	defaultDays = 28
	// maxDays limits the period to a quarter of a year.
	maxDays = 93
	// usualWeeks is how many weeks before the period go into an average.
	usualWeeks = 8
)

// Fill sets the defaults of empty fields, as of now.
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

// begin is the first day that is read: the first day of the average's weeks.
func (f Filter) begin() models.Day { return f.From.Plus(-7 * usualWeeks) }

// check validates a filled filter.
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

// query is a validated request within a scope.
type query struct {
	*Service
	Filter
	actor  models.Actor
	stores []int64 // the stores that are read, all within the actor's scope
}

// newQuery checks the permission and the filter.
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

// rowsOf reads the rows of a query of the database into structs, by the names of their
// columns. Fields without a column stay empty.
func rowsOf[T any](ctx context.Context, l *query, sql string, args ...any) ([]T, error) {
	rows, _ := l.db.Query(ctx, sql, args...) // the rows have its error
	return pgx.CollectRows(rows, pgx.RowToStructByNameLax[T])
}

// allStores reports whether the query covers all stores. Only then is data included
// that belongs to no store.
func (l *query) allStores() bool { return l.actor.AllStores && l.StoreID == 0 }

// Read records in the trail that somebody read a page of oversight or downloaded it
// as a file.
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
