package words

import (
	"context"

	"veinte/models"
	"veinte/views/locale"
)

// DetailWord explains a detail; what this page has no words for stays unsaid.
func DetailWord(ctx context.Context, d models.Detail) string {
	if d == "" || !locale.Has("detail."+string(d)) {
		return ""
	}
	return locale.T(ctx, "detail."+string(d))
}

func YesNo(ctx context.Context, yes bool) string {
	if yes {
		return locale.T(ctx, "word.yes")
	}
	return locale.T(ctx, "word.no")
}
