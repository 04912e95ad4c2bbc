package views

import (
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/clocks"
	"veinte/models/database"
	"veinte/views/locale"
	oversightview "veinte/views/oversight"
	"veinte/views/ui"
)

func TestNoticesSayWhatIsSoAndWhatFollows(t *testing.T) {
	t.Parallel()
	got := draw(t, "es-MX", ui.Notices(shop.Troubled(models.Manager, "/sales"), true))
	for _, want := range []string{
		`hx-swap-oob="morph"`,
		`data-kind="outage"`, "No se puede escribir en la bitácora",
		`data-kind="pause"`, "desde hoy a las 19:02", "Diego Ríos escribió: «El proveedor está en mantenimiento hasta las 19:30»",
		`data-kind="unanswered"`, "desde hoy a las 19:01", "No supongas que algo se canceló ni que no",
		`data-kind="clock"`, "va 37 s adelante", "antes de las 19:59:18",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the notices lack %s", want)
		}
	}
	p := page(t, models.Manager, "/sales", "12:00:00")
	for _, tt := range []struct {
		standing clocks.Standing
		want     []string
	}{
		{clocks.Standing{Verdict: clocks.ServerDiffers, Ahead: 90 * time.Second}, []string{
			`data-kind="serverClock"`, "El reloj de este servidor va 90 s adelante", "desde las 19:56:55",
		}},
		{clocks.Standing{Verdict: clocks.ServerDiffers, Ahead: -3 * time.Second}, []string{
			"El reloj de este servidor va 3 s atrás", "desde las 19:59:49",
		}},
		{clocks.Standing{Verdict: clocks.DatabaseDiffers, Ahead: 90 * time.Second}, []string{
			`data-kind="databaseClock"`, "El reloj de la base de datos va 90 s atrás", "siguen con su hora",
		}},
		{clocks.Standing{Verdict: clocks.DatabaseDiffers, Ahead: -9 * time.Second}, []string{"El reloj de la base de datos va 9 s adelante"}},
	} {
		p.Notices.Clock = tt.standing
		got := draw(t, "es-MX", ui.Notices(p, false))
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("the notice of %+v lacks %q: %s", tt.standing, want, got)
			}
		}
	}
	if quiet := draw(t, "en", ui.Notices(page(t, models.Manager, "/sales", "12:00:00"), false)); strings.Contains(quiet, "notice\"") ||
		strings.Contains(quiet, "oob") {
		t.Errorf("a quiet day has notices: %s", quiet)
	}
}

func TestTheInboxSaysAgeAndNextStep(t *testing.T) {
	t.Parallel()
	got := draw(t, "es-MX", oversightview.Review(shop.Review()))
	for _, want := range []string{
		`data-kind="doubt" data-why="noResult" data-overdue`, "hace 30 min", "Nadie más lo va a averiguar",
		"Se verifica sola a las 19:22:00 (verificación 4)", "La verificación 2 sale en cuanto la terminal quede libre",
		`data-kind="conflict" data-why="latePositive"`, "hace 2 h", "Confirma con la sucursal",
		`data-kind="result" data-why="noSuchSale"`, "hace un momento",
		`data-mark="/review/results/9"`, `data-mark="/review/conflicts/3"`, "Todo (9)",
		`data-mark="/alerts/9/attention"`, `data-mark="/differences/12/review"`, "También avisó: Se solicitó cancelar un monto alto, ",
		"no se comunica desde hace 1 h", "Pregunta en la sucursal si la terminal está encendida", "Antes de la hora límite: Ana Torres Luna (9)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the inbox lacks %s", want)
		}
	}
}

func TestAgesHaveTheirPlural(t *testing.T) {
	t.Parallel()
	ctx := locale.With(t.Context(), "en")
	for d, want := range map[time.Duration]string{
		0: "a moment ago", 59 * time.Second: "a moment ago", time.Minute: "1 min ago", 59 * time.Minute: "59 min ago",
		47 * time.Hour: "47 h ago", 48 * time.Hour: "2 days ago",
	} {
		if got := oversightview.Age(ctx, d); got != want {
			t.Errorf("age(%s) = %q, want %q", d, got, want)
		}
	}
}

// What must be done about each thing in the inbox is said in words.
func TestEveryConflictHasANextStep(t *testing.T) {
	t.Parallel()
	for _, conflict := range constants(t, "Conflict") {
		wantWords(t, "conflictNext."+conflict)
	}
	for _, kind := range constants(t, "review.Kind") {
		wantWords(t, "reviewKind."+kind)
	}
	for _, outage := range []*database.Outage{
		database.OutageDatabase, database.OutageBusy, database.OutageTrail, database.OutageDisk, database.OutageCredential,
		database.OutageStandby,
	} {
		wantWords(t, outage.Code)
	}
}
