package views

import (
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
)

func sampleRules() models.Rules {
	return models.Rules{
		Cutoff: 20 * 60, Margin: 5 * time.Second, Answer: 30 * time.Second, Result: 180 * time.Second, Quiet: 180 * time.Second,
		PrintReceipt: true, StoreReceipts: map[int64]bool{2: false}, ReasonReceipts: map[string]bool{"chargedTwice": true},
	}
}

func sampleNames(tb testing.TB) RulesNames {
	tb.Helper()
	reasons := sampleReasons()
	gone := at(tb, "09:00:00")
	reasons[3].RetiredAt = &gone
	for i := range reasons {
		reasons[i].Version = 1
	}
	return RulesNames{Stores: sampleStores(), Reasons: append(append([]models.Reason{}, reasons[:3]...), reasons[4], reasons[5], reasons[3])}
}

func samplePast(tb testing.TB, from string) models.PastRules {
	tb.Helper()
	after := sampleRules()
	after.Cutoff, after.Margin, after.StoreReceipts = 19*60+30, 90*time.Second, map[int64]bool{1: false}
	effective, err := time.Parse(time.RFC3339, from)
	if err != nil {
		tb.Fatal(err)
	}
	return models.PastRules{Before: sampleRules(), After: after, RulesVersion: models.RulesVersion{
		ID: 4, SetAt: at(tb, "09:00:00"), SetBy: "Diego Ríos", EffectiveAt: effective, Note: "Horario de <Navidad>",
	}}
}

func sampleRulesView(tb testing.TB) *RulesView {
	tb.Helper()
	return &RulesView{
		Page: page(tb, models.Administrator, "/settings/rules", "19:20:03"), RulesNames: sampleNames(tb), Shown: sampleRules(),
		Form: models.RulesInput{
			Seen: models.RulesSeen{Revision: 3, At: at(tb, "19:20:03")}, Cutoff: "20:00", Margin: "5", Answer: "30", Result: "180", Quiet: "180",
			PrintReceipt: true, Receipts: []models.ReceiptInput{{StoreID: 2, Print: "omit"}, {Reason: "chargedTwice", Print: "print"}},
		},
		Planned: []models.PastRules{samplePast(tb, "2026-11-23T00:00:00-06:00")},
	}
}

func addRulesPages(tb testing.TB, pages map[string]templ.Component) {
	tb.Helper()
	pages["rules"] = Rules(sampleRulesView(tb))
	wrong := sampleRulesView(tb)
	wrong.Form.Cutoff, wrong.Form.Margin, wrong.Form.Receipts[1].Print = "21:00", "diez", "maybe"
	wrong.Errors = Errors{
		"laterCutoff": "rules.confirmLater", "margin": "rules.wholeSeconds", "receipt.chargedTwice": "rules.receiptInvalid",
		"receiptStore.2": "store.unknown", "from": "rules.fromPast",
	}
	pages["rules-wrong"] = Rules(wrong)
	past := samplePast(tb, "2026-11-23T00:00:00-06:00")
	pages["rules-preview"] = RulesPreview(&RulesPreviewView{
		Page: wrong.Page, RulesNames: wrong.RulesNames, Form: wrong.Form,
		Plan: models.RulesPlan{
			EffectiveAt: past.EffectiveAt, Before: past.Before, After: past.After, Note: past.Note,
			Warnings: []string{"rules.warnLater", "rules.warnAnswer", "rules.warnPlanned"},
		},
	})
	back := samplePast(tb, "2026-11-24T00:00:00-06:00")
	backAt := at(tb, "19:00:00")
	back.TakenBackAt, back.TakenBackBy = &backAt, "Ana Torres Luna"
	pages["rules-history"] = RulesHistory(&RulesHistoryView{
		Page: wrong.Page, RulesNames: wrong.RulesNames, Next: 4,
		Versions: []models.PastRules{back, past, samplePast(tb, "2026-11-20T09:00:00-06:00")},
	})
	reasons := &ReasonsView{Page: page(tb, models.Administrator, "/settings/reasons", "19:20:03"), Reasons: sampleNames(tb).Reasons}
	pages["reasons"] = ReasonList(reasons)
	last, wrongNew := *reasons, *reasons
	last.Errors = Errors{"": "reasons.last"}
	wrongNew.New = ReasonForm{LabelES: "Otro", Errors: Errors{"labelEs": "reasons.taken", "labelEn": "field.required"}}
	pages["reasons-last"], pages["reasons-wrong"] = ReasonList(&last), ReasonList(&wrongNew)
	pages["reason"] = ReasonEdit(&ReasonView{
		Page: reasons.Page, Reason: reasons.Reasons[0], Form: ReasonForm{LabelES: "x", Errors: Errors{"labelEn": "field.required"}},
	})
}

func TestTheSheetStartsWithWhatTheRulesSay(t *testing.T) {
	t.Parallel()
	v := sampleSheet(t, "19:41:01")
	v.Rules = models.Rules{PrintReceipt: true, ReasonReceipts: map[string]bool{"chargedTwice": false}}
	v.Form.Reason, v.Form.Receipt = "customerRequest", true
	got := draw(t, "es-MX", Sheet(v))
	for _, want := range []string{
		`value="customerRequest" data-receipt="on"`, `value="chargedTwice" data-receipt="off"`,
		"Con este motivo no se imprime comprobante",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the sheet lacks %s", want)
		}
	}
	if strings.Contains(got, "data-decided") {
		t.Error("nobody has decided about the receipt yet")
	}
	v.Form.Receipt = false
	if !strings.Contains(draw(t, "es-MX", Sheet(v)), "data-decided") {
		t.Error("a receipt that was unticked is not marked as decided")
	}
}

func TestRulesChangeInWords(t *testing.T) {
	t.Parallel()
	got := draw(t, "es-MX", Rules(sampleRulesView(t)))
	for _, want := range []string{
		"lo último se envía antes de las 19:59:55", "Desde 23 nov 2026", "<del>20:00</del>", "<ins>19:30</ins>", "<ins>90 s (1 min 30 s)</ins>",
		"Comprobante: Cancún Centro (CUN-01)", "<ins>Como en general</ins>", "1 excepción", "Horario de &lt;Navidad&gt;",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the rules page lacks %s", want)
		}
	}
}
