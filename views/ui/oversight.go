package ui

import (
	"context"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/views/locale"
)

// Period is one that people ask for by name.
type Period struct {
	Key      string
	From, To models.Day
}

// Periods are those of the calendar of the cut-off's zone; weeks begin on Monday.
func (p Page) Periods() []Period {
	today := p.Today().Time(time.UTC)
	day := func(t time.Time) models.Day { return models.Day(t.Format(time.DateOnly)) }
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	first := today.AddDate(0, 0, 1-today.Day())
	return []Period{
		{"oversight.lastFour", day(today.AddDate(0, 0, -27)), day(today)},
		{"oversight.thisWeek", day(monday), day(today)},
		{"oversight.lastWeek", day(monday.AddDate(0, 0, -7)), day(monday.AddDate(0, 0, -1))},
		{"oversight.thisMonth", day(first), day(today)},
		{"oversight.lastMonth", day(first.AddDate(0, -1, 0)), day(first.AddDate(0, 0, -1))},
	}
}

// PartOf writes a share as a percentage.
func PartOf(part, whole int64) string {
	if whole == 0 {
		return "–"
	}
	return Decimal(100*float64(part)/float64(whole)) + " %"
}

func Decimal(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// SpanWords is a period of days.
func SpanWords(ctx context.Context, from, to models.Day) string {
	return locale.T(ctx, "oversight.span", "From", Day(ctx, from), "To", Day(ctx, to))
}

func DecimalTwo(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }

// Described ties a field to its refusal.
func Described(errs Errors, name string) templ.OrderedAttributes {
	if errs[name] == "" {
		return nil
	}
	return templ.OrderedAttributes{{Key: "aria-invalid", Value: "true"}, {Key: "aria-describedby", Value: "e-" + name}}
}
