package models_test

import (
	"testing"
	"time"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/modelstest"
)

func mexico(tb testing.TB) models.Calendar {
	tb.Helper()
	c, err := models.NewCalendar("20:00", "America/Mexico_City")
	if err != nil {
		tb.Fatalf("NewCalendar() = %v", err)
	}
	return c
}

func TestCutoff(t *testing.T) {
	t.Parallel()
	tests := []struct{ fact, sale, want string }{
		{"the same day at 20:00", "2026-03-10T09:00:00-06:00", "2026-03-10T20:00:00-06:00"},
		{"midnight begins the day", "2026-03-10T00:00:00-06:00", "2026-03-10T20:00:00-06:00"},
		{"a nanosecond before midnight ends it", "2026-03-10T23:59:59.999999999-06:00", "2026-03-10T20:00:00-06:00"},
		{"the UTC date is already tomorrow", "2026-03-11T01:59:59Z", "2026-03-10T20:00:00-06:00"},
		{"a sale after the cut-off was never in time", "2026-03-10T21:00:00-06:00", "2026-03-10T20:00:00-06:00"},
		{"no daylight saving in July", "2026-07-10T12:00:00-06:00", "2026-07-10T20:00:00-06:00"},
		{"noon in Tijuana in July", "2026-07-10T12:00:00-07:00", "2026-07-10T20:00:00-06:00"},
		{"just past midnight in Cancún is still yesterday", "2026-03-11T00:30:00-05:00", "2026-03-10T20:00:00-06:00"},
		{"leap day", "2028-02-29T10:00:00-06:00", "2028-02-29T20:00:00-06:00"},
		{"the last day of the year", "2026-12-31T23:00:00-06:00", "2026-12-31T20:00:00-06:00"},
	}
	for _, tt := range tests {
		got, want := mexico(t).Cutoff(modelstest.At(t, tt.sale)), modelstest.At(t, tt.want)
		if !got.Equal(want) {
			t.Errorf("%s: Cutoff(%s) = %s, want %s", tt.fact, tt.sale, got, want)
		}
	}
}

// soldAt is a sale that arrived when it was made.
func soldAt(w models.Window, at time.Time) *models.Sale {
	return &models.Sale{SoldAt: at, CutoffAt: w.Calendar.Cutoff(at)}
}

func TestWindowOpen(t *testing.T) {
	t.Parallel()
	ahead := func(d time.Duration) func() time.Duration { return func() time.Duration { return d } }
	const noon = "2026-03-10T12:00:00-06:00"
	tests := []struct {
		fact      string
		sale, now string
		ahead     func() time.Duration
		want      bool
	}{
		{"at once", noon, noon, nil, true},
		{"a nanosecond before the margin", noon, "2026-03-10T19:59:54.999999999-06:00", nil, true},
		{"at the margin", noon, "2026-03-10T19:59:55-06:00", nil, false},
		{"at the cut-off itself", noon, "2026-03-10T20:00:00-06:00", nil, false},
		{"late in the evening", noon, "2026-03-10T23:59:59-06:00", nil, false},
		{"the next morning", noon, "2026-03-11T09:00:00-06:00", nil, false},
		{"the day before", noon, "2026-03-09T12:00:00-06:00", nil, false},
		{"a month later, same day of the month", noon, "2026-04-10T12:00:00-06:00", nil, false},
		{"a year later", noon, "2027-03-10T12:00:00-06:00", nil, false},
		{"a sale made at 20:00 was never in time", "2026-03-10T20:00:00-06:00", "2026-03-10T20:00:00-06:00", nil, false},
		{"a sale made after 20:00 was never in time", "2026-03-10T21:00:00-06:00", "2026-03-10T21:00:01-06:00", nil, false},
		{"nor is it in time by a clock that went back", "2026-03-10T21:00:00-06:00", noon, nil, false},
		{"a service ahead by 10 s closes 10 s sooner", noon, "2026-03-10T19:59:45-06:00", ahead(10 * time.Second), false},
		{"and not sooner than that", noon, "2026-03-10T19:59:44-06:00", ahead(10 * time.Second), true},
		{"a service behind gains us nothing", noon, "2026-03-10T19:59:55-06:00", ahead(-time.Hour), false},
		{"nor takes anything", noon, "2026-03-10T19:59:54-06:00", ahead(-time.Hour), true},
	}
	for _, tt := range tests {
		w := models.Window{Calendar: mexico(t), Margin: 5 * time.Second, Ahead: tt.ahead}
		if got := w.Open(soldAt(w, modelstest.At(t, tt.sale)), modelstest.At(t, tt.now)); got != tt.want {
			t.Errorf("%s: Open(%s, %s) = %t, want %t", tt.fact, tt.sale, tt.now, got, tt.want)
		}
	}
}

