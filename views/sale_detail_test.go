package views

import (
	"html"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/rules"
	"veinte/views/locale"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

func TestEvidenceIsAskedForByState(t *testing.T) {
	t.Parallel()
	doubt := draw(t, "es-MX", salesview.SaleDetail(shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleUnknown)))
	if strings.Contains(doubt, `<details id="ticket"`) || !strings.Contains(doubt, `value="notCanceled"`) {
		t.Error("a doubt does not ask for either outcome in the open")
	}
	v := shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleAccepted)
	folded := draw(t, "es-MX", salesview.SaleDetail(v))
	for _, want := range []string{
		`<details id="ticket" class="card ticket"><summary>Tengo el comprobante de cancelación</summary>`,
		`<input type="hidden" name="outcome" value="canceled">`,
	} {
		if !strings.Contains(folded, want) {
			t.Errorf("an acknowledged case lacks %s", want)
		}
	}
	if strings.Contains(folded, `value="notCanceled"`) {
		t.Error("an acknowledged case can be settled as not canceled, want not")
	}
	v.Form = salesview.ResolutionForm{Outcome: "canceled", Errors: ui.Errors{"note": "resolution.evidence"}}
	if !strings.Contains(draw(t, "es-MX", salesview.SaleDetail(v)), `class="card ticket" open>`) {
		t.Error("a refused ticket is folded, want it open")
	}
}

// The next step of a sale that can be canceled is the one that helps now: not while
// nothing is taken, and at once when little time is left.
func TestTheNextStepKnowsThePauseAndTheHour(t *testing.T) {
	t.Parallel()
	for _, lang := range locale.Languages {
		ctx := locale.With(t.Context(), lang)
		early, soon := shop.SaleDetail(
			models.Manager, "19:30:00", models.SaleCancelable,
		), shop.SaleDetail(models.Manager, "19:52:03", models.SaleCancelable)
		paused, over := shop.SaleDetail(
			models.Manager, "19:52:03", models.SaleCancelable,
		), shop.SaleDetail(models.Manager, "20:10:00", models.SaleCancelable)
		for _, v := range []*salesview.SaleDetailView{paused, over} {
			v.Notices.Pause = &rules.Pause{ID: 1, Reason: "mantenimiento", PausedBy: "Diego"}
		}
		for key, v := range map[string]*salesview.SaleDetailView{
			"next.cancelable": early, "next.soon": soon, "next.paused": paused, "refund.next": over,
		} {
			if got := v.Next(ctx); got != locale.T(ctx, key) {
				t.Errorf("%s: next at %s = %q, want %s", lang, v.Now, got, key)
			}
		}
	}
}

// A request that may have left late makes a sale that was called still charged a doubt:
// the page proposes neither another request nor a refund, until a supervisor has looked.
func TestASaleWhoseRequestLeftLateIsADoubt(t *testing.T) {
	t.Parallel()
	for _, lang := range locale.Languages {
		ctx := locale.With(t.Context(), lang)
		for _, hour := range []string{"19:30:00", "20:10:00"} {
			v := shop.SaleDetail(models.Supervisor, hour, models.SaleNotCanceled)
			before := v.Next(ctx)
			c := v.Detail.Latest()
			c.Conflict = models.ConflictSentLate
			page := draw(t, lang, salesview.SaleDetail(v))
			if got := v.Next(ctx); got != locale.T(ctx, "conflict.next") {
				t.Errorf("%s at %s: next is %q, want conflict.next", lang, hour, got)
			}
			for key, want := range map[string]bool{"truth.unknown": true, "truth.notCanceled": false, "conflict.sentLate": true} {
				if strings.Contains(page, locale.In(lang, key)) != want {
					t.Errorf("%s at %s: the page says %s: %t, want %t", lang, hour, key, !want, want)
				}
			}
			c.ReviewedAt = &v.Now
			if got := v.Next(ctx); got != before {
				t.Errorf("%s at %s: next is %q when it was reviewed, want %q", lang, hour, got, before)
			}
		}
	}
}

