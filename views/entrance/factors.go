package entrance

import (
	"cmp"

	"veinte/models/counters"
	"veinte/models/entrance"
	"veinte/views/ui"
)

// FactorsView is what somebody has for their second step.
type FactorsView struct {
	ui.Page
	*entrance.OwnFactors
	Passkeys Passkeys
	PIN      counters.OwnPIN
	Where    string    // the form that was refused, by its id; "" for none
	Name     string    // of the passkey, as typed
	Errors   ui.Errors // name, proof, code, passkey
}

// errs are the refusals of a form.
func (v *FactorsView) errs(form string) ui.Errors {
	if v.Where == form {
		return v.Errors
	}
	return nil
}

// refusal is why a form that only asks for a proof was refused.
func (v *FactorsView) refusal(form string) string {
	errs := v.errs(form)
	return cmp.Or(errs["proof"], errs["passkey"])
}

// usable reports whether they have a passkey that works at this address.
func (v *FactorsView) usable() bool {
	for _, k := range v.Keys {
		if v.Passkeys.Here && k.ClonedAt == nil && k.Site == v.Passkeys.Site {
			return true
		}
	}
	return false
}

// proofForm is a form that asks whether it is still them.
type proofForm struct {
	to, id string
	does   string // catalogue key of its button
	look   string
	opens  string // catalogue key of what unfolds it
	hint   string // catalogue key; "" for none
}
