package views

import (
	"context"

	"veinte/models"
	"veinte/views/locale"
)

var outcomeIcons = map[models.Outcome]string{
	models.OutcomeSuccess: "check",
	models.OutcomeFailure: "circle-x",
	models.OutcomeDenied:  "ban",
	models.OutcomeUnknown: "circle-question-mark",
}

func (v *AuditView) peopleOptions(ctx context.Context) []option {
	options := []option{{"", locale.T(ctx, "audit.everybody")}}
	for _, p := range v.People {
		options = append(options, option{itoa(p.ID), p.Name})
	}
	return withChosen(options, v.typed("person"))
}

func (v *AuditView) actionOptions(ctx context.Context) []option {
	options := []option{{"", locale.T(ctx, "audit.allActions")}}
	for _, a := range models.Actions {
		options = append(options, option{string(a), actionWord(ctx, a)})
	}
	return withChosen(options, v.typed("action"))
}

func (v *AuditView) outcomeOptions(ctx context.Context) []option {
	options := []option{{"", locale.T(ctx, "audit.allOutcomes")}}
	for _, o := range models.Outcomes {
		options = append(options, option{string(o), outcomeWord(ctx, o)})
	}
	return withChosen(options, v.typed("outcome"))
}

func (v *AuditView) roleOptions(ctx context.Context) []option {
	options := []option{{"", locale.T(ctx, "audit.allRoles")}}
	for _, r := range models.TrailRoles {
		options = append(options, option{string(r), roleWord(ctx, r)})
	}
	return withChosen(options, v.typed("role"))
}

func (v *AuditView) reasonOptions(ctx context.Context) []option {
	options := []option{{"", locale.T(ctx, "audit.allReasons")}}
	for i := range v.Reasons {
		options = append(options, option{v.Reasons[i].Code, reasonLabel(ctx, v.Reasons, v.Reasons[i].Code)})
	}
	return withChosen(options, v.typed("reason"))
}

func (v *AuditView) storeChoices(ctx context.Context) []option {
	return withChosen(storeOptions(ctx, v.Stores, "sales.allStores"), v.typed("store"))
}

// withChosen adds what an address asks for and the list does not offer, so that
// the form keeps it: somebody who left, a reason of the system's own, or what is
// wrong.
func withChosen(options []option, chosen string) []option {
	for _, o := range options {
		if o.value == chosen {
			return options
		}
	}
	return append(options, option{chosen, chosen})
}
