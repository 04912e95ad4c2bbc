package oversight

import (
	"context"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/sales"
)

// PeriodUnit is the length of a period: a week or a month.
type PeriodUnit string

// The units. Weeks begin on Monday.
const (
	UnitWeek  PeriodUnit = "week"
	UnitMonth PeriodUnit = "month"
)

// PeriodUnits lists them in the order in which they are shown.
var PeriodUnits = []PeriodUnit{UnitWeek, UnitMonth}

// PeriodFilter selects the week or the month that a day belongs to. Zero values mean
// this week, and every store of the user.
type PeriodFilter struct {
	Unit    PeriodUnit
	From    models.Day // any day of the period, in the cut-off's time zone
	StoreID int64
}

// Days returns the first and the last day of the period.
func (f PeriodFilter) Days() (first, last models.Day) {
	day := f.From.Time(time.UTC)
	if f.Unit == UnitMonth {
		first = f.From.Plus(1 - day.Day())
		return first, models.Day(first.Time(time.UTC).AddDate(0, 1, -1).Format(time.DateOnly))
	}
	first = f.From.Plus(-(int(day.Weekday()) + 6) % 7)
	return first, first.Plus(6)
}

// Before is the previous period.
func (f PeriodFilter) Before() PeriodFilter { return f.beside(-1) }

// After is the next period.
func (f PeriodFilter) After() PeriodFilter { return f.beside(1) }

func (f PeriodFilter) beside(n int) PeriodFilter {
	first, last := f.Days()
	if n < 0 {
		f.From = first.Plus(-1)
	} else {
		f.From = last.Plus(1)
	}
	f.From, _ = f.Days()
	return f
}

// DaySums are a day's figures.
type DaySums struct {
	Day models.Day
	models.Sums
}

// PeriodFigures are the figures of a week or a month: for each of its days, also
// those without sales, and for each store that sold anything.
type PeriodFigures struct {
	Filter PeriodFilter // filled
	Total  models.Sums
	Days   []DaySums
	Stores []models.PlaceSums // the highest amount first
}

// Period adds up the days of a week or a month, for the actor's stores or one of
// them. It uses the stored sums of each day and reads only the sales with a
// cancellation.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the scope, date.invalid,
// filter.invalid for a unit that is none.
func (o *Service) Period(ctx context.Context, actor models.Actor, f PeriodFilter) (*PeriodFigures, error) {
	if !actor.May(models.Oversee) {
		return nil, models.ErrForbidden
	}
	if err := o.fillPeriod(&f); err != nil {
		return nil, err
	}
	stores, err := o.terminals.Scope(ctx, actor, f.StoreID)
	if err != nil {
		return nil, err
	}
	first, last := f.Days()
	p := &PeriodFigures{Filter: f}
	for day := first; day <= last; day = day.Next() {
		p.Days = append(p.Days, DaySums{Day: day})
	}
	rows, err := o.db.Query(ctx, periodSQL, stores, string(first), string(last))
	if err != nil {
		return nil, fmt.Errorf("add up from %s: %w", first, err)
	}
	sums, err := periodColumns.Collect(rows, nil)
	if err != nil {
		return nil, fmt.Errorf("add up from %s: %w", first, err)
	}
	for i := range sums {
		if x := &sums[i]; x.day == nil {
			p.Stores = append(p.Stores, x.PlaceSums)
		} else {
			p.Days[int(x.day.Sub(first.Time(time.UTC))/(24*time.Hour))].Sums = x.Sums
			p.Total.Add(&x.Sums)
		}
	}
	sales.SortPlaces(p.Stores)
	return p, nil
}

// periodSums are the sums of a day, or of a store in the whole period.
type periodSums struct {
	day *time.Time // nil for a store
	models.PlaceSums
}

var periodColumns = append(database.Columns[periodSums]{
	{Name: "day", At: func(s *periodSums) any { return &s.day }},
	{Name: "store_id", At: func(s *periodSums) any { return &s.StoreID }},
}, database.Within(func(s *periodSums) *models.Sums { return &s.Sums }, database.SumColumns)...)

func (o *Service) fillPeriod(f *PeriodFilter) error {
	if f.Unit == "" {
		f.Unit = UnitWeek
	}
	if !slices.Contains(PeriodUnits, f.Unit) {
		return models.Invalid("unit", "filter.invalid")
	}
	if f.From == "" {
		f.From = o.window().Calendar.Day(o.clock.Now())
	}
	// The calendar of addresses ends before that of PostgreSQL does.
	if day, err := models.ParseDay(string(f.From)); err != nil || day < "0002" || day > "9998" {
		return models.Invalid("from", "date.invalid")
	}
	return nil
}

// periodSQL adds up the stored sums of each day, and the sales with a cancellation
// whose result is open or was refused. A sale with several refused cancellations
// counts once.
const periodSQL = `WITH asked AS (
		SELECT DISTINCT sale_id FROM case_facts
		WHERE day BETWEEN $2 AND $3 AND store_id = ANY($1) AND state IN ` + models.OpenOrRejectedSQL + `),
	parts AS (
		SELECT business_day AS day, store_id, sales, amount, canceled, canceled_amount,
			0 AS doubt, 0 AS doubt_amount, 0 AS pending, 0 AS pending_amount, 0 AS rejected, 0 AS rejected_amount, open_cases
		FROM day_totals WHERE business_day BETWEEN $2 AND $3 AND store_id = ANY($1) AND sales > 0
		UNION ALL
		SELECT s.business_day, s.store_id, 0, 0, 0, 0,
			(s.state = ` + models.UnknownSQL + `)::int, CASE WHEN s.state = ` + models.UnknownSQL + ` THEN s.amount ELSE 0 END,
			(s.state IN ` + models.UnderWaySQL + `)::int, CASE WHEN s.state IN ` + models.UnderWaySQL + ` THEN s.amount ELSE 0 END,
			(s.state = ` + models.RejectedSQL + `)::int, CASE WHEN s.state = ` + models.RejectedSQL + ` THEN s.amount ELSE 0 END, 0
		FROM asked a JOIN sales s ON s.id = a.sale_id)
	SELECT day, coalesce(store_id, 0) AS store_id, sum(sales)::bigint AS sales, sum(amount)::bigint AS amount,
		sum(canceled)::bigint AS canceled, sum(canceled_amount)::bigint AS canceled_amount, sum(doubt)::bigint AS doubt,
		sum(doubt_amount)::bigint AS doubt_amount, sum(pending)::bigint AS pending, sum(pending_amount)::bigint AS pending_amount,
		sum(rejected)::bigint AS rejected, sum(rejected_amount)::bigint AS rejected_amount, sum(open_cases)::bigint AS open_cases
	FROM parts GROUP BY GROUPING SETS ((day), (store_id))`
