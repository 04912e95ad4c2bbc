package audit

import (
	"context"

	"veinte/models"
	"veinte/models/audit"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

var outcomeIcons = map[models.Outcome]string{
	models.OutcomeSuccess: "check",
	models.OutcomeFailure: "circle-x",
	models.OutcomeDenied:  "ban",
	models.OutcomeUnknown: "circle-question-mark",
}

func (v *AuditView) peopleOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{{Value: "", Text: locale.T(ctx, "audit.everybody")}}
	for _, p := range v.People {
		options = append(options, ui.Option{Value: ui.Itoa(p.ID), Text: p.Name})
	}
	return withChosen(options, v.typed("person"))
}

func (v *AuditView) actionOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{{Value: "", Text: locale.T(ctx, "audit.allActions")}}
	for _, a := range models.Actions {
		options = append(options, ui.Option{Value: string(a), Text: words.ActionWord(ctx, a)})
	}
	return withChosen(options, v.typed("action"))
}

func (v *AuditView) outcomeOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{{Value: "", Text: locale.T(ctx, "audit.allOutcomes")}}
	for _, o := range models.Outcomes {
		options = append(options, ui.Option{Value: string(o), Text: words.OutcomeWord(ctx, o)})
	}
	return withChosen(options, v.typed("outcome"))
}

func (v *AuditView) roleOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{{Value: "", Text: locale.T(ctx, "audit.allRoles")}}
	for _, r := range audit.TrailRoles {
		options = append(options, ui.Option{Value: string(r), Text: ui.RoleWord(ctx, r)})
	}
	return withChosen(options, v.typed("role"))
}

func (v *AuditView) reasonOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{{Value: "", Text: locale.T(ctx, "audit.allReasons")}}
	for i := range v.Reasons {
		options = append(options, ui.Option{Value: v.Reasons[i].Code, Text: words.ReasonLabel(ctx, v.Reasons, v.Reasons[i].Code)})
	}
	return withChosen(options, v.typed("reason"))
}

func (v *AuditView) storeChoices(ctx context.Context) []ui.Option {
	return withChosen(ui.StoreOptions(ctx, v.Stores, "sales.allStores"), v.typed("store"))
}

// withChosen adds what an address asks for and the list does not offer, so that
// the form keeps it: somebody who left, a reason of the system's own, or what is
// wrong.
func withChosen(options []ui.Option, chosen string) []ui.Option {
	for _, o := range options {
		if o.Value == chosen {
			return options
		}
	}
	return append(options, ui.Option{Value: chosen, Text: chosen})
}
