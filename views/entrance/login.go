package entrance

import (
	"veinte/views/ui"
)

// LoginView is the sign-in page.
type LoginView struct {
	ui.Page
	Email string // as entered before
	Next  string // path to go to afterwards; "" for the role's first page
	Error string // catalogue key of what was wrong, such as login.wrong; "" at first
	// Samples are the demo's people, so that one can sign in without asking.
	Samples []SampleLogin
}

// SampleLogin is a person of the demo.
type SampleLogin struct {
	Email, Password, Role string // Role is a models.Role
}
