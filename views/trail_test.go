package views

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/verify"
	auditview "veinte/views/audit"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// entryOf is an entry of an action, with all that its sentence may need.
func entryOf(action models.Action, role models.Role, outcome models.Outcome, after string) models.AuditEntry {
	amount, sale := models.Money(5390), int64(7)
	return models.AuditEntry{
		ID: 1, At: shop.At("19:00:00"), ActorName: "Ana Robles", ActorRole: role, Action: action, Outcome: outcome,
		Amount: &amount, SaleID: &sale, StoreName: "Roma Norte", SerialNumber: "1234567890", Address: "189.203.10.4",
		Before: []byte(`{}`), After: []byte(after),
	}
}

// whole has a value for whatever field an action may name.
const whole = `{"state":"confirmed","standing":"V","source":"api","sales":57,"fileName":"ventas.csv","created":3,"file":"reporte.csv",
	"profile":"Banco","view":"Grandes","format":"csv","requestedBy":"Luis Pech","version":"1.4.0",
	"page":"report","verificationState":"intact","month":"2026-09",
	"store":"Cancún Centro","label":"Caja 4","terminals":12,"name":"Luis Pech","email":"luis@tienda.mx","passkey":"Mi teléfono","sessions":2,
	"notice":"newDevice","endpoint":"ERP","deliveries":4,"day":"2026-11-20","rule":"person","recipient":"luis@tienda.mx",
	"trouble":"seal.different","cause":"copied","conflict":"twice","subject":"Ana Robles"}`

var (
	// raw are names of actions, fields and codes, hashes and numbers of rows.
	raw = regexp.MustCompile(`\b[a-z]+[.][a-zA-Z]+[A-Z.][a-zA-Z]*|\b[a-z]+[A-Z][a-zA-Z]+\b|[0-9a-f]{16,}|[A-Za-z0-9+/]{24,}|[{}<>]|map\[|%!`)
	// english are words that no Spanish sentence has, spanish the other way round.
	english = regexp.MustCompile(`(?i)\b(the|of|was|and|their|with|could|asked|to)\b`)
	spanish = regexp.MustCompile(`(?i)\b(el|la|los|de|del|que|una|con|su|se|no pudo)\b`)
)

// Every action is told in a sentence of its own in each language, whoever did it and
// however it ended, with nothing in it that only a program reads.
func TestEveryActionIsTold(t *testing.T) {
	t.Parallel()
	names := words.NewAuditNames(shop.Stores(), nil, shop.Audit().Zone())
	names.Terminals = map[string]string{"1234567890": "Caja 3"}
	roles := []models.Role{models.Supervisor, models.Integration, models.TerminalRole, models.SystemRole, models.Anonymous}
	for _, lang := range locale.Languages {
		ctx, told := locale.With(t.Context(), lang), map[string]models.Action{}
		for _, action := range models.Actions {
			if !locale.Has("says." + string(action)) {
				t.Errorf("%s has no sentence", action)
				continue
			}
			for _, role := range roles {
				for _, outcome := range models.Outcomes {
					for _, after := range []string{
						whole, `{}`, `{"more":3,"minute":"2026-11-20T19:00:00Z"}`, `{"request":"POST /settings/rules"}`,
					} {
						e := entryOf(action, role, outcome, after)
						if after != whole {
							e.Amount, e.SaleID, e.SerialNumber = nil, nil, ""
						}
						got := names.Sentence(ctx, &e)
						other := english
						if lang == "en" {
							other = spanish
						}
						// Names are whose they are, in any language.
						plain := got
						for _, name := range []string{"Cancún Centro", "Mi teléfono", "La ", "ventas.csv", "reporte.csv", "luis@tienda.mx", "CSV"} {
							plain = strings.ReplaceAll(plain, name, "")
						}
						switch {
						case raw.MatchString(plain) || other.MatchString(plain) && action != models.ActionAlertRaised:
							t.Errorf("%s by %s, %s, %.20s in %s: %q", action, role, outcome, after, lang, got)
						case strings.Contains(got, "  ") || strings.HasSuffix(got, " ") || strings.HasSuffix(got, ":") || len(got) < 10:
							t.Errorf("%s by %s, %s, %.20s in %s lacks something: %q", action, role, outcome, after, lang, got)
						}
					}
				}
			}
			e := entryOf(action, models.Supervisor, models.OutcomeSuccess, whole)
			sentence := names.Sentence(ctx, &e)
			if twin, known := told[sentence]; known {
				t.Errorf("in %s %s is told as %s is: %q", lang, action, twin, sentence)
			}
			told[sentence] = action
		}
	}
}

