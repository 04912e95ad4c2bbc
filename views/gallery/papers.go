package gallery

import (
	"veinte/models/cancellations"
	salesview "veinte/views/sales"
)

// papers are the printed documents, in each of their states.
func (g galleryShop) papers() []Shown {
	var pages []Shown
	for _, told := range cancellations.NoticeStatuses {
		pages = append(pages, Shown{"slip-" + string(told), salesview.Slip(g.slip(told))})
	}
	odd := g.slip(cancellations.NoticeDoubt)
	odd.Slip.Sale.Amount, odd.Slip.Sale.OrderID, odd.Slip.Terminal.Label, odd.Slip.Store.Name = 9999999999, noSpaces, longName, longName
	none := g.pending("20:10:00")
	none.Pending = cancellations.PendingDay{}
	return append(
		pages,
		Shown{"slip-odd", salesview.Slip(odd)},
		Shown{"pending", salesview.Pending(g.pending("20:10:00"))},
		Shown{"pending-early", salesview.Pending(g.pending("19:52:03"))},
		Shown{"pending-none", salesview.Pending(none)},
	)
}

func (g galleryShop) slip(told cancellations.NoticeStatus) *salesview.SlipView {
	v := g.Shop.Slip(told)
	g.framed(&v.Page)
	return v
}

func (g galleryShop) pending(hhmmss string) *salesview.PendingView {
	v := g.Shop.Pending(hhmmss)
	g.framed(&v.Page)
	return v
}
