package audit

import (
	"context"
	"slices"

	"veinte/models"
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
	return v.offer("person", options)
}

func (v *AuditView) reasonOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{{Value: "", Text: locale.T(ctx, "audit.allReasons")}}
	for i := range v.Reasons {
		options = append(options, ui.Option{Value: v.Reasons[i].Code, Text: words.ReasonLabel(ctx, v.Reasons, v.Reasons[i].Code)})
	}
	return v.offer("reason", options)
}

// offer adds what an address asks for and the list does not offer, so that the
// form keeps it: somebody who left, a reason of the system's own, or what is wrong.
func (v *AuditView) offer(name string, options []ui.Option) []ui.Option {
	chosen := v.typed(name)
	if slices.ContainsFunc(options, func(o ui.Option) bool { return o.Value == chosen }) {
		return options
	}
	return append(options, ui.Option{Value: chosen, Text: chosen})
}