// The sentences that the trail is read for.
func TestWhatTheTrailSays(t *testing.T) {
	t.Parallel()
	names := words.NewAuditNames(shop.Stores(), nil, shop.Audit().Zone())
	names.Terminals = map[string]string{"1234567890": "Caja 3"}
	es := locale.With(t.Context(), "es-MX")
	denied := entryOf(models.ActionRefused, models.Manager, models.OutcomeDenied, `{}`)
	denied.Reason = "GET /users/7?x=1"
	failed := entryOf(models.ActionLogin, models.Anonymous, models.OutcomeFailure, `{}`)
	failed.ActorName = "ana@tienda.mx"
	nobody := failed
	nobody.ActorName = "?"
	request := entryOf(models.ActionCancellationRequested, models.Manager, models.OutcomeSuccess, `{}`)
	settled := entryOf(models.ActionCancellationMoved, models.Supervisor, models.OutcomeSuccess, `{"state":"confirmed"}`)
	doubt := entryOf(models.ActionCancellationMoved, models.SystemRole, models.OutcomeUnknown, `{"state":"unknown"}`)
	program := entryOf(models.ActionCancellationRequested, models.Integration, models.OutcomeSuccess, `{}`)
	program.ActorName, program.OnBehalfOf = "ERP", "Luis"
	chosen := entryOf(models.ActionPINSet, models.Manager, models.OutcomeSuccess, `{"email":"ana@tienda.mx"}`)
	given := entryOf(models.ActionPINSet, models.SystemRole, models.OutcomeSuccess, `{"email":"ana@tienda.mx"}`)
	for want, e := range map[string]models.AuditEntry{
		"Ana Robles eligió su PIN de mostrador":                                 chosen,
		"El sistema puso un PIN de mostrador a ana@tienda.mx":                   given,
		"Ana Robles solicitó cancelar $53.90":                                   request,
		"El programa ERP, en nombre de Luis, solicitó cancelar $53.90":          program,
		"Ana Robles quiso abrir «Personas» desde 189.203.10.4 sin tener acceso": denied,
		"Alguien escribió ana@tienda.mx y no pudo entrar":                       failed,
		"Alguien intentó entrar y no pudo":                                      nobody,
		"Ana Robles dejó la cancelación de $53.90 como «Cancelada»":             settled,
		"No se sabe si se canceló $53.90: queda por verificar":                  doubt,
	} {
		if got := names.Sentence(es, &e); got != want {
			t.Errorf("%s by %s is told %q, want %q", e.Action, e.ActorRole, got, want)
		}
	}
	if got := names.Place(&request); got != "Roma Norte, Caja 3" {
		t.Errorf("the place = %q", got)
	}
}

// Who could not sign in is nobody: the address is what somebody typed.
func TestTrailNamesWhoeverCouldNotSignIn(t *testing.T) {
	t.Parallel()
	for lang, want := range map[string][]string{
		"es-MX": {"Alguien escribió mal@tienda.mx y no pudo entrar", "Alguien intentó entrar y no pudo"},
		"en":    {"Somebody typed mal@tienda.mx and could not sign in", "Somebody tried to sign in and could not"},
	} {
		list := draw(t, lang, auditview.Audit(shop.Audit()))
		for _, text := range want {
			if !strings.Contains(list, text) {
				t.Errorf("the trail in %s lacks %q", lang, text)
			}
		}
		if n := strings.Count(list, "mal@tienda.mx"); n != 1 {
			t.Errorf("the trail in %s names the address %d times, want it once, as what was typed", lang, n)
		}
	}
}

