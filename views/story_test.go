package views

import (
	"strings"
	"testing"

	"veinte/models"
	"veinte/views/locale"
)

func TestEvidenceIsAskedForByState(t *testing.T) {
	t.Parallel()
	doubt := draw(t, "es-MX", Story(sampleStory(models.Supervisor, "19:52:03", models.SaleUnknown)))
	if strings.Contains(doubt, "<details") || !strings.Contains(doubt, `value="notCanceled"`) {
		t.Error("a doubt does not ask for either outcome in the open")
	}
	v := sampleStory(models.Supervisor, "19:52:03", models.SaleAccepted)
	folded := draw(t, "es-MX", Story(v))
	for _, want := range []string{`<details id="ticket" class="card ticket"><summary>Tengo el comprobante de cancelación</summary>`, `<input type="hidden" name="outcome" value="canceled">`} {
		if !strings.Contains(folded, want) {
			t.Errorf("an acknowledged case lacks %s", want)
		}
	}
	if strings.Contains(folded, `value="notCanceled"`) {
		t.Error("an acknowledged case can be settled as not canceled, want not")
	}
	v.Form = ResolutionForm{Outcome: "canceled", Errors: Errors{"note": "resolution.evidence"}}
	if !strings.Contains(draw(t, "es-MX", Story(v)), `class="card ticket" open>`) {
		t.Error("a refused ticket is folded, want it open")
	}
}

// Without scripts nothing updates by itself, so nothing may say so there.
func TestReadersWithoutScriptsAreToldToLoadAgain(t *testing.T) {
	t.Parallel()
	for _, lang := range locale.Languages {
		for _, state := range models.SaleStates {
			got := draw(t, lang, Story(sampleStory(models.Manager, "19:52:03", state)))
			_, hint, ok := strings.Cut(got, "<noscript>")
			if ok != state.Open() {
				t.Errorf("story of %s in %s has a hint to load again: %t, want %t", state, lang, ok, state.Open())
			}
			if ok && !strings.Contains(hint[:strings.Index(hint, "</noscript>")], `href="/sales/100"`) {
				t.Errorf("the hint of %s leads nowhere", state)
			}
			words := locale.In(lang, "story.byItself")
			if strings.Count(got, words) != strings.Count(got, `<span class="by-itself">`+words+`</span>`) {
				t.Errorf("story of %s in %s says %q to readers without scripts", state, lang, words)
			}
		}
	}
}

// Nobody asked for what was canceled on the terminal itself, for no reason.
func TestACancellationOnTheTerminalNamesNoRequester(t *testing.T) {
	t.Parallel()
	v := sampleStory(models.Supervisor, "19:52:03", models.SaleConfirmed)
	c := &v.Story.Cases[0]
	c.Origin, c.Requester, c.Reason, c.Note, c.Conflict = models.FromTerminal, "1234567890", models.ReasonOther, "", models.ConflictWithoutCase
	got := draw(t, "es-MX", caseData(v))
	if !strings.Contains(got, "<dt>Cancelada en la terminal</dt><dd>N/S 1234567890</dd>") {
		t.Errorf("the case does not say on which terminal it was canceled:\n%s", got)
	}
	for _, never := range []string{"Solicitada", "Motivo", "Otro motivo"} {
		if strings.Contains(got, never) {
			t.Errorf("the case says %q of what nobody asked for:\n%s", never, got)
		}
	}
	story := draw(t, "es-MX", Story(v))
	if strings.Contains(story, locale.In("es-MX", "next.confirmed")) || strings.Count(story, locale.In("es-MX", "conflict.next")) != 1 {
		t.Error("with a contradiction the next step is not, once, that a supervisor looks at it")
	}
}
