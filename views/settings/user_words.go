package settings

import (
	"context"

	"veinte/views/locale"
)

func (v *UserFormView) title(ctx context.Context) string {
	if v.ID == 0 {
		return locale.T(ctx, "user.new")
	}
	return v.Form.Name
}

// disabling is the act the page offers: locking out, or letting in again.
func (v *UserFormView) disabling() string {
	if v.Disabled {
		return "enabling"
	}
	return "disabling"
}