// TestEveryDayOfFiveYears checks every hour of 2026 to 2030 in ten time zones of the
// country and its neighbours.
func TestEveryDayOfFiveYears(t *testing.T) {
	t.Parallel()
	zones := []string{
		"America/Mexico_City", "America/Cancun", "America/Hermosillo", "America/Tijuana", "America/Chihuahua",
		"America/Ojinaga", "America/Ciudad_Juarez", "America/Matamoros", "America/Mazatlan", "UTC",
	}
	calendar := mexico(t)
	w := models.Window{Calendar: calendar, Margin: 5 * time.Second, Ahead: func() time.Duration { return 2 * time.Second }}
	for _, name := range zones {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatalf("zone %s: %v", name, err)
		}
		end := time.Date(2031, 1, 1, 0, 0, 0, 0, zone)
		for at := time.Date(2026, 1, 1, 0, 0, 0, 0, zone); at.Before(end); at = at.Add(time.Hour) {
			cutoff := calendar.Cutoff(at)
			there := at.In(calendar.Zone())
			y, m, d := there.Date()
			cy, cm, cd := cutoff.Date()
			if cy != y || cm != m || cd != d || cutoff.Format("15:04:05") != "20:00:00" {
				t.Fatalf("Cutoff(%s) = %s, want 20:00 on the day it is in Mexico City, %s", at, cutoff, there)
			}
			if closes := w.DayCloses(at); closes.After(cutoff.Add(-w.Margin)) {
				t.Fatalf("Closes(%s) = %s, want no later than the margin before %s", at, closes, cutoff)
			}
			if got, want := w.Open(soldAt(w, at), at), there.Hour() < 20; got != want && there.Format("15:04") != "19:59" {
				t.Fatalf("Open(%s, at once) = %t, want %t: it is %s in Mexico City", at, got, want, there)
			}
		}
	}
}

func TestCutoffsThatChange(t *testing.T) {
	t.Parallel()
	from := func(at, cutoff string) models.CutoffChange {
		c, err := models.ParseTimeOfDay(cutoff)
		if err != nil {
			t.Fatal(err)
		}
		return models.CutoffChange{From: modelstest.At(t, at), Cutoff: c}
	}
	const midnight = "2026-03-10T00:00:00-06:00"
	for _, tt := range []struct {
		fact    string
		changes []models.CutoffChange
		want    [3]string // on the 9th, the 10th and the 11th
	}{
		{"none", nil, [3]string{"20:00", "20:00", "20:00"}},
		{"earlier with the day", []models.CutoffChange{from(midnight, "18:30")}, [3]string{"20:00", "18:30", "18:30"}},
		{"later with the day", []models.CutoffChange{from(midnight, "21:00")}, [3]string{"20:00", "21:00", "21:00"}},
		{"later a moment after it began", []models.CutoffChange{
			from("2026-03-10T00:00:00.000001-06:00", "21:00"),
		}, [3]string{"20:00", "20:00", "21:00"}},
		{"earlier at noon", []models.CutoffChange{from("2026-03-10T12:00:00-06:00", "18:30")}, [3]string{"20:00", "18:30", "18:30"}},
		{"earlier in its last moment", []models.CutoffChange{
			from("2026-03-10T23:59:59.999999-06:00", "18:30"),
		}, [3]string{"20:00", "18:30", "18:30"}},
		{"earlier, then later again on one day", []models.CutoffChange{
			from("2026-03-10T12:00:00-06:00", "18:30"), from("2026-03-10T13:00:00-06:00", "20:00"),
		}, [3]string{"20:00", "18:30", "20:00"}},
		{"two with one day: the last of them", []models.CutoffChange{
			from(midnight, "18:30"), from(midnight, "19:00"),
		}, [3]string{"20:00", "19:00", "19:00"}},
		{"for one day alone", []models.CutoffChange{
			from(midnight, "14:00"), from("2026-03-11T00:00:00-06:00", "20:00"),
		}, [3]string{"20:00", "14:00", "20:00"}},
	} {
		calendar := mexico(t).With(tt.changes...)
		for i, want := range tt.want {
			noon := modelstest.At(t, "2026-03-09T12:00:00-06:00").AddDate(0, 0, i)
			if got := calendar.Cutoff(noon).Format("2006-01-02 15:04:05"); got != noon.Format("2006-01-02 ")+want+":00" {
				t.Errorf("%s: Cutoff(%s) = %s, want %s", tt.fact, noon, got, want)
			}
		}
	}
}

