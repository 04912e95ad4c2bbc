package words

import (
	"context"
	"time"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
)

// SharedAddress says how much longer all terminals may post at one address, and what
// to do.
func SharedAddress(ctx context.Context, s models.SharedAddress, now time.Time) string {
	day := ""
	if s.Until != "" {
		day = ui.Day(ctx, s.Until)
	}
	return locale.T(ctx, "sharedAddress."+string(s.State(now)), "Day", day)
}
