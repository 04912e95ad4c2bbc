package words

import (
	"context"

	"veinte/models"
	"veinte/views/ui"
)

// CancellationStateText names the state of a cancellation.
func CancellationStateText(ctx context.Context, s models.State) string {
	return ui.Maybe(ctx, "case.", string(s))
}
