package sales

import (
	"slices"

	"veinte/models"
)

// Matches gives the list the sums of what text or state let through, terminal by
// terminal; there is nothing of those beyond.
func (v *SalesView) Matches(found ...models.Sum) {
	v.List.Matched = slices.Clone(v.List.Totals)
	for i := range v.List.Matched {
		v.List.Matched[i].Sums = models.Sums{}
	}
	for i := range found {
		v.List.Matched[i].Sums.Sales = found[i]
	}
	v.List.Filtered = totalOf(v.List.Matched)
}
