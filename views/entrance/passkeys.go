package entrance

import "veinte/views/ui"

// Passkeys says whether they can be used on a page.
type Passkeys struct {
	Here      bool
	Site      string // the name of the host that they are of; "" where they work at none
	Elsewhere string // the address at which they work; "" where they work at none
	Has       bool   // its person has one
}

// PasskeyForm has a browser sign with a passkey, or make one, before it is sent.
type PasskeyForm struct {
	To, From string // where it is sent, and where the script learns what is to be signed
	Makes    bool
	Autofill bool // the browser offers passkeys in the list below the address
	ID       string
	Label    string // catalogue key of the button
	Look     string // class of the button
	Next     string
	Errs     ui.Errors // passkey
}

func (f PasskeyForm) ceremony() string {
	if f.Makes {
		return "create"
	}
	return "get"
}