// mixed is a page of the trail on which cancellations run beside each other and beside
// other acts, for hours.
func mixed(n int) *auditview.AuditView {
	v := shop.Audit()
	v.List.Entries = nil
	at := shop.At("19:50:00")
	for i := range n {
		e := entryOf(models.ActionLogin, models.Manager, models.OutcomeSuccess, `{}`)
		e.ID, e.At = int64(1000-i), at.Add(-time.Duration(i*i)*time.Second)
		if i%3 != 0 {
			id := int64(i % 4)
			e.CancellationID, e.Action = &id, models.ActionCancellationMoved
			e.After = []byte(`{"state":"sending"}`)
			if i%5 == 0 {
				e.Action = models.ActionCancellationRequested
			}
			if i%7 == 0 {
				e.Outcome = models.Outcomes[i%len(models.Outcomes)]
			}
		}
		v.List.Entries = append(v.List.Entries, e)
	}
	return v
}

var (
	listed = regexp.MustCompile(`(?s)<li[^>]*data-testid="audit-entry"[^>]*>.*?href="/audit/([0-9]+)"`)
	lineOf = regexp.MustCompile(`(?s)<li class="entry" data-testid="folded">(.*?)<details`)
)

// Folding loses no entry and tells none twice: what a page has folded is what it has.
func TestFoldingKeepsEveryEntry(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 7, 50} {
		v := mixed(n)
		var want, got []string
		for i := range v.List.Entries {
			want = append(want, fmt.Sprint(v.List.Entries[i].ID))
		}
		page := draw(t, "es-MX", auditview.Audit(v))
		for _, m := range listed.FindAllStringSubmatch(page, -1) {
			got = append(got, m[1])
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("a page of %d entries has %d in its lines: %v, want %v", n, len(got), got, want)
		}
		if n == 50 && strings.Count(page, `data-testid="folded"`) == 0 {
			t.Error("no steps of a cancellation are folded")
		}
	}
}

// A line tells the step that moved the cancellation, wears no mark of another step, and
// says that something of it is not sealed.
func TestALineTellsWhatMovedIt(t *testing.T) {
	t.Parallel()
	v := shop.Audit()
	id := int64(5)
	step := func(n int64, action models.Action, outcome models.Outcome, after string) models.AuditEntry {
		e := entryOf(action, models.Supervisor, outcome, after)
		e.ID, e.ActorName, e.CancellationID, e.At = 9000+n, "Sofía Méndez", &id, shop.At("19:00:00").Add(time.Duration(n)*time.Second)
		return e
	}
	slip := step(4, models.ActionNoticeShown, models.OutcomeSuccess, `{}`)
	settled := step(3, models.ActionCancellationMoved, models.OutcomeFailure, `{"state":"notCanceled"}`)
	refused := step(2, models.ActionResolutionRefused, models.OutcomeFailure, `{}`)
	doubt := step(1, models.ActionCancellationMoved, models.OutcomeUnknown, `{"state":"unknown"}`)
	doubt.ActorRole = models.SystemRole
	for _, tt := range []struct {
		entries []models.AuditEntry
		tells   string
		mark    string
	}{
		{[]models.AuditEntry{slip, settled, refused}, "Sofía Méndez dejó la cancelación", ""},
		{[]models.AuditEntry{step(9, models.ActionReviewed, models.OutcomeSuccess, `{}`), slip}, "marcó como atendida", ""},
		{[]models.AuditEntry{step(9, models.ActionInquiryAnswered, models.OutcomeSuccess, `{"standing":"C"}`), slip}, "respondió cómo está", ""},
		{[]models.AuditEntry{slip, refused}, "no pudo resolver", "outcome-failure"},
		{[]models.AuditEntry{slip, doubt}, "queda por verificar", "outcome-unknown"},
	} {
		v.List.Entries = tt.entries
		for _, e := range tt.entries {
			v.Standings[e.ID] = verify.Standing{}
		}
		page := draw(t, "es-MX", auditview.Audit(v))
		lines := lineOf.FindAllStringSubmatch(page, -1)
		if len(lines) != 1 {
			t.Fatalf("%d lines for %q", len(lines), tt.tells)
		}
		if line := lines[0][1]; !strings.Contains(line, tt.tells) || !strings.Contains(line, "sin sellar aún") ||
			strings.Contains(line, "outcome-") != (tt.mark != "") || !strings.Contains(line, tt.mark) {
			t.Errorf("the line lacks %q or %q, or has another mark: %s", tt.tells, tt.mark, line)
		}
	}
}

