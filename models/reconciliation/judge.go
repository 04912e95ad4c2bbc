package reconciliation

import (
	"time"

	"veinte/models"
)

// reportedOrder summarizes a report's lines about one order. Equal lines count once.
type reportedOrder struct {
	Sales, Cancellations, Reversals, Declines int
	Problems                                  int
	MinAmount, MaxAmount                      *models.Money // of lines that moved money
	SoldAt, CanceledAt                        *time.Time
	Merchants                                 int  // distinct merchant ids
	Repeated                                  bool // an equal line appeared more than once
}

// verdict combines the lines of one order. oneLine: each sale has one line that
// states how it ended, so two lines contradict each other.
func (s reportedOrder) verdict(oneLine bool) (v Verdict, why string) {
	moved := s.Sales + s.Cancellations + s.Reversals
	switch {
	case s.Problems > 0:
		return VerdictUnreadable, ""
	case moved == 0 && s.Declines > 0:
		return VerdictDeclined, ""
	case moved == 0:
		return VerdictIgnored, ""
	case s.Merchants > 1:
		return VerdictContradictory, "merchants"
	case *s.MinAmount != *s.MaxAmount:
		return VerdictContradictory, "amounts"
	case s.Cancellations > 0 && s.Reversals > 0, oneLine && s.Sales > 0 && moved > s.Sales:
		return VerdictContradictory, "bothWays"
	case s.Sales > 1:
		return VerdictContradictory, "severalSales"
	case s.Cancellations > 1 || s.Reversals > 1:
		return VerdictContradictory, "severalCancellations"
	case s.SoldAt != nil && s.CanceledAt != nil && s.CanceledAt.Before(*s.SoldAt):
		return VerdictContradictory, "orderOfTime"
	case s.Cancellations == 1:
		return VerdictCanceled, ""
	case s.Reversals == 1:
		return VerdictReversed, ""
	}
	return VerdictCharged, ""
}

// reported is what a report states about one order, and what we know of that order.
type reported struct {
	verdict  Verdict
	why      string
	basis    Basis
	amount   *models.Money
	day      models.Day // the line's own; "" when it has none
	terminal bool
	repeated bool
	// disputed is why a missing cancellation proves nothing in this report: some
	// line may be that cancellation. "" when there is none.
	disputed string
	sale     *models.Sale
	c        *models.Cancellation // the sale's latest cancellation; nil when it has none
}

// span is the period that a report covers.
type span struct {
	day           models.Day
	completeUntil time.Time
	quiet         time.Duration
}

// judgement is the result of comparing one order.
type judgement struct {
	kind     ItemKind
	resolves Resolves
	why      string
}

// judge compares what a report states about one order with what we know. It runs
// when the report is compared, and again under the sale's lock when a person
// resolves by it.
func (w span) judge(r reported) judgement {
	switch r.verdict {
	case VerdictUnreadable:
		return judgement{kind: ItemUnreadable}
	case VerdictContradictory:
		return judgement{kind: ItemContradictory, why: r.why}
	case VerdictIgnored:
		return judgement{kind: ItemIgnored}
	}
	if r.basis != BasisOrder || r.sale == nil {
		return w.judgeStranger(r)
	}
	switch {
	case r.sale.BusinessDay != w.day:
		return judgement{kind: ItemOtherDay, why: "sale"}
	case r.amount == nil || *r.amount != r.sale.Amount:
		return judgement{kind: ItemAmountDiffers}
	case r.verdict == VerdictReversed:
		return judgement{kind: ItemReversed}
	case r.verdict == VerdictDeclined:
		return judgement{kind: ItemDeclined}
	case r.verdict == VerdictCanceled:
		return r.orRepeated(judgeCanceled(r))
	}
	return r.orRepeated(w.judgeCharged(r))
}

// judgeStranger is for lines whose sale was not found by order and terminal.
func (w span) judgeStranger(r reported) judgement {
	switch {
	case r.sale != nil || r.basis == BasisAmbiguous:
		return judgement{kind: ItemProposed}
	case r.verdict != VerdictCharged && r.verdict != VerdictCanceled:
		return judgement{kind: ItemIgnored} // nothing was charged, and we have no sale
	case r.day != "" && r.day != w.day:
		return judgement{kind: ItemOtherDay, why: "line"}
	case !r.terminal:
		return judgement{kind: ItemUnknownTerminal}
	}
	return judgement{kind: ItemUnknownSale}
}

func judgeCanceled(r reported) judgement {
	switch {
	case r.sale.State == models.SaleConfirmed:
		return judgement{kind: ItemSame}
	case r.c == nil:
		return judgement{kind: ItemManual, resolves: ResolvesConfirmed}
	}
	return judgement{kind: ItemCanceled, resolves: ResolvesConfirmed}
}

// judgeCharged is for orders with a line for the charge and none for a cancellation.
// That proves something only where the report is complete up to the last instant at
// which the terminal could have canceled.
func (w span) judgeCharged(r reported) judgement {
	if r.c == nil || !r.sale.State.Open() && r.sale.State != models.SaleConfirmed {
		return judgement{kind: ItemSame}
	}
	if r.sale.State != models.SaleUnknown && r.sale.State != models.SaleConfirmed {
		return judgement{kind: ItemUnderWay}
	}
	switch {
	case w.completeUntil.Before(w.couldActUntil(r.c)):
		return judgement{kind: ItemUnproven, why: "cutBefore"}
	case r.disputed != "":
		return judgement{kind: ItemUnproven, why: r.disputed}
	case r.sale.State == models.SaleUnknown:
		return judgement{kind: ItemCharged, resolves: ResolvesNotCanceled}
	case r.c.Conflict == models.ConflictReportCharged && r.c.ReviewedAt == nil:
		return judgement{kind: ItemStillCharged, why: "raised"}
	}
	return judgement{kind: ItemStillCharged, resolves: ResolvesConflict}
}

// couldActUntil is the instant after which the last push can no longer have canceled
// the sale. Of a cancellation on the device itself only the time of its report is
// known.
func (w span) couldActUntil(c *models.Cancellation) time.Time {
	if c.LastPushAt != nil {
		return c.QuietEnd(w.quiet)
	}
	if c.State == models.Confirmed {
		return c.ChangedAt
	}
	return c.ChangedAt.Add(w.quiet)
}

// orRepeated reports repeated lines where there is nothing else to report.
func (r reported) orRepeated(j judgement) judgement {
	if j.kind == ItemSame && r.repeated {
		return judgement{kind: ItemRepeated}
	}
	return j
}
