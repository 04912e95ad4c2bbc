package views

import (
	"math"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/odds"
	"veinte/views/locale"
)

func judgement(times, least float64, others int) models.Judgement {
	return models.Judgement{Comparison: odds.Comparison{Times: times, AtLeast: least}, Others: others}
}

func sampleOversight(tb testing.TB, by models.OversightBy) *OversightView {
	tb.Helper()
	few := models.Judgement{Few: true, Others: 1}
	row := func(key, name string, canceled int64, weeks int, own, peers models.Judgement, rank float64) models.OversightRow {
		return models.OversightRow{
			Key: key, ID: 1, Name: name, Own: own, Peers: peers, Rank: rank,
			CaseTally: models.CaseTally{Requested: canceled + 6, Canceled: canceled, Amount: models.Money(canceled * 31250), InDoubt: 1, Rejected: 2, NotCanceled: 1, UnderWay: 1, Dropped: 1},
			Against:   models.SalesTally{Sales: 1410, Amount: 51230000},
			Usual:     models.Usual{Weeks: weeks, Canceled: int64(weeks) * 4, Amount: 900000, Against: models.SalesTally{Sales: 3264, Amount: 99000000}},
		}
	}
	rows := map[models.OversightBy][]models.OversightRow{
		models.ByPerson: {
			row("u7", "Ana Torres Luna", 15, 8, judgement(3.1, 1.6, 3), judgement(5, 2.2, 3), 2.2),
			row("u9", "Beto Ruiz", 12, 8, judgement(math.Inf(1), 1.2, 0), judgement(math.Inf(1), 1.1, 2), 1.2),
			row("u8", "Carla Díaz", 4, 6, judgement(1.1, 0.4, 3), judgement(0.6, 0.1, 3), 0),
			row("k2", "Punto de venta", 3, 3, judgement(math.Inf(1), 0.4, 0), few, 0),
			row("", "", 1, 0, few, few, 0),
		},
		models.ByReason:   {row("chargedTwice", "", 9, 8, judgement(2.4, 1.3, 0), few, 1.3)},
		models.ByTerminal: {row("1", "", 9, 8, judgement(1.4, 0.7, 3), judgement(2.3, 1.2, 3), 1.2)},
		models.ByStore:    {row("1", "", 9, 8, judgement(1.4, 0.7, 3), judgement(1.3, 0.9, 5), 0)},
	}
	v := &OversightView{
		Page: page(tb, models.Supervisor, "/oversight", "19:20:03"), Stores: sampleStores(), Terminals: sampleTerminals(tb), Reasons: sampleReasons(),
		Report: &models.OversightReport{
			Filter: models.OversightFilter{From: "2026-10-24", To: "2026-11-20", By: by, Minutes: 15, Times: 3, Days: 7},
			Rows:   rows[by], Total: row("", "", 35, 8, judgement(1.2, 0.9, 0), few, 0),
		},
	}
	for i := range 9 {
		v.Report.Weeks = append(v.Report.Weeks, models.OversightWeek{
			From: models.Day("2026-10-" + itoa(int64(10+i))), To: models.Day("2026-10-" + itoa(int64(16+i))),
			CaseTally: models.CaseTally{Canceled: int64(i * i)}, Against: models.SalesTally{Sales: int64(900 * min(i, 1))},
		})
	}
	v.Filter = v.Report.Filter
	v.Unlooked = 4
	return v
}

