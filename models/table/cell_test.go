package table_test

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"veinte/models/table"
)

var mexico = zone("America/Mexico_City")

func zone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return z
}

// cell is the only cell of a file.
func cell(tb testing.TB, text string) table.Cell {
	tb.Helper()
	content := "x\ty\n\"" + strings.ReplaceAll(text, `"`, `""`) + "\"\tz\n"
	t, err := table.Open(strings.NewReader(content), int64(len(content)), table.Options{})
	if err != nil || !t.Next() {
		tb.Fatalf("a file with %q: %v, %v", text, err, t.Err())
	}
	return t.Row().Cell("x")
}

// orCode is the value, or the code of the error.
func orCode[T any](v T, wrong *table.Error, show func(T) string) string {
	if wrong != nil {
		return "!" + strings.TrimPrefix(wrong.Code, "table.")
	}
	return show(v)
}

func same(s string) string { return s }

func TestAmount(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"1250", "1250"},
		{"1250.00", "1250.00"},
		{"4500.5", "4500.5"},
		{"1,250.00", "1250.00"},
		{"$1,250.00", "1250.00"},
		{"$ 1,250.00 MXN", "1250.00"},
		{"MXN 1,250.00", "1250.00"},
		{"1250,00", "1250.00"},
		{"1.250,00", "1250.00"},
		{"1,250,000.50", "1250000.50"},
		{"1.250.000", "1250000"},
		{"0.125", "0.125"},
		{"1250.125", "1250.125"},
		{"'-12.50", "-12.50"},
		{"1.25000E+3", "1250.00"},
		{"206.58000000000001", "206.58"}, // a double, printed in full
		{"206.57999999999998", "206.58"},
		{"1250.1250000000000", "1250.125"},
		{"0.125125125125125125", "0.125125125125125"},
		{"\u00A01250.00\u200B", "1250.00"},
		{"", ""},
		// Ambiguous or invalid.
		{"1,250", "!twoAmounts"},
		{"1.250", "!twoAmounts"},
		{"1.25E+3", "!lostDigits"},
		{"1.25E+03", "!lostDigits"},
		{"1,25,000", "!noAmount"},
		{"1,250.000,00", "!noAmount"},
		{"12.", "!noAmount"},
		{".5", "!noAmount"},
		{"$", "!noAmount"},
		{"mil", "!noAmount"},
		{"1 250.00", "!noAmount"},
		{"1250.00-", "!noAmount"},
		{"=1250", "!formula"},
	} {
		a, wrong := cell(t, tt.text).Amount()
		if got := orCode(a, wrong, same); got != tt.want {
			t.Errorf("amount of %q = %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestDigits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"1490000001", "1490000001"},
		{"1490000001.0", "1490000001"},
		{"1.490000001E+09", "1490000001"},
		{"1,490,000,001", "1490000001"},
		{"0042", "0042"},
		{`="0042"`, "0042"},
		{"'0042", "!noDigits"}, // the ' escapes signs, not digits
		{"42", "42"},           // a text is unchanged
		{"", ""},
		{"1.49E+09", "!lostDigits"},
		{"1,49E+09", "!lostDigits"},
		{"1490000001.5", "!noDigits"},
		{"149 000 0001", "!noDigits"},
		{"N/S 1490000001", "!noDigits"},
		{"１４９", "!noDigits"}, // digits of another width
		{"-149", "!noDigits"},
	} {
		d, wrong := cell(t, tt.text).PaddedDigits(4)
		if got := orCode(d, wrong, same); got != tt.want {
			t.Errorf("digits of %q = %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	const noon = "2026-02-01T13:45:00-06:00"
	for _, tt := range []struct{ text, want string }{
		{"2026-02-01T13:45:00-06:00", noon},
		{"2026-02-01T19:45:00Z", "2026-02-01T19:45:00Z"},
		{"2026-02-01 13:45:00-06:00", noon},
		{"2026-02-01 13:45:00 -06:00", noon},
		{"2026-02-01T13:45-06:00", noon},
		{"2026-02-01T13:45:00-0600", noon},
		{"2026-02-01T13:45:00", noon},
		{"2026-02-01T13:45:00.250", "2026-02-01T13:45:00.25-06:00"},
		{"2026-02-01 13:45", noon},
		{"2026/02/01 13:45", noon},
		{"01/02/2026 13:45", noon}, // the day comes first
		{"1/2/2026 13:45:00", noon},
		{"01-02-2026 13:45", noon},
		{"01.02.2026, 13:45", noon},
		{"01/02/2026 01:45 PM", noon},
		{"01/02/2026 01:45:00 p. m.", noon},
		{"01/02/2026 01:45:00 p.\u00A0m.", noon},
		{"01/02/2026 12:45 a.m.", "2026-02-01T00:45:00-06:00"},
		{"1 feb 2026 13:45", noon},
		{"1 de febrero de 2026 13:45", noon},
		{"1-Feb-2026 13:45", noon},
		{"", "0001-01-01T00:00:00Z"},
		// Ambiguous or invalid.
		{"2026-02-01", "!noClock"},
		{"01/02/2026", "!noClock"},
		{"11/20/2026 13:45", "!monthFirst"},
		{"20/11/26 13:45", "!shortYear"},
		{"31/02/2026 13:45", "!noSuchDay"},
		{"32/01/2026 13:45", "!noSuchDay"},
		{"01/02/2026 25:00", "!noTime"},
		{"01/02/2026 13:45 PM", "!noTime"},
		{"01/02/2026 0:45 PM", "!noTime"},
		{"46054.572916666664", "!serialDate"},
		{"20260201134500", "!serialDate"},
		{"JUN. 27, 25 13:49:38", "!noTime"},
		{"13:45", "!noTime"},
		{"ayer 13:45", "!noTime"},
		{"1026-02-01 13:45", "!noTime"},
		{"1926-02-01T13:45:00Z", "!noTime"},
		{"2026-02-01T13:45:00 America/Mexico_City", "!noTime"},
		{"2026-02-01 13:45 CST", "!noTime"}, // Central, China or Cuba
	} {
		at, wrong := cell(t, tt.text).Time(mexico)
		got := orCode(at, wrong, func(t time.Time) string { return t.Format(time.RFC3339Nano) })
		if got != tt.want {
			t.Errorf("time of %q = %s, want %s", tt.text, got, tt.want)
		}
	}
}

// TestClocksThatChange uses times that the clocks of a border town skip and show
// twice. Mexico City no longer changes its clocks.
func TestClocksThatChange(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, in, want string }{
		{"2026-03-08 02:30", "America/Tijuana", "!neverWas"},
		{"2026-11-01 01:30", "America/Tijuana", "!twice"},
		{"2026-11-01 01:30:00-07:00", "America/Tijuana", "2026-11-01T01:30:00-07:00"},
		{"2026-03-08 02:30", "America/Mexico_City", "2026-03-08T02:30:00-06:00"},
		{"2026-07-15 06:00", "America/Mexico_City", "2026-07-15T06:00:00-06:00"},
	} {
		at, wrong := cell(t, tt.text).Time(zone(tt.in))
		got := orCode(at, wrong, func(t time.Time) string { return t.Format(time.RFC3339) })
		if got != tt.want {
			t.Errorf("%q in %s = %s, want %s", tt.text, tt.in, got, tt.want)
		}
	}
}

func TestDay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"20/11/2026", "2026-11-20T00:00:00-06:00"},
		{"2026-11-20 23:59", "2026-11-20T00:00:00-06:00"},
		{"2026-11-21T05:00:00Z", "2026-11-20T00:00:00-06:00"},
		{"11/20/2026", "!monthFirst"},
	} {
		at, wrong := cell(t, tt.text).Day(mexico)
		got := orCode(at, wrong, func(t time.Time) string { return t.Format(time.RFC3339) })
		if got != tt.want {
			t.Errorf("day of %q = %s, want %s", tt.text, got, tt.want)
		}
	}
}
