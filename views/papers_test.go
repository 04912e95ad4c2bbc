package views

import (
	"slices"
	"strings"
	"testing"
	"time"

	"veinte/models/notices"
	"veinte/models/review"
	"veinte/views/locale"
	salesview "veinte/views/sales"
	"veinte/views/words"
)

// canceledWords say that a sale is canceled; what only asks for it, or denies it,
// is taken out before they are looked for.
var (
	canceledWords = map[string][]string{"es-MX": {"cancelada", "se canceló", "confirmó"}, "en": {"canceled", "confirmed"}}
	harmless      = map[string][]string{
		"es-MX": {"todavía que quedó cancelada", "todavía no está cancelada", "no se canceló"},
		"en":    {"yet that it was canceled", "not canceled"},
	}
)

// A slip says that a sale is canceled only where something proves it.
func TestASlipPromisesNothing(t *testing.T) {
	t.Parallel()
	proven := []notices.Status{notices.Canceled, notices.Seen, notices.Reported}
	for _, lang := range locale.Languages {
		for _, told := range notices.Statuses {
			v := shop.Notice(told)
			ctx := locale.With(t.Context(), lang)
			words := strings.ToLower(locale.T(ctx, "slipHead."+string(told)) + " " + v.Known(ctx))
			for _, h := range harmless[lang] {
				words = strings.ReplaceAll(words, h, "")
			}
			says := slices.ContainsFunc(canceledWords[lang], func(w string) bool { return strings.Contains(words, w) })
			if says != slices.Contains(proven, told) {
				t.Errorf("%s %s: says that it is canceled: %t: %q", lang, told, says, words)
			}
			for _, forbidden := range []string{"falló", "fallida", "failed", "{{", "slip."} {
				if strings.Contains(words, forbidden) {
					t.Errorf("%s %s says %q: %q", lang, told, forbidden, words)
				}
			}
		}
	}
}

// Of what has no proof yet a slip says when it was asked for, not since when there
// has been a doubt; with the zone, for paper outlives the day.
func TestASlipWithoutProofSaysWhenItWasAsked(t *testing.T) {
	t.Parallel()
	asked := time.Date(2026, 11, 21, 1, 41, 7, 0, time.UTC)
	since := asked.Add(3 * time.Minute)
	for _, told := range []notices.Status{notices.Sent, notices.Doubt, notices.Waiting} {
		v := shop.Notice(told)
		v.Notice.RequestedAt, v.Notice.Since = &asked, &since
		if got := v.Known(t.Context()); !strings.Contains(got, "19:41") || strings.Contains(got, "19:44") {
			t.Errorf("%s: %q, want 19:41 in it, when it was asked for, and not 19:44", told, got)
		}
		if got := v.Asked(t.Context()); got != "20 nov 2026, 19:41, hora CDMX" {
			t.Errorf("%s was asked for: %q, want the day, the hour and its zone", told, got)
		}
	}
}

// After the window has closed no paper sends the customer back to have it canceled
// again, and none of a sale that may be canceled yet speaks of a refund.
func TestASlipSaysWhatMayBeAskedForNext(t *testing.T) {
	t.Parallel()
	charged := []notices.Status{
		notices.Rejected, notices.Charged, notices.NotSent, notices.Withdrawn,
		notices.TooLate, notices.NotRequested,
	}
	for lang, words := range map[string][2]string{"es-MX": {"cancelar otra vez", "devolución"}, "en": {"canceling again", "refund"}} {
		ctx := locale.With(t.Context(), lang)
		for _, told := range notices.Statuses {
			v := shop.Notice(told)
			v.Notice.Closed = true
			text := v.Text(ctx)
			if got, want := strings.Contains(text, words[1]), slices.Contains(charged, told); got != want || strings.Contains(text, words[0]) {
				t.Errorf("%s, %s, closed: a refund is spoken of: %t, want %t, and nothing of again:\n%s", lang, told, got, want, text)
			}
		}
	}
}

// What is sent as text says what the paper says.
func TestASlipAsTextIsTheSlip(t *testing.T) {
	t.Parallel()
	v := shop.Notice(notices.Sent)
	text := v.Text(t.Context())
	for _, want := range []string{
		"Se solicitó a la terminal a las 19:41 del 20 nov 2026; aún no hay respuesta. No te podemos asegurar todavía que quedó cancelada.",
		"Roma Norte", "$1,250.00 MXN", "VISA", "·· 4242", v.Notice.Sale.OrderID, "20 nov 2026, 19:52:03 hora CDMX",
	} {
		if want == "VISA" {
			want = words.CardBrand(v.Notice.Sale.CardBrand) // as it stands on the card
		}
		if !strings.Contains(text, want) {
			t.Errorf("the text does not say %q:\n%s", want, text)
		}
	}
	if html := draw(t, "es-MX", salesview.Notice(v)); strings.Contains(html, "hx-get") || !strings.Contains(html, "19:52:03 hora CDMX") {
		t.Error("the slip changes by itself, or does not say as of when it is true")
	}
}

// What is in doubt is never told to be given back.
func TestPendingWarnsOfADoubt(t *testing.T) {
	t.Parallel()
	for _, lang := range locale.Languages {
		ctx := locale.With(t.Context(), lang)
		v := shop.Pending("20:10:00")
		refund := locale.T(ctx, "pendingNext.refund")
		for i := range v.Pending.Sales {
			p := &v.Pending.Sales[i]
			if got := v.Next(ctx, p); (got == refund) != p.Why.Known() {
				t.Errorf("%s %s: %q", lang, p.Why, got)
			}
		}
		early := shop.Pending("19:52:03")
		for i := range early.Pending.Sales {
			if p := &early.Pending.Sales[i]; p.Why == review.PendingRejected && early.Next(ctx, p) != locale.T(ctx, "pendingNext.again") {
				t.Errorf("%s: a refused sale before the cut-off is told %q, want that it can be tried again", lang, early.Next(ctx, p))
			}
		}
		text := v.Text(ctx)
		for i := range v.Pending.Sales {
			if !strings.Contains(text, v.Pending.Sales[i].OrderID) {
				t.Errorf("%s: the text leaves out order %s", lang, v.Pending.Sales[i].OrderID)
			}
		}
	}
}

// What is final does not say that it may change; everything else does.
func TestOnlyACancellationIsFinalOnASlip(t *testing.T) {
	t.Parallel()
	ctx := locale.With(t.Context(), "es-MX")
	for _, told := range notices.Statuses {
		v := shop.Notice(told)
		if may := strings.Contains(v.AsOf(ctx), "puede cambiar"); may == (told == notices.Canceled) {
			t.Errorf("a slip of %s says that it may change: %t", told, may)
		}
	}
}
