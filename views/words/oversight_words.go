package words

import (
	"context"

	"veinte/models"
	"veinte/views/ui"
)

// CaseWord names the state of a cancellation.
func CaseWord(ctx context.Context, s models.State) string { return ui.Maybe(ctx, "case.", string(s)) }
