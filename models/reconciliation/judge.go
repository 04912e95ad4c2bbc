package reconciliation

import (
	"time"

	"veinte/models"
)

// reportedOrder is what a report's lines say of one order, counted. Equal lines count
// once.
type reportedOrder struct {
	sales, cancellations, reversals, declines int
	problems                                  int
	minAmount, maxAmount                      *models.Money // of what moved money
	soldAt, canceledAt                        *time.Time
	merchants                                 int  // distinct merchant ids
	repeated                                  bool // an equal line came more than once
}

// verdict reads the lines of one order together. oneLine: each sale has one line
// that says how it ended, so that two say two things.
func (s reportedOrder) verdict(oneLine bool) (v Verdict, why string) {
	moved := s.sales + s.cancellations + s.reversals
	switch {
	case s.problems > 0:
		return VerdictUnreadable, ""
	case moved == 0 && s.declines > 0:
		return VerdictDeclined, ""
	case moved == 0:
		return VerdictIgnored, ""
	case s.merchants > 1:
		return VerdictContradictory, "merchants"
	case *s.minAmount != *s.maxAmount:
		return VerdictContradictory, "amounts"
	case s.cancellations > 0 && s.reversals > 0, oneLine && s.sales > 0 && moved > s.sales:
		return VerdictContradictory, "bothWays"
	case s.sales > 1:
		return VerdictContradictory, "severalSales"
	case s.cancellations > 1 || s.reversals > 1:
		return VerdictContradictory, "severalCancellations"
	case s.soldAt != nil && s.canceledAt != nil && s.canceledAt.Before(*s.soldAt):
		return VerdictContradictory, "orderOfTime"
	case s.cancellations == 1:
		return VerdictCanceled, ""
	case s.reversals == 1:
		return VerdictReversed, ""
	}
	return VerdictCharged, ""
}

// reported is what a report says of one order, and what of that order we know.
type reported struct {
	verdict  Verdict
	why      string
	basis    Basis
	amount   *models.Money
	day      models.Day // the line's own; "" when it gives none
	terminal bool
	repeated bool
	// disputed says why a missing cancellation proves nothing in this report: there
	// is a line that may be it. "" when there is none.
	disputed string
	sale     *models.Sale
	c        *models.Cancellation // the sale's latest case; nil when it has none
}

// span is what a report covers.
type span struct {
	day           models.Day
	completeUntil time.Time
	quiet         time.Duration
}

// judgement is how one order compares.
type judgement struct {
	kind     ItemKind
	resolves Resolves
	why      string
}

// judge compares what a report says of one order with what we know. It is asked
// when the report is compared, and again under the sale's lock when a person
// settles by it.
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
		return judgement{kind: ItemIgnored} // nothing was charged, and nothing is here
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

// judgeCharged: a line that says charged, and none that says canceled. That
// proves something only where the report is complete for the instant until which
// the terminal could have acted.
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

// couldActUntil is the instant after which the case's last push can no longer
// have canceled the sale. Of a cancellation on the device itself nobody knows
// more than when we heard of it.
func (w span) couldActUntil(c *models.Cancellation) time.Time {
	if c.LastPushAt != nil {
		return c.QuietEnd(w.quiet)
	}
	if c.State == models.Confirmed {
		return c.ChangedAt
	}
	return c.ChangedAt.Add(w.quiet)
}

// orRepeated tells of lines that came twice where there is nothing else to tell.
func (r reported) orRepeated(j judgement) judgement {
	if j.kind == ItemSame && r.repeated {
		return judgement{kind: ItemRepeated}
	}
	return j
}
