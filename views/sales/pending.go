package sales

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"veinte/models"
	"veinte/models/review"
	"veinte/views/locale"
	"veinte/views/ui"
)

// PendingView is a day's cancellations that are not yet resolved with customers.
type PendingView struct {
	ui.Page
	Day     models.Day
	Store   int64 // 0: all that the reader sees
	Stores  []models.Store
	Pending review.PendingDay
	Errors  ui.Errors // of the filter: date
}

func PendingURL(day models.Day, store int64) string {
	q := url.Values{"date": {string(day)}}
	ui.SetID(q, "store", store)
	return ui.Address("/sales/pending", q)
}

func (v *PendingView) listURL() string {
	if v.Day == v.Today() {
		return "/sales"
	}
	return "/sales?date=" + string(v.Day)
}

// storeOf is the sale's store; an empty one where the list has none of it.
func (v *PendingView) storeOf(s *models.Sale) *models.Store {
	return cmp.Or(ui.StoreOf(v.Stores, s.StoreID), &models.Store{TimeZone: v.Zone().String()})
}

// sums are the reasons that there are, with how many and how much.
func (v *PendingView) sums(ctx context.Context) (lines []ui.Fact) {
	for _, why := range review.PendingWhys {
		if sum := v.Pending.Sums[why]; sum.Count > 0 {
			lines = append(lines, ui.Fact{Label: locale.T(ctx, "pendingWhy."+string(why)), Value: pendingSum(ctx, sum)})
		}
	}
	return lines
}

// total is of all that are listed.
func (v *PendingView) total() (all models.Sum) {
	for _, sum := range v.Pending.Sums {
		all.Add(sum)
	}
	return all
}

func pendingSum(ctx context.Context, s models.Sum) string {
	return locale.T(ctx, "sales.count", "Count", s.Count, "N", ui.Number(s.Count)) + " · " + ui.Money(s.Amount) + " " + models.Currency
}

// Next is what to do about one of them now: what can still be canceled is not
// given back, and what is in doubt is not given back twice.
func (v *PendingView) Next(ctx context.Context, p *review.PendingSale) string {
	switch {
	case !p.Why.Known():
		return locale.T(ctx, "pendingNext."+string(p.Why))
	case v.Window.Open(&p.Sale, v.Now) && p.State.Requestable():
		return locale.T(ctx, "pendingNext.again")
	}
	return locale.T(ctx, "pendingNext.refund")
}

func pendingTone(w review.PendingWhy) string {
	return map[review.PendingWhy]string{
		review.PendingDoubt: "unknown", review.PendingUnderWay: "accepted", review.PendingRejected: "rejected",
		review.PendingCharged: "notCanceled", review.PendingNotSent: "expired", review.PendingTooLate: "tooLate",
	}[w]
}

// Text is the list as a message that can be sent.
func (v *PendingView) Text(ctx context.Context) string {
	var b strings.Builder
	line := func(words string) { b.WriteString(words + "\n") }
	line(locale.T(ctx, "pending.title") + " · " + ui.Day(ctx, v.Day))
	line(locale.T(ctx, "pending.all") + ": " + pendingSum(ctx, v.total()))
	for _, f := range v.sums(ctx) {
		line(f.Label + ": " + f.Value)
	}
	for i := range v.Pending.Sales {
		p := &v.Pending.Sales[i]
		line("")
		line(locale.T(ctx, "pendingWhy."+string(p.Why)) + ". " + v.Next(ctx, p))
		for _, f := range refundFacts(ctx, v.Page, &p.Sale, v.storeOf(&p.Sale)) {
			line(f.Label + ": " + f.Value)
		}
	}
	line("")
	b.WriteString(locale.T(ctx, "slip.asOf", "When", ui.PrintedAt(ctx, v.Page)))
	return b.String()
}
