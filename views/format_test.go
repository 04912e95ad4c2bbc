package views

import (
	"context"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

func TestMoney(t *testing.T) {
	t.Parallel()
	for m, want := range map[models.Money]string{
		0: "$0.00", 5: "$0.05", 100: "$1.00", 125000: "$1,250.00", 100000000: "$1,000,000.00", -125000: "−$1,250.00",
		math.MaxInt64: "$92,233,720,368,547,758.07", math.MinInt64: "−$92,233,720,368,547,758.08",
	} {
		if got := ui.Money(m); got != want {
			t.Errorf("money(%d) = %q, want %q", m, got, want)
		}
	}
}

func TestDatesAndTimes(t *testing.T) {
	t.Parallel()
	es, en := locale.With(context.Background(), "es-MX"), locale.With(context.Background(), "en")
	instant, zone := at(t, "07:05:09"), window(t).Calendar.Zone()
	for _, tt := range []struct{ call, got, want string }{
		{"date es", ui.Date(es, instant, zone), "20 nov 2026"},
		{"date en", ui.Date(en, instant, zone), "20 Nov 2026"},
		{"clock", ui.Clock(instant, zone), "07:05"},
		{"clockSeconds", ui.ClockSeconds(instant, zone), "07:05:09"},
		{"day", ui.Day(es, "2026-01-02"), "2 ene 2026"},
		{"remaining hours", ui.Remaining(2*time.Hour + 5*time.Minute + 59*time.Second), "2 h 05 min"},
		{"remaining minutes", ui.Remaining(9*time.Minute + 5*time.Second), "9 min 05 s"},
		{"remaining minute", ui.Remaining(time.Minute), "1 min 00 s"},
		{"remaining seconds", ui.Remaining(59*time.Second + 999*time.Millisecond), "59 s"},
		{"remaining nothing", ui.Remaining(-time.Second), "0 s"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s = %q, want %q", tt.call, tt.got, tt.want)
		}
	}
}

func TestReasonsInWords(t *testing.T) {
	t.Parallel()
	ctx := locale.With(context.Background(), "es-MX")
	for in, want := range map[string]string{
		"chargedTwice":              "Se cobró dos veces",
		"other: la tarjeta falló":   "Otro motivo: la tarjeta falló",
		"error.tooLate":             locale.In("es-MX", "error.tooLate"),
		"noSuchSale":                locale.In("es-MX", "resultNote.noSuchSale"),
		"authCode 9 · folio 7":      "Autorización: 9 · Folio: 7",
		"responseCode 51":           "Código de respuesta: 51",
		"GET /terminals/new":        "GET /terminals/new",
		"un texto: con dos puntos.": "un texto: con dos puntos.",
	} {
		if got := words.ReasonText(ctx, nil, in); got != want {
			t.Errorf("reasonText(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCutoffSteps(t *testing.T) {
	t.Parallel()
	for now, want := range map[string]string{
		"12:00:00": "step-far", "19:00:00": "step-60", "19:44:55": "step-15", "19:54:55": "step-5", "19:59:54": "step-5",
		"19:59:55": "step-0", "21:00:00": "step-0",
	} {
		if got := ui.CutoffStep(page(t, models.Manager, "/", now)); got != want {
			t.Errorf("cutoffStep at %s = %s, want %s", now, got, want)
		}
	}
}

// The day's line fills from eight to eight, and in the last hour drains; in the last
// minute the second counts at which the window closes.
func TestTheDaysLine(t *testing.T) {
	t.Parallel()
	for now, want := range map[string]struct{ width, says string }{
		"07:00:00": {"0", "Puedes cancelar"}, "13:59:55": {"500", "Puedes cancelar"}, "18:59:54": {"916", "Puedes cancelar"},
		"18:59:55": {"1000", "Puedes cancelar"}, "19:29:55": {"500", "Puedes cancelar"}, "19:58:54": {"16", "Puedes cancelar"},
		"19:58:55": {"16", "Se cierra a las <strong>19:59:55"}, "19:59:55": {"1000", "Ya no se pueden"}, "22:00:00": {"1000", "Ya no se pueden"},
	} {
		got := draw(t, "es-MX", ui.Countdown(page(t, models.Manager, "/", now), nil))
		shown := regexp.MustCompile(`<(span|strong)[^>]* hidden>[^<]*(<strong>[^<]*</strong>)?`).ReplaceAllString(got, "")
		if strings.Contains(got, "<path") {
			t.Errorf("at %s a line of nothing canceled has ticks:\n%s", now, got)
		}
		if !strings.Contains(got, `<rect data-day width="`+want.width+`"`) || !strings.Contains(shown, want.says) {
			t.Errorf("at %s the countdown is\n%s\nwant a line of %s and %q", now, got, want.width, want.says)
		}
	}
}

// Cancellations are ticks on the day's line, in the order of their hours; two of a minute
// are one, and what is not on the line is left out.
func TestCancellationsAreTicksOnTheDaysLine(t *testing.T) {
	t.Parallel()
	v := page(t, models.Manager, "/sales", "18:00:00")
	for _, clock := range []string{"07:00:00", "13:59:55", "13:59:56", "16:59:55"} {
		v.Canceled = append(v.Canceled, at(t, clock))
	}
	got := draw(t, "es-MX", ui.Countdown(v, nil))
	if want := `<path d="M500 0v6M750 0v6"`; !strings.Contains(got, want) {
		t.Errorf("the day's line is\n%s\nwant %s", got, want)
	}
}
