package samples

import (
	"veinte/models"
	salesview "veinte/views/sales"
)

// Slip is what a customer is told.
func (s Shop) Slip(told models.SlipTold) *salesview.SlipView {
	v := &salesview.SlipView{Page: s.Page(models.Manager, "/sales/100/slip", "19:52:03")}
	v.Slip = models.Slip{Sale: s.Sale(100, "19:33:07", 125000, models.SaleCancelable), Store: s.Stores()[0], Terminal: s.terminals()[1], Told: told}
	if told == models.SlipNotAsked {
		return v
	}
	asked, since := s.At("19:41:00"), s.At("19:43:10")
	v.Slip.AskedAt, v.Slip.Since = &asked, &since
	return v
}

// Pending is a day with a sale of each reason.
func (s Shop) Pending(hhmmss string) *salesview.PendingView {
	v := &salesview.PendingView{Page: s.Page(models.Manager, "/sales/pending", hhmmss), Day: SampleDay, Stores: s.Stores()}
	v.Pending.Sums = map[models.PendingWhy]models.Sum{}
	states := map[models.PendingWhy]models.SaleState{
		models.PendingDoubt: models.SaleUnknown, models.PendingUnderWay: models.SaleAccepted, models.PendingRejected: models.SaleRejected,
		models.PendingCharged: models.SaleNotCanceled, models.PendingNotSent: models.SaleExpired, models.PendingTooLate: models.SaleCancelable,
	}
	for i, why := range models.PendingWhys {
		n := int64(i)
		sale := s.Sale(300+n, "19:33:07", models.Money(45000+n*12345), states[why])
		v.Pending.Sales = append(v.Pending.Sales, models.PendingSale{Sale: sale, Why: why, Since: s.At("19:41:00"), Asker: "Ana Torres Luna"})
		v.Pending.Sums[why] = models.Sum{Count: 1, Amount: sale.Amount}
	}
	return v
}
