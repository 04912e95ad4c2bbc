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
		"3.1× su promedio", "al menos 1.6×, de 8 semanas", "5.0× lo de las demás", "al menos 2.2×, 3 personas más de sus sucursales",
		"Antes no había ninguna", "Nadie más canceló", "2 personas más de sus sucursales",
		"Como siempre (1.1 veces su promedio)", "Como las demás (0.6 veces)",
		"Antes no había ninguna, pero son pocas para juzgar", "Aún sin historia",
		"Punto de venta (programa)", "En la terminal, sin pedirla aquí", "1.1 %", "15 de 1,410", "2.5 % de las ventas (35 de 1,410)",
		"1 por verificar · 2 rechazadas · 1 sigue cobrada · 1 en curso · 1 retirada o vencida",
		`href="/audit?action=cancellation.requested&amp;from=2026-10-24&amp;person=7&amp;to=2026-11-20"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if n := strings.Count(got, "stands"); n != 4 {
		t.Errorf("%d comparisons stand out, want 4", n)
	}
	for lang, per := range map[string]string{"es-MX": "de cada mil", "en": "thousand"} {
		if strings.Contains(draw(t, lang, oversightview.OversightReport(shop.Oversight(oversight.ByPerson))), per) {
			t.Errorf("in %s it still counts %q", lang, per)
		}
	}
}

// The reasons of a person add up: those that have no room are counted.
func TestReasonsAddUp(t *testing.T) {
	t.Parallel()
	v := shop.Oversight(oversight.ByPerson)
	v.Report.Most.People[0].Canceled = 16 // 9 and 6 are named
	for lang, says := range map[string]string{"es-MX": "(6) · 1 más por otros motivos", "en": "(6) · 1 more for other reasons"} {
		if !strings.Contains(draw(t, lang, oversightview.OversightReport(v)), says) {
			t.Errorf("in %s the report lacks %q", lang, says)
		}
	}
}

// The first thing below the period is who canceled most, and for what: each with as long a
// bar as they are many, before any table.
func TestWhoCanceledMostComesFirst(t *testing.T) {
	t.Parallel()
	got := draw(t, "es-MX", oversightview.OversightReport(shop.Oversight(oversight.ByPerson)))
	at := 0
	for _, want := range []string{
		"2.5 % de las ventas (35 de 1,410)", "Quién canceló más", "Ana Torres Luna", "$4,687.50", `rect width="100.00%"`,
		"Se cobró dos veces (9) · Monto equivocado (6)", "Beto Ruiz", `rect width="80.00%"`, "y 4 personas más, abajo",
		"Por qué", "El cliente cambió de opinión", "Sin motivo", `data-testid="oversight-row"`,
	} {
		i := strings.Index(got[at:], want)
		if i < 0 {
			t.Fatalf("%q does not follow what stands before it", want)
		}
		at += i + len(want)
	}
}

// Before there are three weeks to compare with it says so once, and there is neither a
// picture nor a table of weeks, nor a column of comparisons.
func TestAShopWithoutHistory(t *testing.T) {
	t.Parallel()
	got := draw(t, "es-MX", samplePages(t)["oversight-new"])
	if n := strings.Count(got, "Todavía no hay semanas anteriores para comparar."); n != 1 {
		t.Errorf("it says %d times that there is nothing to compare with, want once", n)
	}
	for _, empty := range []string{`data-testid="weeks"`, "su promedio", "Aún sin historia", "<polyline"} {
		if strings.Contains(got, empty) {
			t.Errorf("a shop without history is shown %s", empty)
		}
	}
}

func TestPatternsSayWhy(t *testing.T) {
	t.Parallel()
	list := draw(t, "es-MX", oversightview.Patterns(shop.Patterns("")))
	for _, want := range []string{
		"Tarjeta con terminación 4242 VISA", "Roma Norte", "La capturó y la canceló la misma persona", "Accesos e intentos negados",
		"3 casos nuevos", "Sofía Méndez", "Todo (2)", "La misma tarjeta (1)",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %q", want)
		}
	}
	var why strings.Builder
	for i := range shop.Patterns("").Found.List {
		why.WriteString(draw(t, "es-MX", oversightview.Finding(shop.Finding(i, models.Supervisor))))
	}
	for _, want := range []string{
		"De lo que solicitó cancelar cayó en los últimos 15 minutos: 6 de 12 (50.0 %).",
		"8.0 veces lo que suele caer ahí (6.2 %); al menos 2.4 veces.", "3.1× su promedio (al menos 1.6×, de 8 semanas).",
		"Es muy raro que pase por casualidad.", "Registró 3 ventas y solicitó cancelarlas.",
		"Pidió cancelar 1 venta a menos de un minuto de hacerse.",
		"1 cancelación de 10 veces o más su venta promedio ($250.00).", "Se le negó 1 acceso o intento.",
	} {
		if !strings.Contains(why.String(), want) {
			t.Errorf("the pages of findings lack %q", want)
		}
	}
	none := shop.Patterns("")
	none.Found.List, none.Found.New = none.Found.List[:1], nil
	if got := draw(t, "es-MX", oversightview.Patterns(none)); strings.Contains(got, "La misma tarjeta") {
		t.Error("a kind of which there is nothing is offered")
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
	want := "Ana Torres Luna,15,4687.50,1410,512300.00,1.1 %,0.9 %,8,32,3264,3.10,1.60,3,5.00,2.20,sí,21,1,2,1,1,1"
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
