package settings

import (
	"context"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
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

func roleOptions(ctx context.Context) []ui.Option {
	options := make([]ui.Option, 0, len(models.Roles))
	for _, r := range models.Roles {
		options = append(options, ui.Option{Value: string(r), Text: ui.RoleWord(ctx, r)})
	}
	return options
}