// Only what is not as it should be has a mark.
func TestDoneAndSealedSaysNothing(t *testing.T) {
	t.Parallel()
	v := shop.Audit()
	v.List.Entries = []models.AuditEntry{entryOf(models.ActionLogin, models.Manager, models.OutcomeSuccess, `{}`)}
	page := draw(t, "es-MX", auditview.Audit(v))
	line := page[strings.Index(page, `<ol class="trail entries">`):strings.Index(page, "</ol>")]
	for _, not := range []string{"outcome-", "#lock", "sin sellar", "189.203.10.4", ui.RoleWord(t.Context(), models.Manager)} {
		if strings.Contains(line, not) {
			t.Errorf("the line of what was done and is sealed has %q: %s", not, line)
		}
	}
}

// A page of fifty entries is light: names and filters are half of it.
func TestThePageOfTheTrailWeighsLittle(t *testing.T) {
	t.Parallel()
	const limit = 36_000
	v := mixed(50)
	v.Seals.Standings = map[int64]verify.Standing{}
	for i := range v.List.Entries {
		v.Seals.Standings[v.List.Entries[i].ID] = verify.Standing{Sealed: true}
	}
	if n := len(draw(t, "es-MX", auditview.Audit(v))); n > limit {
		t.Errorf("fifty entries of the trail take %d bytes, want at most %d", n, limit)
	} else {
		t.Logf("fifty entries of the trail take %d bytes of at most %d", n, limit)
	}
}

// Wherever the trail is shown to be altered, it is the same panel, which says what to do;
// commands and codes are behind the heading for those who know them.
func TestAnAlarmIsOne(t *testing.T) {
	t.Parallel()
	samples := samplePages(t)
	for _, name := range []string{
		"verification-altered", "audit-altered", "audit-found-altered", "audit-entry-altered", "audit-entry-broken",
	} {
		for _, lang := range locale.Languages {
			page := draw(t, lang, samples[name])
			if strings.Count(page, `data-testid="alarm"`) != 1 || strings.Count(page, locale.In(lang, "alarm.do")) != 1 {
				t.Errorf("%s in %s has no alarm that says what to do, or more than one", name, lang)
			}
			alarm := page[strings.Index(page, `class="alarm"`):]
			alarm = alarm[:strings.Index(alarm, "</section>")]
			alarm = regexp.MustCompile(`(?s)<details>.*?</details>`).ReplaceAllString(alarm, "")
			if strings.Contains(alarm, "verify.") || strings.Contains(alarm, "amount") && lang == "es-MX" {
				t.Errorf("the alarm of %s in %s speaks to programs: %s", name, lang, alarm)
			}
		}
	}
	for _, name := range []string{"verification-unsealed", "audit-filtered", "audit-entry-sale", "audit-requests"} {
		if strings.Contains(draw(t, "es-MX", samples[name]), `data-testid="alarm"`) {
			t.Errorf("%s has an alarm, and nothing is wrong", name)
		}
	}
	if page := draw(t, "es-MX", samples["verification-altered"]); !strings.Contains(page, "sus datos no son los que se sellaron (monto)") {
		t.Error("the page does not say what of the entry is not as it was sealed")
	}
}

// Commands, keys, leaves and roots are for those who look for them.
func TestWhatOnlyAuditorsReadIsFolded(t *testing.T) {
	t.Parallel()
	samples, folded := samplePages(t), regexp.MustCompile(`(?s)<details>.*?</details>`)
	for name, not := range map[string][]string{
		"verification": {"veinte audit", "--key"}, "verification-unsealed": {"keygen"}, "audit-entry-sale": {"hoja", "árbol"},
		"audit-filtered": {"raíz"}, "audit-views": {"raíz"},
	} {
		page := folded.ReplaceAllString(draw(t, "es-MX", samples[name]), "")
		for _, text := range not {
			if strings.Contains(page, text) {
				t.Errorf("%s says %q in sight", name, text)
			}
		}
	}
}

