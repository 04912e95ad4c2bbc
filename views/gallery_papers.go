package views

import "veinte/models"

// papers are the pages that leave the house, in each thing that they can say.
func (g galleryShop) papers() []galleryPage {
	var pages []galleryPage
	for _, told := range models.SlipTolds {
		pages = append(pages, galleryPage{"slip-" + string(told), Slip(g.slip(told))})
	}
	odd := g.slip(models.SlipDoubt)
	odd.Slip.Sale.Amount, odd.Slip.Sale.OrderID, odd.Slip.Terminal.Label, odd.Slip.Store.Name = 9999999999, noSpaces, longName, longName
	none := g.pending("20:10:00")
	none.Pending = models.PendingDay{}
	return append(
		pages,
		galleryPage{"slip-odd", Slip(odd)},
		galleryPage{"pending", Pending(g.pending("20:10:00"))},
		galleryPage{"pending-early", Pending(g.pending("19:52:03"))},
		galleryPage{"pending-none", Pending(none)},
	)
}

func (g galleryShop) slip(told models.SlipTold) *SlipView {
	v := g.sampleShop.slip(told)
	g.framed(&v.Page)
	return v
}

func (g galleryShop) pending(hhmmss string) *PendingView {
	v := g.sampleShop.pending(hhmmss)
	g.framed(&v.Page)
	return v
}