func samplePatterns(tb testing.TB, kind models.FindingKind) *PatternsView {
	tb.Helper()
	cases := func(n int) []models.FindingCase {
		var all []models.FindingCase
		for i := range n {
			all = append(all, models.FindingCase{
				ID: int64(i + 1), SaleID: int64(100 + i), OrderID: "261120181203-1234567890", StoreID: 1, TerminalID: 1, Requester: "u7", Name: "Ana Torres Luna",
				Source: models.SourceTerminal, Reason: "chargedTwice", State: models.Confirmed, Amount: 31250, Last4: "4242", CardBrand: []string{"VISA", ""}[i%2],
				SoldAt: at(tb, "18:00:00"), RequestedAt: at(tb, "19:50:00"),
			})
		}
		return all
	}
	looked := []models.OversightMark{
		{ID: 1, Marker: "Sofía Méndez", MarkerID: 8, MarkedAt: at(tb, "10:02:00"), Note: "Hablé con Ana: práctica de la caja nueva, está en orden.", Cases: 12},
		{ID: 2, MarkedAt: at(tb, "11:02:00")},
	}
	report := sampleOversight(tb, models.ByPerson).Report
	entry := models.FindingCase{ID: 9, Name: "nadie@veinte.test", Action: models.ActionLogin, Outcome: models.OutcomeFailure, Reason: "login.wrong", RequestedAt: at(tb, "09:00:00")}
	v := &PatternsView{
		Page: page(tb, models.Supervisor, "/oversight/patterns", "19:20:03"), Stores: sampleStores(), Terminals: sampleTerminals(tb), Reasons: sampleReasons(),
		Found: &models.Findings{
			Filter: models.OversightFilter{From: "2026-10-24", To: "2026-11-20", By: models.ByPerson, Kind: kind, Minutes: 15, Times: 3, Days: 7},
			List: []models.Finding{
				{Kind: models.FindPerson, Subject: "u7", Name: "Ana Torres Luna", ID: 7, Cases: cases(15), Stands: true, Row: &report.Rows[0], New: 15},
				{Kind: models.FindApprover, Subject: "u8", Name: "Sofía Méndez", ID: 8, Cases: cases(15), Stands: true, Row: &report.Rows[1], New: 3, Marks: looked},
				{Kind: models.FindLate, Subject: "u7", Name: "Ana Torres Luna", ID: 7, Cases: cases(6), Stands: true, New: 6, Late: models.LateShare{
					Late: 6, All: 12, UsuallyLate: 8, UsualAll: 128, Comparison: odds.Comparison{Times: 8, AtLeast: 2.4},
				}},
				{Kind: models.FindCard, Subject: "4242 VISA", Name: "4242 VISA", Cases: cases(3), Stands: true, Chance: 0.0004, New: 3},
				{Kind: models.FindOwn, Subject: "u7", Name: "Ana Torres Luna", ID: 7, Cases: cases(3), Stands: true, New: 3},
				{Kind: models.FindQuick, Subject: "u7", Name: "Ana Torres Luna", ID: 7, Cases: cases(1), New: 1},
				{Kind: models.FindLarge, Subject: "s1", ID: 1, Cases: cases(1), Stands: true, Usual: 25000, Marks: looked[:1]},
				{Kind: models.FindRefusals, Subject: "nadie@veinte.test", Name: "nadie@veinte.test", Cases: []models.FindingCase{entry}, Stands: true, New: 1},
				{Kind: models.FindLate, Subject: "u9", Name: "Beto Ruiz", ID: 9, Cases: cases(1), Few: true, New: 1},
			},
			New:     map[models.FindingKind]int{models.FindPerson: 1, models.FindCard: 1},
			Late:    models.LateShare{Late: 7, All: 60, UsuallyLate: 8, UsualAll: 128},
			Repeats: 5, Cut: true,
		},
	}
	v.Filter = v.Found.Filter
	return v
}

func sampleFinding(tb testing.TB, n int, role models.Role) *FindingView {
	tb.Helper()
	v := &FindingView{PatternsView: *samplePatterns(tb, models.FindingKinds[0])}
	v.Page = page(tb, role, "/oversight/finding?kind=person&subject=u7", "19:20:03")
	v.Finding = v.Found.List[n]
	return v
}

func addOversightPages(tb testing.TB, pages map[string]templ.Component) {
	tb.Helper()
	for _, by := range models.OversightBys {
		pages["oversight-"+string(by)] = OversightReport(sampleOversight(tb, by))
	}
	wrong := sampleOversight(tb, models.ByPerson)
	wrong.Report, wrong.Errors = nil, Errors{"to": "oversight.reversed"}
	pages["oversight-wrong"] = OversightReport(wrong)
	pages["patterns"] = Patterns(samplePatterns(tb, ""))
	for _, kind := range models.FindingKinds {
		pages["patterns-"+string(kind)] = Patterns(samplePatterns(tb, kind))
	}
	none := samplePatterns(tb, "")
	none.Found.List = nil
	pages["patterns-none"] = Patterns(none)
	for n, name := range []string{"person", "approver", "late", "card", "own", "quick", "large", "refusals"} {
		pages["finding-"+name] = Finding(sampleFinding(tb, n, models.Supervisor))
	}
	pages["finding-read-only"] = Finding(sampleFinding(tb, 1, models.Administrator))
	refused := sampleFinding(tb, 1, models.Supervisor)
	refused.Note, refused.Errors = "", Errors{"note": "field.required"}
	pages["finding-refused"] = Finding(refused)
}

