package views

import "veinte/models"

// SettingsView is the way to everything that an administrator keeps.
type SettingsView struct {
	Page
	Pause  *models.Pause // nil while cancellations are sent
	Reason string        // of a pause, as entered
	Errors Errors
}
