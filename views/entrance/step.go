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
	// App says that they have an app. Passkeys has whether they have a passkey, and can use
	// or make one here.
	App      bool
	Passkeys Passkeys
	// Key and URL are what is entered in the app that is set up now; "" for who has one.
	Key, URL string
	Errors   ui.Errors // code, passkey
}

func (v *StepView) title(ctx context.Context) string {
	if v.Key != "" {
		return locale.T(ctx, "factor.setUp")
	}
	return locale.T(ctx, "factor.title")
}

// lead is the key of what is asked for.
func (v *StepView) lead() string {
	switch {
	case v.App && v.Passkeys.Has:
		return "factor.leadBoth"
	case v.Passkeys.Has:
		return "factor.leadPasskey"
	}
	return "factor.lead"
}

// onlyRecovery reports whether nothing else can be typed here.
func (v *StepView) onlyRecovery() bool { return v.Key == "" && !v.App }

// passkeyLook makes the passkey the first choice of who has one.
func (v *StepView) passkeyLook() string {
	if v.Passkeys.Has && !v.App {
		return "primary"
	}
	return ""
}

// RecoveryView shows new recovery codes, once.
type RecoveryView struct {
	ui.Page
	Email string
	Codes []string
	Next  string
	Lead  string // catalogue key of why they are shown
}
