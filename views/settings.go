package views

import (
	"context"
	"time"

	"veinte/models"
	"veinte/views/locale"
)

// SettingsView is what an administrator may change while the server runs.
type SettingsView struct {
	Page
	Pause     *models.Pause // nil while cancellations are sent
	Rules     models.Rules
	Reason    string        // of a pause, as entered
	Ahead     time.Duration // of the service's clock before ours
	Inquiries bool          // the service has an operation to verify with
	Errors    Errors
}

// clockText says how the service's clock differs from ours, of however little.
func (v *SettingsView) clockText(ctx context.Context) string {
	if v.Ahead.Abs() < time.Second {
		return locale.T(ctx, "settings.clockSame")
	}
	return locale.T(ctx, clockKey(v.Ahead), "S", seconds(v.Ahead))
}
