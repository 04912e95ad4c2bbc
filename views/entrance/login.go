package entrance

import (
	"veinte/models"
	"veinte/views/ui"
)

// LoginView is the sign-in page.
type LoginView struct {
	ui.Page
	Email string // as entered before
	Own   bool   // as ticked before
	Next  string // path to go to afterwards; "" for the role's first page
	Error string // catalogue key of what was wrong, such as login.wrong; "" at first
	// Ended is what was asked for after the session had ended: "page", "form", or ""
	// when none had. Sale is the amount of the sale that the form was to cancel; nil
	// where it was about none, or about several.
	Ended string
	Sale  *models.Money
	// SSO is the way in by the provider of the single sign-on; nil: there is none.
	SSO *SSOButton
	// Left is whether somebody has just signed out here, and may be signed in there still.
	Left bool
	// Passkeys says whether one can sign in with one here.
	Passkeys Passkeys
	// Counter is whether the device is a counter, whose people come in with a PIN.
	Counter bool
	// Samples are the demo's people, so that one can sign in without asking.
	Samples []SampleLogin
}

// SampleLogin is a person of the demo.
type SampleLogin struct {
	Email, Password, Role string // Role is a models.Role
	PIN                   string // for counter devices; "" for none
}

// endedWords are the keys of what is said of a session that has ended: what became of a
// form, and where signing in leads.
func (v LoginView) endedWords() (what, then string) {
	switch {
	case v.Ended != "form":
		return "login.ended", ""
	case v.Sale != nil:
		return "login.nothingCanceled", "login.backToSale"
	case v.Next != "":
		return "login.nothingCanceled", "login.backToForm"
	}
	return "login.nothingSaved", ""
}

// emailAuto has browsers offer passkeys beside addresses where they work.
func (v LoginView) emailAuto() string {
	if v.Passkeys.Here {
		return "username" + " webauthn"
	}
	return "username"
}