// The cut-off of a sale is the stored one or the one of the current rules, whichever
// is earlier.
func TestTheEarlierCutoffHolds(t *testing.T) {
	t.Parallel()
	noon := modelstest.At(t, "2026-03-10T12:00:00-06:00")
	at := func(hour int) time.Time { return noon.Add(time.Duration(hour-12) * time.Hour) }
	for _, tt := range []struct {
		fact        string
		kept, rules int
		want        int
	}{
		{"the rules became earlier", 20, 18, 18},
		{"the rules became later", 18, 20, 18},
		{"nothing changed", 20, 20, 20},
	} {
		w := models.Window{Margin: 5 * time.Second, Calendar: mexico(t).With(models.CutoffChange{Cutoff: models.TimeOfDay(tt.rules * 60)})}
		sale := &models.Sale{SoldAt: noon, CutoffAt: at(tt.kept), State: models.SaleCancelable}
		limit := at(tt.want).Add(-5 * time.Second)
		if got := w.Cutoff(sale); !got.Equal(at(tt.want)) {
			t.Errorf("%s: Cutoff() = %s, want %d:00", tt.fact, got, tt.want)
		}
		if !w.Limit(sale).Equal(limit) || !w.Closes(sale).Equal(limit) {
			t.Errorf("%s: Limit() = %s, Closes() = %s, want %s", tt.fact, w.Limit(sale), w.Closes(sale), limit)
		}
		if !w.Open(sale, limit.Add(-1)) || w.Open(sale, limit) {
			t.Errorf("%s: Open() until %s = %t, then %t; want true, false", tt.fact, limit, w.Open(sale, limit.Add(-1)), w.Open(sale, limit))
		}
		if late := (&models.Sale{SoldAt: at(19), CutoffAt: at(tt.kept)}); w.Open(late, at(12)) != (tt.want == 20) {
			t.Errorf("%s: a sale made at 19:00 is open = %t", tt.fact, w.Open(late, at(12)))
		}
	}
}

func TestNewCalendarRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range [][2]string{
		{"", "UTC"},
		{"8pm", "UTC"},
		{"24:00", "UTC"},
		{"20:60", "UTC"},
		{"20:00:00", "UTC"},
		{"20:00", ""},
		{"20:00", "Local"},
		{"20:00", "Mexico"},
		{"20:00", "../../etc/passwd"},
	} {
		if _, err := models.NewCalendar(tt[0], tt[1]); err == nil {
			t.Errorf("NewCalendar(%q, %q) = nil, want an error", tt[0], tt[1])
		}
	}
}

func TestZoneDataIsCurrent(t *testing.T) {
	t.Parallel()
	if err := database.CheckZoneData(t.Context(), modelstest.NewDB(t)); err != nil {
		t.Errorf("CheckZoneData() = %v, want nil", err)
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	w := models.Window{Calendar: mexico(t), Margin: 5 * time.Second}
	sold := modelstest.At(t, "2026-03-10T12:00:00-06:00")
	for _, state := range models.SaleStates {
		sale := soldAt(w, sold)
		sale.State = state
		late := state
		if state == models.SaleCancelable {
			late = models.SaleTooLate
		}
		if got := sale.Shown(w, sold); got != state {
			t.Errorf("a %s sale at noon shows %s", state, got)
		}
		if got := sale.Shown(w, sold.Add(8*time.Hour)); got != late {
			t.Errorf("a %s sale at 20:00 shows %s, want %s", state, got, late)
		}
	}
}
