package settings

import (
	"veinte/models/rules"
	"veinte/views/ui"
)

// SettingsView is the way to everything that an administrator keeps.
type SettingsView struct {
	ui.Page
	Pause  *rules.Pause // nil while cancellations are sent
	Reason string       // of a pause, as entered
	Errors ui.Errors
}
