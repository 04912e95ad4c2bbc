package entrance

import "veinte/views/ui"

// AccountView is a person's own account.
type AccountView struct {
	ui.Page
	Sessions []ui.SessionLine
	Devices  []ui.DeviceLine
	Password bool      // they have one
	Errors   ui.Errors // current, password, again
}
