package exchange

import (
	"context"
	"strconv"
	"strings"

	"veinte/models"
	"veinte/models/reconciliation"
	"veinte/models/reconciliation/report"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// completeText says until when a report holds everything.
func completeText(ctx context.Context, p ui.Page, r *reconciliation.Reconciliation) string {
	if r.SalesCompared {
		return locale.T(ctx, "recon.wholeDay")
	}
	return locale.T(ctx, "recon.completeUntil", "Time", ui.Clock(r.CompleteUntil, p.Zone()))
}

// fieldNames lists the fields of a report that were compared, or those that were not.
func fieldNames(ctx context.Context, fields []report.Field, compared bool) string {
	var names []string
	for _, f := range fields {
		switch {
		case f.Compared() != compared:
		case f == report.FieldSoldAt:
			names = append(names, locale.T(ctx, "recon.comparedDay"))
		case f == report.FieldHour:
			names = append(names, locale.T(ctx, "recon.comparedHour"))
		default:
			name := []rune(locale.T(ctx, "reportField."+string(f)))
			names = append(names, strings.ToLower(string(name[:1]))+string(name[1:]))
		}
	}
	return strings.Join(names, ", ")
}

// itemTone chooses the colour of a kind: violet for doubts and contradictions, amber
// for what is only missing, green for what is resolved.
func itemTone(i *reconciliation.ReportItem) string {
	switch i.Kind {
	case reconciliation.ItemCanceled, reconciliation.ItemManual, reconciliation.ItemCharged:
		return string(models.OutcomeSuccess)
	case reconciliation.ItemStillCharged, reconciliation.ItemContradictory, reconciliation.ItemAmountDiffers,
		reconciliation.ItemUnproven, reconciliation.ItemReversed, reconciliation.ItemDeclined:
		return string(models.OutcomeUnknown)
	case reconciliation.ItemSame, reconciliation.ItemIgnored, reconciliation.ItemRepeated:
		return ""
	}
	return string(models.ResultUnmatched)
}

// linesText names the lines of the file.
func linesText(ctx context.Context, i *reconciliation.ReportItem) string {
	if len(i.Lines) == 0 {
		return ""
	}
	numbers := make([]string, len(i.Lines))
	for n, line := range i.Lines {
		numbers[n] = strconv.Itoa(line)
	}
	return locale.T(ctx, "recon.lines", "Count", len(numbers), "N", strings.Join(numbers, ", "))
}

// stateMove writes what the sale was when it was compared, and what it is now.
func stateMove(ctx context.Context, i *reconciliation.ReportItem) string {
	switch {
	case i.Ours == "":
		return ""
	case i.Now == "":
		return locale.T(ctx, "recon.saleGone")
	case i.Now == i.Ours:
		return locale.T(ctx, "recon.ours", "State", words.StateWord(ctx, i.Ours))
	}
	return locale.T(ctx, "recon.oursThenNow", "State", words.StateWord(ctx, i.Ours), "Now", words.StateWord(ctx, i.Now))
}

// resolvedText names who resolved an item and how.
func resolvedText(ctx context.Context, p ui.Page, i *reconciliation.ReportItem) string {
	if i.ResolvedAt != nil {
		return locale.T(ctx, "itemSettled."+i.Resolved, "Name", i.ResolvedBy, "When", ui.Since(ctx, p, i.ResolvedAt))
	}
	return locale.T(ctx, "recon.reviewedBy", "Name", i.ReviewedBy, "When", ui.Since(ctx, p, i.ReviewedAt))
}

// changeText is the state of the item's sale now and after a confirmation. Something
// else may have resolved it since the report was read.
func changeText(ctx context.Context, i *reconciliation.ReportItem) string {
	now, then := words.StateWord(ctx, i.Now), resolvesText(ctx, i.Resolves)
	if now == then {
		return locale.T(ctx, "recon.alreadySo", "State", now)
	}
	return now + " → " + then
}

func resolvesText(ctx context.Context, to reconciliation.Resolves) string {
	if to == reconciliation.ResolvesConflict {
		return locale.T(ctx, "recon.intoInbox")
	}
	return words.StateWord(ctx, models.SaleState(to))
}

// itemTime is the time of a line, with its date unless it is the report's.
func (v *ReconciliationView) itemTime(ctx context.Context, i *reconciliation.ReportItem) string {
	if v.Window.Calendar.Day(*i.At) == v.Report.BusinessDay {
		return ui.ClockSeconds(*i.At, v.Zone())
	}
	return ui.DateTime(ctx, *i.At, v.Zone())
}

func saleLinkText(ctx context.Context, i *reconciliation.ReportItem) string {
	if i.Kind == reconciliation.ItemProposed || i.OrderID == "" {
		return locale.T(ctx, "recon.proposedSale")
	}
	return i.OrderID
}

func moneyOf(m *models.Money) string {
	if m == nil {
		return "—"
	}
	return ui.Money(*m)
}
