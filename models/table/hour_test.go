package table_test

import (
	"strings"
	"testing"
	"time"

	"veinte/models/table"
)

// TestDateAndHourApart reads a date with the time of day of another column.
func TestDateAndHourApart(t *testing.T) {
	t.Parallel()
	text := func(date, hour string) [2]table.Cell { return [2]table.Cell{cell(t, date), cell(t, hour)} }
	day := only(t, 46346, format("dd/mm/yyyy"))
	midnight := only(t, 46346, format("dd/mm/yyyy hh:mm"))
	for _, tt := range []struct {
		fact  string
		cells [2]table.Cell
		want  string
	}{
		{"texts", text("20/11/2026", "13:45"), "2026-11-20T13:45:00"},
		{"with seconds", text("2026-11-20", "13:45:05"), "2026-11-20T13:45:05"},
		{"half a day", text("20/11/2026", "01:45 p. m."), "2026-11-20T13:45:00"},
		{"six digits", text("20/11/2026", "134505"), "2026-11-20T13:45:05"},
		{"four digits", text("20/11/2026", "1345"), "2026-11-20T13:45:00"},
		{"a time cell", [2]table.Cell{day, only(t, 0.572916666666667, format("hh:mm"))}, "2026-11-20T13:45:00"},
		{"a number", [2]table.Cell{day, only(t, 0.572916666666667)}, "2026-11-20T13:45:00"},
		{"a time cell with its day", [2]table.Cell{day, only(t, 46346.572916666664, format("hh:mm"))}, "2026-11-20T13:45:00"},
		{"midnight", [2]table.Cell{day, only(t, 0, format("hh:mm"))}, "2026-11-20T00:00:00"},
		{"a number that lost its zero", [2]table.Cell{day, only(t, 93005)}, "2026-11-20T09:30:05"},
		{"a date at midnight", [2]table.Cell{midnight, cell(t, "13:45")}, "2026-11-20T13:45:00"},
		{"the same twice", text("20/11/2026 13:45", "13:45"), "2026-11-20T13:45:00"},
		{"the same to the minute", text("20/11/2026 13:45:30", "13:45"), "2026-11-20T13:45:30"},
		{"the same with a zone", text("2026-11-20T13:45:00-07:00", "13:45"), "2026-11-20T13:45:00"},
		{"no hour", text("20/11/2026 13:45", " "), "2026-11-20T13:45:00"},
		{"neither", text(" ", "13:45"), ""},
		{"two hours", text("20/11/2026 13:45", "14:45"), "!twoHours"},
		{"a zone and another hour", text("2026-11-20T00:00:00-07:00", "13:45"), "!twoHours"},
		{"no hour of a day", text("20/11/2026", "25:00"), "!noHour"},
		{"words", text("20/11/2026", "por la tarde"), "!noHour"},
		{"a number of two readings", [2]table.Cell{day, only(t, 930)}, "!noHour"},
		{"a negative number", [2]table.Cell{day, only(t, -0.5)}, "!noHour"},
		{"a formula", [2]table.Cell{day, cell(t, "=A1")}, "!formula"},
	} {
		m, wrong := tt.cells[0].Moment()
		if wrong == nil {
			m, wrong = m.WithClock(tt.cells[1])
		}
		got := orCode(m.Wall, wrong, func(t time.Time) string { return t.Format("2006-01-02T15:04:05") })
		if got != tt.want && (tt.want != "" || !m.Wall.IsZero()) {
			t.Errorf("%s = %s, want %s", tt.fact, got, tt.want)
		}
		if wrong == nil && !m.Wall.IsZero() && !m.Clock {
			t.Errorf("%s has no time of day", tt.fact)
		}
	}
	// The zone comes later, and only where none is written.
	for written, want := range map[string]string{
		"20/11/2026 13:45": "2026-11-20T13:45:00-08:00", "2026-11-20 13:45:00-05:00": "2026-11-20T13:45:00-05:00",
	} {
		m, wrong := cell(t, written).Moment()
		if wrong != nil {
			t.Fatal(wrong)
		}
		at, wrong := m.In(zone("America/Tijuana"))
		if got := orCode(at, wrong, func(t time.Time) string { return t.Format(time.RFC3339) }); got != want {
			t.Errorf("%s in Tijuana = %s, want %s", written, got, want)
		}
	}
	if m, _ := cell(t, "2026-03-08 02:30").Moment(); true {
		if _, wrong := m.In(zone("America/Tijuana")); wrong == nil || !strings.HasSuffix(wrong.Code, "neverWas") {
			t.Errorf("a time that Tijuana's clocks skipped = %v, want %v", wrong, table.ErrNeverWas)
		}
	}
}
