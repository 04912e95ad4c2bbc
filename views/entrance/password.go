package entrance

import (
	"context"

	"veinte/models/accounts"
	"veinte/views/locale"
	"veinte/views/ui"
)

// PasswordView is the page of a link by which people set their own password. Path is
// the link's own: the form is sent there, and the switch of language comes back to it.
type PasswordView struct {
	ui.Page
	Link    *accounts.Link // nil for one that nobody knows
	Refused string         // code of why the link does not open; "" while it does
	Errors  ui.Errors      // password, again
}

// help says what to do about a link that does not open.
func (v *PasswordView) help(ctx context.Context) []string {
	if v.Link == nil {
		return []string{locale.T(ctx, v.Refused+"Hint")}
	}
	lines := []string{locale.T(ctx, v.Refused+"Hint", "Name", v.Link.Name, "Reader", v.Actor.Name)}
	if v.Refused == "link.expired" {
		lines = append(lines, locale.T(ctx, "link.clock",
			"Until", ui.DateTime(ctx, v.Link.ExpiresAt, v.Zone()), "Now", ui.DateTime(ctx, v.Now, v.Zone())))
	}
	return lines
}
