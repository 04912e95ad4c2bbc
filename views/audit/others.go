package audit

import (
	"context"

	"veinte/models/audit/attest"
	"veinte/views/locale"
	"veinte/views/ui"
)

const signaturesPath = "/audit/signatures"

// attesterLook is how the standing of one who signs looks.
func attesterLook(a *attest.Attester) (look, picture string) {
	switch {
	case a.Trouble == attest.Refused:
		return "rejected", "triangle-alert"
	case a.Trouble != "":
		return "unknown", "clock"
	case a.SignedAt == nil:
		return "requested", "clock"
	}
	return "confirmed", "circle-check"
}

// attesterStanding is in a word how one who signs stands.
func attesterStanding(ctx context.Context, a *attest.Attester) string {
	switch {
	case a.Trouble != "":
		return locale.T(ctx, "attesterState."+a.Trouble)
	case a.SignedAt == nil:
		return locale.T(ctx, "attesterState.notYet")
	}
	return locale.T(ctx, "attesterState.signs")
}

// attesterNext says what a trouble means and what becomes of it.
func (v *VerificationView) attesterNext(ctx context.Context, a *attest.Attester) string {
	return locale.T(ctx, "attesterNext."+a.Trouble, "Since", ui.Since(ctx, v.Page, a.TroubleSince), "Next", ui.Since(ctx, v.Page, &a.NextAt))
}
