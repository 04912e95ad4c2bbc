package export

import (
	"context"
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"time"

	"veinte/models/oversight"
	"veinte/views/locale"
	oversightview "veinte/views/oversight"
	"veinte/views/ui"
	"veinte/views/words"
)

// WriteOversight writes the report as CSV, for a spreadsheet.
func WriteOversight(ctx context.Context, w io.Writer, v *oversightview.OversightView) error {
	var head []string
	for _, key := range []string{
		"by." + string(v.Report.Filter.By), "canceled", "csvAmount", "sales", "csvSalesAmount", "rate", "csvPart",
		"csvWeeks", "csvWeeksCanceled", "csvWeeksSales", "csvTimesOwn", "csvLeastOwn", "csvOthers", "csvTimesOthers", "csvLeastOthers", "stands",
		"csvRequested", "csvInDoubt", "csvRejected", "csvNotCanceled", "csvUnderWay", "csvDropped",
	} {
		head = append(head, locale.T(ctx, "oversight."+key))
	}
	return writeSheet(w, head, len(v.Report.Rows), func(i int) []string {
		r := &v.Report.Rows[i]
		row := []string{
			v.RowName(ctx, r), ui.Itoa(r.Canceled), r.Amount.Decimal(), ui.Itoa(r.Against.Sales), r.Against.Amount.Decimal(),
			ui.PartOf(r.Canceled, r.Against.Sales), ui.PartOf(int64(r.Amount), int64(r.Against.Amount)),
			strconv.Itoa(r.Usual.Weeks), ui.Itoa(r.Usual.Canceled), ui.Itoa(r.Usual.Against.Sales),
		}
		row = append(row, judgementCells(r.Own)...)
		row = append(row, strconv.Itoa(r.Peers.Others))
		row = append(row, judgementCells(r.Peers)...)
		return append(
			row, words.YesNo(ctx, r.Out()), ui.Itoa(r.Requested), ui.Itoa(r.InDoubt), ui.Itoa(r.Rejected), ui.Itoa(r.NotCanceled),
			ui.Itoa(r.UnderWay), ui.Itoa(r.Dropped),
		)
	})
}

// judgementCells are a comparison and its bound; empty where too little is known.
func judgementCells(j oversight.Judgement) []string {
	switch {
	case j.Few:
		return []string{"", ""}
	case math.IsInf(j.Times, 1):
		return []string{"", ui.DecimalTwo(j.AtLeast)}
	}
	return []string{ui.DecimalTwo(j.Times), ui.DecimalTwo(j.AtLeast)}
}

// WritePatterns writes every cancellation of every finding as CSV.
func WritePatterns(ctx context.Context, w io.Writer, v *oversightview.PatternsView) error {
	var head []string
	for _, key := range []string{
		"oversight.csvPattern", "oversight.csvSubject", "oversight.stands", "oversight.csvLooked", "oversight.when", "oversight.what",
		"sales.amount",
		"sales.store", "oversight.csvTerminal", "oversight.csvCard", "audit.person", "oversight.reason", "terminal.state",
	} {
		head = append(head, locale.T(ctx, key))
	}
	type line struct {
		f *oversight.Finding
		c *oversight.Cancellation
	}
	var lines []line
	for i := range v.Found.List {
		f := &v.Found.List[i]
		for n := range f.Cancellations {
			lines = append(lines, line{f, &f.Cancellations[n]})
		}
	}
	return writeSheet(w, head, len(lines), func(i int) []string {
		f, c := lines[i].f, lines[i].c
		what, state, amount := c.OrderID, words.CancellationStateText(ctx, c.State), c.Amount.Decimal()
		if c.Action != "" {
			what, state, amount = words.ActionWord(ctx, c.Action), words.OutcomeWord(ctx, c.Outcome), ""
		}
		return []string{
			locale.T(ctx, "oversight.find."+string(f.Kind)), v.FindingTitle(ctx, f), words.YesNo(ctx, f.Outlier), oversightview.ReviewText(ctx, f),
			c.RequestedAt.In(v.Zone()).Format(time.RFC3339), what, amount, ui.StoreName(v.Stores, c.StoreID),
			string(v.Terminals[c.TerminalID].SerialNumber), oversightview.CardWord(c), v.SubjectName(ctx, c), v.ReasonText(ctx, c), state,
		}
	})
}

// writeSheet writes a header and n rows, with a byte order mark.
func writeSheet(w io.Writer, head []string, n int, row func(i int) []string) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	if err := out.Write(defused(head)); err != nil {
		return err
	}
	for i := range n {
		if err := out.Write(defused(row(i))); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
