package entrance

import "veinte/views/ui"

// AccountView is a person's own account.
type AccountView struct {
	ui.Page
	Sessions []ui.SessionLine
}