// What was asked to be canceled is a table: a row each, its steps folded, and what came of it.
func TestRequestsAreATable(t *testing.T) {
	t.Parallel()
	page := draw(t, "es-MX", samplePages(t)["audit-requests"])
	for _, want := range []string{
		`<table class="plain requests"`, "<summary>3 pasos</summary>", `data-testid="came-of" data-state="unknown"`,
		"Roma Norte, Caja 1", "$1,250.00",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the table of requests lacks %q", want)
		}
	}
	if n := strings.Count(page, `data-testid="audit-entry"`); n != 1 {
		t.Errorf("one request takes %d rows", n)
	}
	if strings.Contains(page, `class="filter-chip"`) {
		t.Error("the switch and a chip say the same")
	}
	v := shop.Audit()
	v.Filter = audit.Filter{Action: models.ActionCancellationRequested, Outcome: models.OutcomeSuccess, StoreID: 1}
	page = draw(t, "es-MX", auditview.Audit(v))
	if strings.Count(page, `class="filter-chip"`) != 2 || !strings.Contains(page, "Más filtros (1)") {
		t.Error("the filters in use are not the two besides the switch, one of them behind the button")
	}
}

// A verification that came to nothing does not end an alarm, one that found nothing does.
func TestWhatEndsAnAlarm(t *testing.T) {
	t.Parallel()
	altered := verify.Verification{State: verify.RunAltered, EndedAt: &shop.Audit().Now, Result: []byte(`{"wrong":1}`)}
	for state, want := range map[verify.RunState]bool{
		verify.RunIntact: false, verify.RunInterrupted: true, verify.RunUndecided: true, verify.RunRunning: true,
	} {
		v := &auditview.VerificationView{
			Page:     page(t, models.Auditor, "/audit/verification", "19:00:00"),
			Overview: verify.Overview{List: []verify.Verification{{State: state, StartedAt: shop.At("18:00:00")}, altered}},
		}
		if got := strings.Contains(draw(t, "es-MX", auditview.Verification(v)), `data-testid="alarm"`); got != want {
			t.Errorf("altered, then %s: an alarm is %t, want %t", state, got, want)
		}
	}
}

// A page has a padlock for as many entries as were compared on it and are as they were
// sealed, and for no others.
func TestThePadlockIsForWhatWasCompared(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact, says, icon string
		change           func(v *auditview.AuditView, id int64)
	}{
		{"all compared", "Las 7 entradas de esta página se compararon", "lock", func(*auditview.AuditView, int64) {}},
		{"one was not found again", "6 de las 7 entradas", "lock-open", func(v *auditview.AuditView, id int64) { delete(v.Standings, id) }},
		{"one is not sealed", "6 de las 7 entradas", "lock-open", func(v *auditview.AuditView, id int64) {
			v.Standings[id] = verify.Standing{}
		}},
		{"a column is another", "6 de las 7 entradas", "lock-open", func(v *auditview.AuditView, id int64) {
			v.Standings[id] = verify.Standing{Sealed: true, Columns: "amount"}
		}},
		{"bytes are others", "6 de las 7 entradas", "lock-open", func(v *auditview.AuditView, id int64) {
			v.Standings[id] = verify.Standing{Sealed: true, Bytes: true}
		}},
		{"nothing was compared", "0 de las 7 entradas", "lock-open", func(v *auditview.AuditView, _ int64) { v.Standings = nil }},
	} {
		v := shop.Audit()
		for i := range v.List.Entries[:7] {
			v.Standings[v.List.Entries[i].ID] = verify.Standing{Sealed: true}
		}
		v.List.Entries = v.List.Entries[:7]
		tt.change(v, v.List.Entries[2].ID)
		page := draw(t, "es-MX", auditview.Audit(v))
		_, foot, found := strings.Cut(page, `data-testid="compared"`)
		foot, _, _ = strings.Cut(foot, "</p>")
		if !found || !strings.Contains(foot, tt.says) || !strings.Contains(foot, "#"+tt.icon+" ") {
			t.Errorf("%s: the foot says %q, want %q under %s", tt.fact, foot, tt.says, tt.icon)
		}
	}
}
