package views

import (
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/closings"
	"veinte/models/oversight"
	"veinte/views/export"
	"veinte/views/locale"
	oversightview "veinte/views/oversight"
)

// What stands out is said in words, and nothing of a person is judged by colour.
func TestWhatStandsOutIsSaidInWords(t *testing.T) {
	t.Parallel()
	got := draw(t, "es-MX", oversightview.OversightReport(shop.Oversight(oversight.ByPerson)))
	for _, want := range []string{
		"3.1 veces su promedio de 8 semanas (al menos 1.6).", "5.0 veces lo de las otras personas de sus sucursales (3; al menos 2.2).",
		"En las semanas conocidas (8) no había ninguna.", "Nadie más de sus sucursales canceló (otras personas: 2).",
		"Dentro de lo suyo: 1.1 veces su promedio de 6 semanas.", "Como las otras personas de sus sucursales (3): 0.6 veces.",
		"Antes no había ninguna, pero son pocas para juzgar.", "Pocos datos para comparar con su promedio (semanas conocidas: 0).",
		"Punto de venta (programa)", "En la terminal, sin pedirla aquí", "10.6 de cada mil", "0.9 % del monto",
		"1 por verificar · 2 rechazadas · 1 sigue cobrada · 1 en curso · 1 retirada o vencida",
		`href="/oversight/finding?from=2026-10-24&amp;kind=person&amp;subject=u7&amp;to=2026-11-20"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if n := strings.Count(got, "stands"); n != 4 {
		t.Errorf("%d comparisons stand out, want 4", n)
	}
}

func TestPatternsSayWhy(t *testing.T) {
	t.Parallel()
	got := draw(t, "es-MX", oversightview.Patterns(shop.Patterns("")))
	for _, want := range []string{
		"De lo que pidió cancelar cayó en los últimos 15 minutos: 6 de 12 (50.0 %).",
		"8.0 veces lo que suele caer ahí (6.2 %); al menos 2.4 veces.",
		"Tarjeta con terminación 4242 VISA", "a lo más 0.01 tarjetas así", "Registró 3 ventas y pidió cancelarlas.",
		"Pidió cancelar 1 venta a menos de un minuto de hacerse.",
		"1 cancelación de 10 veces o más su venta promedio ($250.00).", "Roma Norte", "1 intento rechazado.",
		"3 casos nuevos desde que se revisó", "Nadie lo ha atendido",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the patterns lack %q", want)
		}
	}
	card := draw(t, "es-MX", oversightview.Patterns(shop.Patterns(oversight.FindCard)))
	for _, want := range []string{"Los últimos cuatro no son únicos", "3 veces cabe en la casualidad"} {
		if !strings.Contains(card, want) {
			t.Errorf("the pattern of cards lacks %q", want)
		}
	}
}

func TestWhoReadsOnlyHasNoForm(t *testing.T) {
	t.Parallel()
	for role, want := range map[models.Role]bool{models.Supervisor: true, models.Administrator: false} {
		got := draw(t, "es-MX", oversightview.Finding(shop.Finding(1, role)))
		if has := strings.Contains(got, `data-testid="mark-form"`); has != want {
			t.Errorf("%s has a form: %t, want %t", role, has, want)
		}
		if !strings.Contains(got, "práctica de la caja nueva") || !strings.Contains(got, "Lo atendió alguien que ve más sucursales que tú") {
			t.Errorf("%s does not see what was noted", role)
		}
	}
}

// Weeks begin on Monday, months on the first, by the clock of the cut-off.
func TestPeriodsAreThoseOfTheCalendar(t *testing.T) {
	t.Parallel()
	for hhmm, want := range map[string][2]models.Day{"00:00:00": {"2026-11-16", "2026-11-20"}, "23:59:59": {"2026-11-16", "2026-11-20"}} {
		all := page(t, models.Supervisor, "/oversight", hhmm).Periods()
		if got := [2]models.Day{all[1].From, all[1].To}; got != want {
			t.Errorf("this week at %s = %v, want %v", hhmm, got, want)
		}
		if all[2].From != "2026-11-09" || all[2].To != "2026-11-15" || all[3].From != "2026-11-01" || all[4].From != "2026-10-01" ||
			all[4].To != "2026-10-31" {
			t.Errorf("periods = %+v", all)
		}
	}
}

func TestFilesOfOversight(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	v := shop.Oversight(oversight.ByPerson)
	v.Report.Rows[2].Name = "=HYPERLINK(\"https://bad.example\")"
	ctx := locale.With(t.Context(), "es-MX")
	if err := export.WriteOversight(ctx, &b, v); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if !strings.HasPrefix(lines[0], "\ufeffPersona,Canceladas,Monto cancelado (MXN)") {
		t.Errorf("header = %q", lines[0])
	}
	want := "Ana Torres Luna,15,4687.50,1410,512300.00,10.6,0.9 %,8,32,3264,3.10,1.60,3,5.00,2.20,sí,21,1,2,1,1,1"
	if !strings.EqualFold(lines[1], want) {
		t.Errorf("first line = %q, want %q", lines[1], want)
	}
	if !strings.HasPrefix(lines[3], `"'=HYPERLINK(""https`) {
		t.Errorf("a formula = %q, want it behind a '", lines[3])
	}
	b.Reset()
	if err := export.WritePatterns(ctx, &b, shop.Patterns("")); err != nil {
		t.Fatal(err)
	}
	want = "Antes de la hora límite,Ana Torres Luna,sí,Nadie lo ha atendido,2026-11-20T19:50:00-06:00,261120181203-1234567890," +
		"312.50,Roma Norte,1234567890,VISA ·· 4242,Ana Torres Luna,Se cobró dos veces,Cancelada"
	if !strings.Contains(strings.ToLower(b.String()), strings.ToLower(want)) {
		t.Errorf("the file of patterns lacks %q:\n%s", want, b.String()[:900])
	}
}

// After the cut-off, until its report is there, the list of closings says that it is
// being made, and does not speak of a time that has passed.
func TestTheDaysReportIsBeingMade(t *testing.T) {
	t.Parallel()
	const making, later = "El cierre de hoy se está preparando", "cuando pase la hora límite de hoy"
	for _, tt := range []struct {
		clock        string
		days         []models.Day
		making, none bool
	}{
		{clock: "19:59:59", none: true},
		{clock: "20:00:00", making: true},
		{clock: "20:04:59", days: []models.Day{"2026-11-19"}, making: true},
		{clock: "20:00:15", days: []models.Day{"2026-11-20"}},
		{clock: "20:05:00", none: true},
	} {
		v := &oversightview.ClosingsView{Page: page(t, models.Supervisor, "/closings", tt.clock)}
		for _, day := range tt.days {
			v.List.Lines = append(v.List.Lines, closings.Line{Closing: closings.Closing{Day: day}})
		}
		got := draw(t, "es-MX", oversightview.Closings(v))
		if strings.Contains(got, making) != tt.making || strings.Contains(got, later) != tt.none {
			t.Errorf("at %s with %v: being made %v, want %v; later %v, want %v", tt.clock, tt.days,
				!tt.making, tt.making, strings.Contains(got, later), tt.none)
		}
		if n := strings.Count(got, `data-testid="closing"`); n != len(tt.days) {
			t.Errorf("at %s: %d days are listed, want %d", tt.clock, n, len(tt.days))
		}
	}
}