// Whoever comes to cancel what somebody has asked for, or what is canceled, is told
// how it stands.
func TestARefusedSheetSaysHowTheSaleStands(t *testing.T) {
	t.Parallel()
	for _, lang := range locale.Languages {
		for _, state := range []models.SaleState{models.SaleConfirmed, models.SaleAccepted, models.SaleUnknown} {
			v := shop.Sheet("19:52:03")
			v.Sale.State, v.Refusal = state, "error.saleState"
			got, want := draw(t, lang, salesview.Sheet(v)), locale.In(lang, "truth."+string(state), "Terminal", "Caja 1")
			if !strings.Contains(got, want) {
				t.Errorf("%s, %s: the sheet does not say %q", lang, state, want)
			}
		}
	}
}

// Under a doubt nobody is canceling any more, and what is to be looked at stands
// right behind the words that announce it.
func TestADoubtSaysWhatToLookAtFirst(t *testing.T) {
	t.Parallel()
	for _, lang := range locale.Languages {
		got := draw(t, lang, salesview.SaleDetail(shop.SaleDetail(models.Manager, "19:52:03", models.SaleUnknown)))
		_, after, ok := strings.Cut(got, locale.In(lang, "next.unknown"))
		if list := strings.Index(after, "<ol>"); !ok || list < 0 ||
			strings.ContainsAny(strings.ReplaceAll(after[:list], "</p>", ""), "abcdefghijklmnopqrstuvwxyz") {
			t.Errorf("in %s the list does not follow %q at once", lang, locale.In(lang, "next.unknown"))
		}
		_, rest, _ := strings.Cut(after, "</ol>")
		if strings.Count(got, locale.In(lang, "story.byItself")) != 1 || !strings.Contains(rest, locale.In(lang, "story.byItself")) {
			t.Errorf("in %s the doubt does not say once, behind the list, that the page updates by itself", lang)
		}
	}
	for state, want := range map[models.SaleState]string{
		models.SaleUnknown:  " la solicitó a las 19:",
		models.SaleAccepted: " la está cancelando desde 19:",
	} {
		if got := draw(t, "es-MX", salesview.SaleDetail(shop.SaleDetail(models.Manager, "19:52:03", state))); !strings.Contains(got, want) {
			t.Errorf("the story in %s does not say %q", state, want)
		}
	}
}

