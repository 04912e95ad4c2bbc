package entrance

import (
	"context"
	"strings"

	"veinte/views/locale"
	"veinte/views/ui"
)

// why says in few words why a sign-in was refused, "" where that is nobody's mistake.
func (s *SignInLine) why(ctx context.Context) string {
	kind, _, _ := strings.Cut(s.Why, ".")
	switch {
	case s.Why == "login.wrong":
		return locale.T(ctx, "signIns.why.password")
	case kind == "factor":
		return locale.T(ctx, "signIns.why.code")
	case kind == "passkey":
		return locale.T(ctx, "signIns.why.passkey")
	case s.Why == "pin.wrong":
		return locale.T(ctx, "signIns.why.pin")
	case s.Why == "error.tooManyLogins", s.Why == "pin.shut":
		return locale.T(ctx, "signIns.why.tooMany")
	case kind == "user":
		return locale.T(ctx, "signIns.why.access")
	case kind == "sso":
		return locale.T(ctx, "value.way.provider")
	}
	return ""
}

// where is the browser and the address.
func (s *SignInLine) where(ctx context.Context) string {
	if s.Agent == "" && s.More > 0 { // of several
		return s.Address
	}
	return ui.AgentWord(ctx, s.Agent) + " · " + s.Address
}
