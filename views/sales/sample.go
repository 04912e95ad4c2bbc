package sales

import (
	"slices"

	"veinte/models/sales"
)

// Matches gives the list the sums of what text or state let through, terminal by
// terminal; there is nothing of those beyond.
func (v *SalesView) Matches(sums ...sales.Totals) {
	v.List.Matched = slices.Clone(v.List.Totals)
	for i := range v.List.Matched {
		v.List.Matched[i].Totals = sales.Totals{}
	}
	for i := range sums {
		v.List.Matched[i].Totals = sums[i]
	}
	v.List.Filtered = totalOf(v.List.Matched)
}
