package views

import "veinte/models"

// slip is what a customer is told.
func (s sampleShop) slip(told models.SlipTold) *SlipView {
	v := &SlipView{Page: s.page(models.Manager, "/sales/100/slip", "19:52:03")}
	v.Slip = models.Slip{Sale: s.sale(100, "19:33:07", 125000, models.SaleCancelable), Store: s.stores()[0], Terminal: s.terminals()[1], Told: told}
	if told == models.SlipNotAsked {
		return v
	}
	asked, since := s.at("19:41:00"), s.at("19:43:10")
	v.Slip.AskedAt, v.Slip.Since = &asked, &since
	return v
}

// pending is a day with a sale of each reason.
func (s sampleShop) pending(hhmmss string) *PendingView {
	v := &PendingView{Page: s.page(models.Manager, "/sales/pending", hhmmss), Day: sampleDay, Stores: s.stores()}
	v.Pending.Sums = map[models.PendingWhy]models.Sum{}
	states := map[models.PendingWhy]models.SaleState{
		models.PendingDoubt: models.SaleUnknown, models.PendingUnderWay: models.SaleAccepted, models.PendingRejected: models.SaleRejected,
		models.PendingCharged: models.SaleNotCanceled, models.PendingNotSent: models.SaleExpired, models.PendingTooLate: models.SaleCancelable,
	}
	for i, why := range models.PendingWhys {
		n := int64(i)
		sale := s.sale(300+n, "19:33:07", models.Money(45000+n*12345), states[why])
		v.Pending.Sales = append(v.Pending.Sales, models.PendingSale{Sale: sale, Why: why, Since: s.at("19:41:00"), Asker: "Ana Torres Luna"})
		v.Pending.Sums[why] = models.Sum{Count: 1, Amount: sale.Amount}
	}
	return v
}
