package entrance

import (
	"context"

	"veinte/views/locale"
	"veinte/views/ui"
)

// StepView is the second step of a sign-in.
type StepView struct {
	ui.Page
	Email string
	Next  string // path to go to afterwards
	// Key and URL are what is entered in the app that is set up now; "" for who has one.
	Key, URL string
	Errors   ui.Errors // code
}

func (v *StepView) title(ctx context.Context) string {
	if v.Key != "" {
		return locale.T(ctx, "factor.setUp")
	}
	return locale.T(ctx, "factor.title")
}

// RecoveryView shows new recovery codes, once.
type RecoveryView struct {
	ui.Page
	Email string
	Codes []string
	Next  string
}
