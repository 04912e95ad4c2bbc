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
	return options
}

func actionOptions(ctx context.Context) []option {
	options := []option{{"", locale.T(ctx, "audit.allActions")}}
	for _, a := range models.Actions {
		options = append(options, option{string(a), actionWord(ctx, a)})
	}
	return options
}

func outcomeOptions(ctx context.Context) []option {
	options := []option{{"", locale.T(ctx, "audit.allOutcomes")}}
	for _, o := range models.Outcomes {
		options = append(options, option{string(o), outcomeWord(ctx, o)})
	}
	return options
}
