package views

import (
	"context"
	"slices"

	"veinte/views/locale"
)

func (v *StoreFormView) title(ctx context.Context) string {
	if v.ID == 0 {
		return locale.T(ctx, "store.new")
	}
	return v.Form.Name
}

// zoneOptions offers the zones of Mexico, and the store's own when it is another.
func zoneOptions(ctx context.Context, chosen string) []option {
	options := make([]option, 0, len(zones)+1)
	for _, z := range zones {
		options = append(options, option{z, zoneName(ctx, z) + " · " + z})
	}
	if chosen != "" && !slices.Contains(zones, chosen) {
		options = append(options, option{chosen, chosen})
	}
	return options
}
