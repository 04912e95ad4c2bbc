package sales

import (
	"context"

	"veinte/models"
	"veinte/models/operations"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// Onboarding is what a user may do first in their role, until they dismiss it.
type Onboarding struct {
	// PracticeURL is where one practises without money; "" when nowhere.
	PracticeURL string
	// Begun is what an administrator has set up; nil for the others.
	Begun *operations.Onboarding
}

// firstStep leads to one thing to do.
type firstStep struct {
	to, text string
	mark     stepMark
}

// stepMark is whether a step is done, for steps whose result can be seen in the
// data.
type stepMark string

const (
	stepOpen stepMark = "circle-dot"
	stepDone stepMark = "circle-check"
)

func (f *Onboarding) steps(ctx context.Context, p ui.Page) []firstStep {
	switch p.Actor.Role {
	case models.Supervisor:
		return []firstStep{
			{to: "/review", text: locale.T(ctx, "first.inbox")},
			{to: ui.HelpAbout(p, "settle"), text: locale.T(ctx, "first.settle")},
			{to: "/audit", text: locale.T(ctx, "first.trail")},
			{to: "/audit/verification", text: locale.T(ctx, "first.verify")},
		}
	case models.Administrator:
		return f.begun(ctx, p)
	case models.Auditor:
		return []firstStep{
			{to: ui.HelpAbout(p, "trail"), text: locale.T(ctx, "first.trail")},
			{to: "/audit/verification", text: locale.T(ctx, "first.verify")},
			{to: "/audit/exports", text: locale.T(ctx, "first.export")},
		}
	}
	steps := []firstStep{
		{to: "/sales#f-q", text: locale.T(ctx, "first.find")},
		{to: ui.HelpAbout(p, "cancel"), text: locale.T(ctx, "first.sheet", "Keep", locale.T(ctx, "sheet.no"))},
		{to: ui.HelpAbout(p, "states"), text: locale.T(ctx, "first.states",
			"Sent", words.StateWord(ctx, models.SaleAccepted), "Doubt", words.StateWord(ctx, models.SaleUnknown))},
	}
	if f.PracticeURL != "" {
		steps = append(steps, firstStep{to: f.PracticeURL, text: locale.T(ctx, "help.practise")})
	}
	return steps
}

// begun are an administrator's steps, each with how it stands.
func (f *Onboarding) begun(ctx context.Context, p ui.Page) []firstStep {
	b := f.Begun
	if b == nil {
		return nil
	}
	rules := locale.T(ctx, "first.rulesNone")
	if b.RuleChanges > 0 {
		rules = locale.T(ctx, "first.rules", "Count", b.RuleChanges, "N", ui.Number(b.RuleChanges))
	}
	test := locale.T(ctx, "first.testNone")
	switch when := ui.DateTime(ctx, b.Test.At, p.Zone()); {
	case b.Test.Good():
		test = locale.T(ctx, "first.testGood", "When", when)
	case !b.Test.At.IsZero():
		test = locale.T(ctx, "first.testBad", "When", when)
	}
	return []firstStep{
		{"/stores", locale.T(ctx, "first.stores", "Count", b.Stores, "N", ui.Number(b.Stores)), stepIf(b.Stores > 0)},
		{"/terminals/new", locale.T(ctx, "first.terminals", "Count", b.Terminals, "N", ui.Number(b.Terminals)), stepIf(b.Terminals > 0)},
		{"/users", locale.T(ctx, "first.people", "Count", b.People, "N", ui.Number(b.People)), stepIf(b.People > 1)}, // besides the reader
		{"/settings/rules", rules, stepIf(b.RuleChanges > 0)},
		{"/settings/connection", test, stepIf(b.Test.Good())},
	}
}

func stepIf(done bool) stepMark {
	if done {
		return stepDone
	}
	return stepOpen
}
