package views

import (
	"context"
	"time"

	"veinte/views/locale"
)

// ConnectionView is what is known of the service.
type ConnectionView struct {
	Page
	Ahead     time.Duration // of the service's clock before ours
	Inquiries bool          // the service has an operation to verify with
}

// clockText says how the service's clock differs from ours, of however little.
func (v *ConnectionView) clockText(ctx context.Context) string {
	if v.Ahead.Abs() < time.Second {
		return locale.T(ctx, "settings.clockSame")
	}
	return locale.T(ctx, clockKey(v.Ahead), "S", seconds(v.Ahead))
}
