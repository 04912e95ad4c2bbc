package words

import (
	"context"

	"veinte/models"
	"veinte/models/reconciliation"
	"veinte/views/locale"
	"veinte/views/ui"
)

// DifferenceSays says how a provider's report and our sale differ, in a sentence.
func DifferenceSays(ctx context.Context, i *reconciliation.ReportItem) string {
	switch i.Kind {
	case reconciliation.ItemUnreadable:
		return locale.T(ctx, "reportProblem."+i.Problem, "Column", i.ProblemColumn, "Value", i.ProblemValue)
	case reconciliation.ItemUnproven, reconciliation.ItemContradictory, reconciliation.ItemOtherDay:
		return locale.T(ctx, "itemWhy."+i.Why)
	case reconciliation.ItemProposed:
		return locale.T(ctx, "itemBasis."+string(i.Basis))
	case reconciliation.ItemAmountDiffers:
		if i.OurAmount != nil {
			return locale.T(ctx, "itemSays.amountsDiffer", "There", moneyOf(i.Amount), "Here", moneyOf(i.OurAmount))
		}
	case reconciliation.ItemStillCharged:
		if i.Why != "" {
			return locale.T(ctx, "itemWhy."+i.Why)
		}
	}
	return locale.T(ctx, "itemSays."+string(i.Kind))
}

// DifferenceNext is what to do about it; "" when nothing is.
func DifferenceNext(ctx context.Context, i *reconciliation.ReportItem) string {
	if key := "itemNext." + string(i.Kind); locale.Has(key) {
		return locale.T(ctx, key)
	}
	return ""
}

func moneyOf(m *models.Money) string {
	if m == nil {
		return "—"
	}
	return ui.Money(*m)
}
