package samples

import (
	"strings"

	"veinte/models"
	"veinte/models/notices"
	"veinte/models/review"
	salesview "veinte/views/sales"
	"veinte/views/seal"
)

// Notice is a customer notice of the given status.
func (s Shop) Notice(told notices.Status) *salesview.NoticeView {
	v := &salesview.NoticeView{Page: s.Page(models.Manager, "/sales/100/slip", "19:52:03")}
	v.Notice = notices.Notice{
		Sale: s.Sale(100, "19:33:07", 125000, models.SaleCancelable), Store: s.Stores()[0], Terminal: s.Terminals()[1], Status: told,
	}
	if told == notices.NotRequested {
		return v
	}
	v.Seal = s.seal()
	asked, since := s.At("19:41:00"), s.At("19:43:10")
	v.Notice.RequestedAt, v.Notice.Since = &asked, &since
	return v
}

// Pending is a day with a sale of each reason.
func (s Shop) Pending(hhmmss string) *salesview.PendingView {
	v := &salesview.PendingView{Page: s.Page(models.Manager, "/sales/pending", hhmmss), Day: SampleDay, Stores: s.Stores()}
	v.Pending.Sums = map[review.PendingWhy]models.Sum{}
	states := map[review.PendingWhy]models.SaleState{
		review.PendingDoubt: models.SaleUnknown, review.PendingUnderWay: models.SaleAccepted,
		review.PendingRejected: models.SaleRejected,
		review.PendingCharged:  models.SaleNotCanceled, review.PendingNotSent: models.SaleExpired,
		review.PendingTooLate: models.SaleCancelable,
	}
	for i, why := range review.PendingWhys {
		n := int64(i)
		sale := s.Sale(300+n, "19:33:07", models.Money(45000+n*12345), states[why])
		v.Pending.Sales = append(v.Pending.Sales, review.PendingSale{
			Sale: sale, Why: why, Since: s.At("19:41:00"), Asker: "Ana Torres Luna",
		})
		v.Pending.Sums[why] = models.Sum{Count: 1, Amount: sale.Amount}
	}
	return v
}

// seal is the checkpoint on a paper.
func (s Shop) seal() *seal.View {
	c := s.seals().Checkpoint
	note := "tienda.example/bitacora\n1234567\n" + c.Root.String() + "\ntime 2026-11-21T01:52:01Z\n\n— tienda.example/bitacora " +
		strings.Repeat("A", 92) + "\n"
	return &seal.View{Size: c.Size, Root: c.Root.String(), SealedAt: c.SealedAt, Note: note}
}
