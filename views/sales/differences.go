package sales

import (
	"context"
	"strings"

	"veinte/models"
	"veinte/models/audit/compare"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

func mayReadEntries(p ui.Page) bool { return p.Actor.May(models.ReadAudit) }

// differenceWords says a difference in a sentence.
func differenceWords(ctx context.Context, d *compare.Difference) string {
	return locale.T(ctx, "compare."+string(d.Kind), "What", differenceThing(ctx, d), "Field", differenceField(ctx, d),
		"Recorded", differenceValue(ctx, d, d.Recorded), "Found", differenceValue(ctx, d, d.Found))
}

// differenceThing names the row: Venta 41.
func differenceThing(ctx context.Context, d *compare.Difference) string {
	name := d.Table
	if key := "compareTable." + d.Table; locale.Has(key) {
		name = locale.T(ctx, key)
	}
	return strings.TrimSpace(name + " " + d.Row)
}

func differenceField(ctx context.Context, d *compare.Difference) string {
	if key := "compareField." + d.Field; locale.Has(key) {
		return locale.T(ctx, key)
	}
	return d.Field
}

// differenceValue writes a value as pages do.
func differenceValue(ctx context.Context, d *compare.Difference, value string) string {
	switch {
	case value == "":
		return locale.T(ctx, "compare.nothing")
	case d.Field == "amount":
		if m, err := models.ParseMoney(value); err == nil {
			return ui.Money(m)
		}
	case d.Field == "state" && locale.Has("state."+value):
		return words.StateWord(ctx, models.SaleState(value))
	case d.Field == "role" && locale.Has("role."+value):
		return ui.RoleWord(ctx, models.Role(value))
	case value == "true" || value == "false":
		return locale.T(ctx, "compare."+value)
	}
	return value
}