// Without scripts nothing updates by itself, so nothing may say so there.
func TestReadersWithoutScriptsAreToldToLoadAgain(t *testing.T) {
	t.Parallel()
	for _, lang := range locale.Languages {
		for _, state := range models.SaleStates {
			got := draw(t, lang, salesview.SaleDetail(shop.SaleDetail(models.Manager, "19:52:03", state)))
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

// By the merchant's setting the service's answer counts as canceled. The page does not
// say that it is known, and says why it counts and what to look at.
func TestAnAcknowledgementThatCountsIsNoConfirmation(t *testing.T) {
	t.Parallel()
	for _, lang := range locale.Languages {
		v := shop.SaleDetail(models.Manager, "19:52:03", models.SaleConfirmed)
		c := &v.Detail.Cancellations[0]
		known := html.UnescapeString(draw(t, lang, salesview.SaleDetail(v)))
		c.Detail, c.Conflict = models.DetailAckMeansCanceled, ""
		for omits, next := range map[bool]string{false: "next.acknowledged", true: "next.acknowledgedNoReceipt"} {
			c.OmitReceipt = omits
			got := html.UnescapeString(draw(t, lang, salesview.SaleDetail(v)))
			for _, key := range []string{"truth.acknowledged", "detail.ackMeansCanceled", next} {
				if words := locale.In(lang, key); !strings.Contains(got, words) || strings.Contains(known, words) {
					t.Errorf("in %s, receipt omitted %t: %q is missing, or also said of a result", lang, omits, words)
				}
			}
			for _, key := range []string{"truth.confirmed", "next.confirmed"} {
				if words := locale.In(lang, key); strings.Contains(got, words) {
					t.Errorf("in %s, receipt omitted %t: the page says %q", lang, omits, words)
				}
			}
		}
	}
}

// Nobody asked for what was canceled on the terminal itself, for no reason.
func TestACancellationOnTheTerminalNamesNoRequester(t *testing.T) {
	t.Parallel()
	v := shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleConfirmed)
	c := &v.Detail.Cancellations[0]
	c.Origin, c.Requester, c.Conflict = models.FromTerminal, "1234567890", models.ConflictWithoutCancellation
	c.Reason, c.Note = models.ReasonOther, ""
	got := draw(t, "es-MX", salesview.CancellationData(v))
	if !strings.Contains(got, "<dt>Cancelada en la terminal</dt><dd>S/N 1234567890</dd>") {
		t.Errorf("the case does not say on which terminal it was canceled:\n%s", got)
	}
	for _, never := range []string{"Solicitada", "Motivo", "Otro motivo"} {
		if strings.Contains(got, never) {
			t.Errorf("the case says %q of what nobody asked for:\n%s", never, got)
		}
	}
	story := draw(t, "es-MX", salesview.SaleDetail(v))
	if strings.Contains(story, locale.In("es-MX", "next.confirmed")) || strings.Count(story, locale.In("es-MX", "conflict.next")) != 1 {
		t.Error("with a contradiction the next step is not, once, that a supervisor looks at it")
	}
}

// While a refund is offered its data stand once on the page.
func TestFactsStandOnce(t *testing.T) {
	t.Parallel()
	v := shop.SaleDetail(models.Manager, "20:00:30", models.SaleTooLate)
	got := draw(t, "es-MX", salesview.SaleDetail(v))
	for _, label := range []string{"sales.order", "sale.authCode", "terminal.merchantId"} {
		if n := strings.Count(got, "<dt>"+locale.In("es-MX", label)+"</dt>"); n != 1 {
			t.Errorf("%q stands %d times on the page of a sale that is too late, want once", locale.In("es-MX", label), n)
		}
	}
	if strings.Contains(got, "Ya no se puede cancelar: ") {
		t.Error("what is next begins with what was said above it")
	}
}

// Inquiries that nobody sent are not counted.
func TestNoInquiryIsNotOver(t *testing.T) {
	t.Parallel()
	v := shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleUnknown)
	v.Detail.Cancellations[0].Tries, v.Detail.Cancellations[0].NextInquiry = 0, time.Time{}
	if got := draw(t, "es-MX", salesview.SaleDetail(v)); strings.Contains(got, "0 veces") {
		t.Error("the story says that the terminal was asked 0 times")
	}
}

// decidedBySofia is a canceled sale that the terminal called charged twice, and a
// supervisor settled with a ticket.
func decidedBySofia() *salesview.SaleDetailView {
	v := shop.SaleDetail(models.Supervisor, "19:59:03", models.SaleUnknown)
	c := v.Detail.Latest()
	for i := range v.Detail.Results {
		v.Detail.Results[i].Standing, v.Detail.Results[i].CancellationID = models.StandingCharged, &c.ID
	}
	again := v.Detail.Results[len(v.Detail.Results)-1]
	again.ReceivedAt = shop.At("19:46:10")
	v.Detail.Results = append(v.Detail.Results, again)
	v.Detail.Sale.State, c.State, c.Detail = models.SaleConfirmed, models.Confirmed, models.DetailResolvedCanceled
	v.Detail.Entries = append(v.Detail.Entries, models.AuditEntry{
		ID: 90, At: shop.At("19:49:00"), CancellationID: &c.ID, Action: models.ActionCancellationMoved, Outcome: models.OutcomeSuccess,
		ActorName: "Sofía Méndez", ActorRole: models.Supervisor, Reason: "authCode 355873 · note en mano · folio 2",
	})
	v.Detail.Entries[len(v.Detail.Entries)-1].After = []byte(`{"state":"confirmed","detail":"` + string(models.DetailResolvedCanceled) + `"}`)
	return v
}

// A sale that a person settled says who, when and by which evidence, and nothing that is
// true only where the terminal confirmed it; once its contradiction was handled, by whom.
func TestTheCardOfASettledSaleSaysByWhat(t *testing.T) {
	t.Parallel()
	v := decidedBySofia()
	got := html.UnescapeString(draw(t, "es-MX", salesview.SaleDetailBody(v)))
	card, _, _ := strings.Cut(got, `id="papers"`)
	for _, want := range []string{
		"La solicitó Ana Torres Luna a las 19:41. Sofía Méndez la dio por cancelada a las 19:49 con la autorización 355873.",
		"Nota: «en mano · folio 2»", "Cuenta como cancelada",
	} {
		if !strings.Contains(card, want) {
			t.Errorf("the card lacks %q: %s", want, card)
		}
	}
	for _, not := range []string{"sigue cobrada", "Entrega el comprobante", "La terminal contestó"} {
		if strings.Contains(card, not) {
			t.Errorf("the card says %q of a sale that a person settled", not)
		}
	}

	for role, says := range map[models.Role]bool{models.Supervisor: true, models.Manager: false} {
		v.Actor.Role = role
		if got := draw(t, "es-MX", salesview.SaleDetailBody(v)); strings.Contains(got, `data-testid="if-wrong"`) != says {
			t.Errorf("a %s is told what to do if it was not canceled: %t, want %t", role, !says, says)
		}
	}

	c := v.Detail.Latest()
	c.Conflict = models.ConflictReportCharged
	open := html.UnescapeString(draw(t, "es-MX", salesview.SaleDetailBody(v)))
	if !strings.Contains(open, "Un supervisor debe revisarlo") || strings.Contains(open, "conflict-handled") {
		t.Error("an open contradiction does not say that a supervisor must look")
	}
	handled := shop.At("19:55:00")
	c.ReviewedAt = &handled
	v.Detail.Entries = append(v.Detail.Entries, models.AuditEntry{
		ID: 91, At: handled, CancellationID: &c.ID, Action: models.ActionReviewed, Outcome: models.OutcomeSuccess,
		ActorName: "Laura Peña", ActorRole: models.Supervisor, Reason: "El banco la abona mañana",
	})
	done := html.UnescapeString(draw(t, "es-MX", salesview.SaleDetailBody(v)))
	if want := "La atendió Laura Peña a las 19:55. Nota: «El banco la abona mañana»"; !strings.Contains(done, want) {
		t.Errorf("a handled contradiction lacks %q", want)
	}
	if strings.Contains(done, "Un supervisor debe revisarlo") || strings.Contains(done, `role="alert"`) {
		t.Error("a handled contradiction still says that a supervisor must look")
	}
}

// Whoever settles a doubt is told above the choice what the terminal stated.
func TestTheFormSaysThatTheTerminalCallsItCharged(t *testing.T) {
	t.Parallel()
	v := decidedBySofia()
	c := v.Detail.Latest()
	v.Detail.Sale.State, c.State, c.Detail = models.SaleUnknown, models.Unknown, models.DetailTimeout
	got := html.UnescapeString(draw(t, "es-MX", salesview.SaleDetailBody(v)))
	_, form, _ := strings.Cut(got, `id="resolution-form"`)
	said, _, _ := strings.Cut(form, "<legend>")
	if want := "La terminal dijo 2 veces que sigue cobrada, la última a las 19:46."; !strings.Contains(said, want) {
		t.Errorf("above the choice the form lacks %q: %s", want, said)
	}
	for i := range v.Detail.Results {
		v.Detail.Results[i].Standing = ""
	}
	if silent := draw(t, "es-MX", salesview.SaleDetailBody(v)); strings.Contains(silent, `data-testid="charged"`) {
		t.Error("the form says charged of a terminal that did not")
	}
}
