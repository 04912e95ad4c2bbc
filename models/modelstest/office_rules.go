package modelstest

import (
	"context"
	"crypto/rand"

	"veinte/models/rules"
)

// RulesInput returns the rules as they are now with a change typed over them.
func (o *Office) RulesInput(change func(*rules.Input)) rules.Input {
	in := o.Rules.Schedule().Input(o.Clock.Now())
	in.Click = rand.Text()
	change(&in)
	return in
}

// ChangeRules changes the rules as an administrator.
func (o *Office) ChangeRules(change func(*rules.Input)) {
	o.tb.Helper()
	in := o.RulesInput(change)
	if err := o.Rules.Change(context.Background(), o.Admin, in); err != nil {
		o.tb.Fatalf("ChangeRules(%+v) = %v", in, err)
	}
}
