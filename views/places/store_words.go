package places

import (
	"context"
	"slices"

	"veinte/views/locale"
	"veinte/views/ui"
)

func (v *StoreFormView) title(ctx context.Context) string {
	if v.ID == 0 {
		return locale.T(ctx, "store.new")
	}
	return v.Form.Name
}

// zoneOptions offers the zones of Mexico, and the store's own when it is another.
func zoneOptions(ctx context.Context, chosen string) []ui.Option {
	options := make([]ui.Option, 0, len(ui.Zones)+1)
	for _, z := range ui.Zones {
		options = append(options, ui.Option{Value: z, Text: ui.ZoneName(ctx, z) + " · " + z})
	}
	if chosen != "" && !slices.Contains(ui.Zones, chosen) {
		options = append(options, ui.Option{Value: chosen, Text: chosen})
	}
	return options
}
