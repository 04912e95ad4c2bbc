package settings

import (
	"context"

	"veinte/models/accounts"
	"veinte/views/locale"
	"veinte/views/ui"
)

func (v *UserFormView) title(ctx context.Context) string {
	if v.ID == 0 {
		return locale.T(ctx, "user.new")
	}
	return v.Form.Name
}

// way says how the person comes in: by their password, or by a link until when.
func (v *UserView) way(ctx context.Context) string {
	key := "user.noPassword"
	if v.HasPassword {
		key = "user.hasPassword"
	}
	says := locale.T(ctx, key)
	switch l := v.Link; {
	case l == nil || l.EndedBy != "" && l.EndedBy != accounts.LinkUsed:
	case l.EndedBy == accounts.LinkUsed:
		says += " " + locale.T(ctx, "user.linkUsed", "When", ui.DateTime(ctx, *l.EndedAt, v.Zone()))
	case l.Open(v.Now):
		says += " " + locale.T(ctx, "user.linkOpen", "Until", ui.DateTime(ctx, l.ExpiresAt, v.Zone()))
	default:
		says += " " + locale.T(ctx, "user.linkExpired", "Until", ui.DateTime(ctx, l.ExpiresAt, v.Zone()))
	}
	return says
}

// waitsForAccess reports whether the person's access itself waits for another administrator.
func (v *UserView) waitsForAccess() bool { return v.disabled() && v.Proposal != nil }

// disabling is the act the page offers: locking out, or letting in again.
func (v *UserView) disabling() string {
	if v.disabled() {
		return "enabling"
	}
	return "disabling"
}

// blocking is what the page offers for the name of somebody who may not sign in.
func (v *UserView) blocking() string {
	if v.NameBlocked {
		return "unblocking"
	}
	return "blocking"
}
