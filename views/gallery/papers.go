package gallery

import (
	"veinte/models/notices"
	"veinte/models/review"
	salesview "veinte/views/sales"
	"veinte/views/samples"
)

// papers are the printed documents, in each of their states.
func papers(g samples.Shop) []Shown {
	var pages []Shown
	for _, told := range notices.Statuses {
		pages = append(pages, Shown{"slip-" + string(told), salesview.Notice(g.Notice(told))})
	}
	odd := g.Notice(notices.Doubt)
	odd.Notice.Sale.Amount, odd.Notice.Sale.OrderID = 9999999999, noSpaces
	odd.Notice.Terminal.Label, odd.Notice.Store.Name = longName, longName
	none := g.Pending("20:10:00")
	none.Pending = review.PendingDay{}
	return append(
		pages,
		Shown{"slip-odd", salesview.Notice(odd)},
		Shown{"pending", salesview.Pending(g.Pending("20:10:00"))},
		Shown{"pending-early", salesview.Pending(g.Pending("19:52:03"))},
		Shown{"pending-none", salesview.Pending(none)},
	)
}
