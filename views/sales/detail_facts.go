package sales

import (
	"context"
	"slices"
	"strings"

	"veinte/models"
	"veinte/views/locale"
)

// withOrigin is a value of the sale's page, with the doors that filled in its facts
// where these are not the one that told the sale.
func (v *SaleDetailView) withOrigin(ctx context.Context, value string, facts ...string) string {
	var sources []string
	for i := range v.Detail.Facts {
		f := &v.Detail.Facts[i]
		if source := factSource(ctx, f); f.Filled && slices.Contains(facts, f.Fact) && !slices.Contains(sources, source) {
			sources = append(sources, source)
		}
	}
	if value == "" || len(sources) == 0 {
		return value
	}
	return locale.T(ctx, "sale.factFrom", "Value", value, "Source", strings.Join(sources, "; "))
}

// contradicted lists what doors said otherwise than the sale has it.
func (v *SaleDetailView) contradicted() []models.SaleFact {
	var other []models.SaleFact
	for _, f := range v.Detail.Facts {
		if !models.SameFact(f.Fact, f.Value, *models.Fact(f.Fact).Kept(&v.Detail.Sale)) {
			other = append(other, f)
		}
	}
	return other
}

// factLabel names a fact.
func factLabel(ctx context.Context, fact string) string {
	if fact == "last4" || fact == "cardBrand" {
		return locale.T(ctx, "sales.card")
	}
	return locale.T(ctx, "sale."+fact)
}

// factSource is the door that said it, and who.
func factSource(ctx context.Context, f *models.SaleFact) string {
	text := locale.T(ctx, "factFrom."+string(f.Source))
	if f.RecordedBy != "" {
		text += ": " + f.RecordedBy
	}
	return text
}
