package samples

import (
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/rules"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
)

func (s Shop) rules() rules.Rules {
	return rules.Rules{
		Cutoff: 20 * 60, Margin: 5 * time.Second, Answer: 30 * time.Second, Result: 180 * time.Second, Quiet: 180 * time.Second,
		PrintReceipt: true, StoreReceipts: map[int64]bool{2: false}, ReasonReceipts: map[string]bool{"chargedTwice": true},
	}
}

func (s Shop) ruleNames() settingsview.RulesNames {
	reasons := s.reasons()
	gone := s.At("09:00:00")
	reasons[3].RetiredAt = &gone
	for i := range reasons {
		reasons[i].Version = 1
	}
	return settingsview.RulesNames{
		Stores: s.Stores(), Reasons: append(append([]models.Reason{}, reasons[:3]...), reasons[4], reasons[5], reasons[3]),
	}
}

func (s Shop) pastRules(from string) rules.PastRules {
	after := s.rules()
	after.Cutoff, after.Margin, after.StoreReceipts = 19*60+30, 90*time.Second, map[int64]bool{1: false}
	effective, err := time.Parse(time.RFC3339, from)
	if err != nil {
		panic(err) // a time that is written in this package
	}
	return rules.PastRules{Before: s.rules(), After: after, Version: rules.Version{
		ID: 4, SetAt: s.At("09:00:00"), SetBy: "Diego Ríos", EffectiveAt: effective, Note: "Horario de <Navidad>",
	}}
}

func (s Shop) Rules() *settingsview.RulesView {
	return &settingsview.RulesView{
		Page: s.Page(models.Administrator, "/settings/rules", "19:20:03"), RulesNames: s.ruleNames(), Shown: s.rules(),
		Form: rules.Input{
			Seen: rules.Shown{Revision: 3, At: s.At("19:20:03")}, Cutoff: "20:00", Margin: "5", Answer: "30", Result: "180", Quiet: "180",
			PrintReceipt: true, Receipts: []rules.ReceiptInput{{StoreID: 2, Print: "omit"}, {Reason: "chargedTwice", Print: "print"}},
		},
		Planned: []rules.PastRules{s.pastRules("2026-11-23T00:00:00-06:00")},
	}
}

func (s Shop) addRulesPages(pages map[string]templ.Component) {
	pages["rules"] = settingsview.Rules(s.Rules())
	wrong := s.Rules()
	wrong.Form.Cutoff, wrong.Form.Margin, wrong.Form.Receipts[1].Print = "21:00", "diez", "maybe"
	wrong.Errors = ui.Errors{
		"laterCutoff": "rules.confirmLater", "margin": "rules.wholeSeconds", "receipt.chargedTwice": "rules.receiptInvalid",
		"receiptStore.2": "store.unknown", "from": "rules.fromPast",
	}
	pages["rules-wrong"] = settingsview.Rules(wrong)
	past := s.pastRules("2026-11-23T00:00:00-06:00")
	pages["rules-preview"] = settingsview.RulesPreview(&settingsview.RulesPreviewView{
		Page: wrong.Page, RulesNames: wrong.RulesNames, Form: wrong.Form,
		Plan: rules.Plan{
			EffectiveAt: past.EffectiveAt, Before: past.Before, After: past.After, Note: past.Note,
			Warnings: []string{"rules.warnLater", "rules.warnAnswer", "rules.warnPlanned"},
		},
	})
	back := s.pastRules("2026-11-24T00:00:00-06:00")
	backAt := s.At("19:00:00")
	back.WithdrawnAt, back.WithdrawnBy = &backAt, "Ana Torres Luna"
	pages["rules-history"] = settingsview.RulesVersions(&settingsview.RulesVersionsView{
		Page: wrong.Page, RulesNames: wrong.RulesNames, Next: 4,
		Versions: []rules.PastRules{back, past, s.pastRules("2026-11-20T09:00:00-06:00")},
	})
	reasons := &settingsview.ReasonsView{Page: s.Page(models.Administrator, "/settings/reasons", "19:20:03"), Reasons: s.ruleNames().Reasons}
	pages["reasons"] = settingsview.ReasonList(reasons)
	last, wrongNew := *reasons, *reasons
	last.Errors = ui.Errors{"": "reasons.last"}
	wrongNew.New = settingsview.ReasonForm{LabelES: "Otro", Errors: ui.Errors{"labelEs": "reasons.taken", "labelEn": "field.required"}}
	pages["reasons-last"], pages["reasons-wrong"] = settingsview.ReasonList(&last), settingsview.ReasonList(&wrongNew)
	pages["reason"] = settingsview.ReasonEdit(&settingsview.ReasonView{
		Page: reasons.Page, Reason: reasons.Reasons[0],
		Form: settingsview.ReasonForm{LabelES: "x", Errors: ui.Errors{"labelEn": "field.required"}},
	})
}
