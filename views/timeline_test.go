package views

import (
	"context"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/views/locale"
	salesview "veinte/views/sales"
	"veinte/views/samples"
)

// steps are the titles of a story, with what the service answered.
func steps(v *salesview.SaleDetailView) string {
	ctx := locale.With(context.Background(), "es-MX")
	var all []string
	for _, m := range salesview.Moments(ctx, v) {
		step := m.Title
		for _, more := range []string{m.Detail, m.Facts} {
			if more != "" {
				step += " | " + more
			}
		}
		all = append(all, step)
	}
	return strings.Join(all, "\n")
}

func TestTimelineTellsTheCauseBeforeItsEffect(t *testing.T) {
	t.Parallel()
	const begun = "La venta llegó de la terminal\n" +
		"Solicitud de cancelación | Se cobró dos veces: El cliente trae los dos tickets.\n" +
		"Empezó a enviarse (intento 1)\n"
	for state, want := range map[models.SaleState]string{
		models.SaleSending: strings.TrimSpace(begun),
		models.SaleAccepted: begun +
			"El servicio la envió a la terminal | Intento 1: HTTP 200 · código 00 · menos de 0.1 s",
		models.SaleConfirmed: begun +
			"El servicio la envió a la terminal | Intento 1: HTTP 200 · código 00 · menos de 0.1 s\n" +
			"La terminal contestó: cancelación | Código de respuesta 00\n" +
			"Cancelación confirmada | La terminal confirmó la cancelación.",
		models.SaleRejected: begun +
			"Rechazada | " + locale.In("es-MX", "detail.terminalNotFound") + " | Intento 1: HTTP 200 · código 19 · 0.2 s",
		models.SaleUnknown: begun +
			"Quedó por verificar | El servicio no respondió a tiempo. | Intento 1: 30.0 s\n" +
			"La terminal contestó: verificación | Código de respuesta 00",
	} {
		if got := steps(shop.SaleDetail(models.Supervisor, "19:52:03", state)); got != want {
			t.Errorf("story of %s:\n%s\nwant:\n%s", state, got, want)
		}
	}
}

// A terminal can be faster than the service's answer is written: the answer
// then moves nothing and is told where it came.
func TestTimelineTellsAnAnswerThatMovedNothing(t *testing.T) {
	t.Parallel()
	v := shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleConfirmed)
	s, late := &v.Detail, at(t, "19:41:20")
	s.Entries = append(s.Entries[:2], s.Entries[3]) // no move to accepted
	s.Cancellations[0].AttemptList[0].FinishedAt = &late
	want := "Empezó a enviarse (intento 1)\n" +
		"Intento 1: el servicio la recibió | HTTP 200 · código 00 · menos de 0.1 s\n" +
		"La terminal contestó: cancelación | Código de respuesta 00\n"
	if got := steps(v); !strings.Contains(got, want) {
		t.Errorf("story:\n%s\nwant in it:\n%s", got, want)
	}
}

// What was sent back for good says why once.
func TestTimelineSaysNothingTwice(t *testing.T) {
	t.Parallel()
	v := shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleSending)
	c := &v.Detail.Cancellations[0]
	tell := &samples.TimelineBuilder{Detail: &v.Detail, Now: c.AttemptList[0].StartedAt, From: models.Sending}
	tell.Answer(300*time.Millisecond, models.Attempt{Meaning: models.MeaningNotSent, Detail: models.DetailDialFailed}, models.Requested)
	tell.Move(models.Withdrawn, models.DetailDialFailed, nil)
	got := steps(v)
	if n := strings.Count(got, locale.In("es-MX", "detail.dialFailed")); n != 1 {
		t.Errorf("the cause is told %d times, want once:\n%s", n, got)
	}
	if !strings.HasSuffix(got, "Intento 1: 0.3 s\nLa solicitud no se envió") {
		t.Errorf("story:\n%s\nwant it to end with what became of it", got)
	}
}

// Inquiries that follow each other are one step, which says how often, when and what came
// of them; what they were one by one is folded below it.
func TestRepeatedInquiriesAreOneStep(t *testing.T) {
	t.Parallel()
	const asked = "Se preguntó 4 veces a la terminal (19:41–19:44)"
	for name, tt := range map[string]struct {
		times, answered int
		standing        models.SaleStanding
		want            string
	}{
		"always the same":      {4, 4, models.StandingCharged, asked + ": siempre «sigue cobrada»"},
		"no answer":            {4, 0, "", asked + " y no contestó"},
		"an answer is missing": {4, 3, models.StandingCharged, asked + ", con respuestas distintas o faltantes"},
		"once":                 {1, 1, models.StandingCharged, ""},
	} {
		v := shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleAccepted)
		for n := range tt.times {
			at := v.Detail.Latest().RequestedAt.Add(time.Duration(n+1) * 55 * time.Second)
			v.Detail.Entries = append(v.Detail.Entries, models.AuditEntry{
				ID: int64(7000 + n), At: at, Action: models.ActionInquirySent, Outcome: models.OutcomeSuccess, ActorRole: models.SystemRole,
			})
			if n < tt.answered {
				v.Detail.Results = append(v.Detail.Results, models.Result{
					ReceivedAt: at.Add(time.Second), Kind: models.ResultInquiry, Status: models.ResultIgnored, Standing: tt.standing,
				})
			}
		}
		before := len(salesview.Moments(mexican(t), shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleAccepted)))
		all := salesview.Moments(mexican(t), v)
		if tt.want == "" {
			if len(all) != before+2 {
				t.Errorf("%s: %d steps, want the %d of one inquiry besides %d", name, len(all), 2, before)
			}
			continue
		}
		last := all[len(all)-1]
		if len(all) != before+1 || last.Title != tt.want || len(last.Folded) != tt.times+tt.answered {
			t.Errorf("%s: %d steps, the last %q of %d, want %d and %q of %d",
				name, len(all), last.Title, len(last.Folded), before+1, tt.want, tt.times+tt.answered)
		}
	}
}
