package settings

import (
	"veinte/models"
	"veinte/views/ui"
)

// SettingsView is the way to everything that an administrator keeps.
type SettingsView struct {
	ui.Page
	Pause  *models.Pause // nil while cancellations are sent
	Reason string        // of a pause, as entered
	Errors ui.Errors
}