// What stands out is said in words, and nothing of a person is judged by colour.
func TestWhatStandsOutIsSaidInWords(t *testing.T) {
	t.Parallel()
	got := draw(t, "es-MX", OversightReport(sampleOversight(t, models.ByPerson)))
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
	got := draw(t, "es-MX", Patterns(samplePatterns(t, "")))
	for _, want := range []string{
		"6 de las 12 cancelaciones que pidió (50.0 %) cayeron en los últimos 15 minutos.", "8.0 veces lo que suele caer ahí (6.2 %); al menos 2.4 veces.",
		"Tarjeta con terminación 4242 VISA", "a lo más 0.01 tarjetas así", "Registró 3 ventas y pidió cancelarlas.", "Pidió cancelar 1 venta a menos de un minuto de hacerse.",
		"1 cancelación de 10 veces o más su venta promedio ($250.00).", "Roma Norte", "1 intento rechazado.", "3 casos nuevos desde que se revisó", "Nadie lo ha revisado",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the patterns lack %q", want)
		}
	}
	card := draw(t, "es-MX", Patterns(samplePatterns(t, models.FindCard)))
	for _, want := range []string{"Los últimos cuatro no son únicos", "3 veces cabe en la casualidad"} {
		if !strings.Contains(card, want) {
			t.Errorf("the pattern of cards lacks %q", want)
		}
	}
}

func TestWhoReadsOnlyHasNoForm(t *testing.T) {
	t.Parallel()
	for role, want := range map[models.Role]bool{models.Supervisor: true, models.Administrator: false} {
		got := draw(t, "es-MX", Finding(sampleFinding(t, 1, role)))
		if has := strings.Contains(got, `data-testid="mark-form"`); has != want {
			t.Errorf("%s has a form: %t, want %t", role, has, want)
		}
		if !strings.Contains(got, "práctica de la caja nueva") || !strings.Contains(got, "Lo revisó alguien que ve más sucursales que tú") {
			t.Errorf("%s does not see what was noted", role)
		}
	}
}

// Weeks begin on Monday, months on the first, by the clock of the cut-off.
func TestPeriodsAreThoseOfTheCalendar(t *testing.T) {
	t.Parallel()
	for hhmm, want := range map[string][2]models.Day{"00:00:00": {"2026-11-16", "2026-11-20"}, "23:59:59": {"2026-11-16", "2026-11-20"}} {
		all := page(t, models.Supervisor, "/oversight", hhmm).periods()
		if got := [2]models.Day{all[1].from, all[1].to}; got != want {
			t.Errorf("this week at %s = %v, want %v", hhmm, got, want)
		}
		if all[2].from != "2026-11-09" || all[2].to != "2026-11-15" || all[3].from != "2026-11-01" || all[4].from != "2026-10-01" || all[4].to != "2026-10-31" {
			t.Errorf("periods = %+v", all)
		}
	}
}

func TestFilesOfOversight(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	v := sampleOversight(t, models.ByPerson)
	v.Report.Rows[2].Name = "=HYPERLINK(\"https://bad.example\")"
	ctx := locale.With(t.Context(), "es-MX")
	if err := WriteOversight(ctx, &b, v); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if !strings.HasPrefix(lines[0], "\ufeffPersona,Canceladas,Monto cancelado (MXN)") {
		t.Errorf("header = %q", lines[0])
	}
	if want := "Ana Torres Luna,15,4687.50,1410,512300.00,10.6,0.9 %,8,32,3264,3.10,1.60,3,5.00,2.20,sí,21,1,2,1,1,1"; !strings.EqualFold(lines[1], want) {
		t.Errorf("first line = %q, want %q", lines[1], want)
	}
	if !strings.HasPrefix(lines[3], `"'=HYPERLINK(""https`) {
		t.Errorf("a formula = %q, want it behind a '", lines[3])
	}
	b.Reset()
	if err := WritePatterns(ctx, &b, samplePatterns(t, "")); err != nil {
		t.Fatal(err)
	}
	if want := "Antes de la hora límite,Ana Torres Luna,sí,Nadie lo ha revisado,2026-11-20T19:50:00-06:00,261120181203-1234567890,312.50,Roma Norte,1234567890,VISA ·· 4242,Ana Torres Luna,Se cobró dos veces,Cancelada"; !strings.Contains(strings.ToLower(b.String()), strings.ToLower(want)) {
		t.Errorf("the file of patterns lacks %q:\n%s", want, b.String()[:900])
	}
}
