package views

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/reconciliation"
	exchangeview "veinte/views/exchange"
	"veinte/views/export"
	"veinte/views/locale"
	"veinte/views/words"
)

// Whatever a report says, there are words for it.
func TestEveryValueOfAReportHasWords(t *testing.T) {
	t.Parallel()
	prefixes := map[string][]string{
		"reconciliation.ItemKind": {"itemKind."}, "reconciliation/report.Field": {"reportField."},
		"reconciliation/report.Meaning":     {"reportMeaning.", "reportMeaningHint."},
		"reconciliation/report.AmountStyle": {"amountStyle."}, "reconciliation/report.DateStyle": {"dateStyle."},
	}
	for typ, begins := range prefixes {
		for _, value := range constants(t, typ) {
			for _, prefix := range begins {
				wantWords(t, prefix+value)
			}
		}
	}
	for _, basis := range constants(t, "reconciliation.Basis") {
		if basis != string(reconciliation.BasisOrder) {
			wantWords(t, "itemBasis."+basis)
		}
	}
	for _, to := range constants(t, "reconciliation.Resolves") {
		wantWords(t, "recon.settles_"+to)
		wantWords(t, "itemSettled."+to)
	}
	for _, lang := range locale.Languages {
		ctx := locale.With(context.Background(), lang)
		v := shop.Reconciliation(models.Supervisor)
		for n := range v.List.Items {
			if i := &v.List.Items[n]; strings.Contains(words.DifferenceSays(ctx, i), "{{") || len(words.DifferenceSays(ctx, i)) < 12 {
				t.Errorf("%s: title of %s = %q", lang, i.Kind, words.DifferenceSays(ctx, i))
			}
		}
	}
}

// A spreadsheet must not reckon what a report says.
func TestDifferencesAreSafeForSpreadsheets(t *testing.T) {
	t.Parallel()
	i := shop.ReportItem(1, reconciliation.ItemUnknownSale, "")
	i.OrderID, i.Folio, i.AuthCode, i.Note = "=cmd()", "+1", "@x", "-1"
	var b bytes.Buffer
	out := export.NewDifferences(locale.With(context.Background(), "es-MX"), &b, nil, time.UTC)
	if err := out.Write([]reconciliation.ReportItem{i}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\ufeffTipo,", ",'=cmd(),", ",'+1,", ",'@x,", ",'-1\n", ",1281.50,"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the file lacks %q:\n%s", want, b.String())
		}
	}
}

func TestWhatCannotBeSettledHereHasNoButton(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]*exchangeview.ReconciliationView{
		"an administrator": shop.Reconciliation(models.Administrator), "a later report": shop.Reconciliation(models.Supervisor),
	} {
		if name == "a later report" {
			v.Report.SupersededBy = 9
		}
		if strings.Contains(draw(t, "es-MX", exchangeview.Reconciliation(v)), `data-testid="settle"`) {
			t.Errorf("%s: there is a button", name)
		}
	}
	if !strings.Contains(draw(t, "es-MX", exchangeview.Reconciliation(shop.Reconciliation(models.Supervisor))), `data-testid="settle"`) {
		t.Error("a supervisor has no button")
	}
}

// Nobody is shown a change into what is so already.
func TestResolvedMeanwhileIsNoChange(t *testing.T) {
	t.Parallel()
	v := shop.Reconciliation(models.Supervisor)
	v.First = v.First[:1]
	v.First[0].Resolves, v.First[0].Now = reconciliation.ResolvesConfirmed, models.SaleUnknown
	if got := draw(t, "es-MX", exchangeview.Reconciliation(v)); !strings.Contains(got, "Por verificar → Cancelada") {
		t.Error("a change is not shown")
	}
	v.First[0].Now = models.SaleConfirmed
	got := draw(t, "es-MX", exchangeview.Reconciliation(v))
	if strings.Contains(got, "Cancelada → Cancelada") || !strings.Contains(got, "Cancelada, ya no cambia") {
		t.Error("what was resolved meanwhile is shown as a change")
	}
}
