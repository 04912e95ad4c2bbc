package export

import (
	"context"
	"encoding/csv"
	"io"
	"time"

	"veinte/models/closings"
	"veinte/views/locale"
	"veinte/views/ui"
)

// WriteClosing writes the frozen figures as CSV, for a spreadsheet: with a byte
// order mark, and with cells that it would reckon behind a '.
func WriteClosing(ctx context.Context, w io.Writer, r *closings.Report, zone *time.Location) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	row := func(cells ...string) { _ = out.Write(defused(cells)) } // kept: Error below returns it
	header := []string{
		locale.T(ctx, "closing.day"), locale.T(ctx, "store.code"), locale.T(ctx, "sales.store"), locale.T(ctx, "oversight.csvTerminal"),
		locale.T(ctx, "closing.sales"), locale.T(ctx, "sales.amount"),
	}
	for _, s := range closings.ClosedAll {
		header = append(header, locale.T(ctx, "closedAs."+string(s)), locale.T(ctx, "closedAs."+string(s))+" (MXN)")
	}
	row(header...)
	for i := range r.Stores {
		s := &r.Stores[i]
		for n := range s.Terminals {
			t := &s.Terminals[n]
			row(append([]string{string(r.Day), s.Code, s.Name, string(t.SerialNumber)}, sumCells(&t.Sums)...)...)
		}
	}
	row(append([]string{string(r.Day), "", locale.T(ctx, "closing.total"), ""}, sumCells(&r.Sums)...)...)
	row(locale.T(ctx, "closing.csvMade"), r.ClosedAt.In(zone).Format(time.RFC3339), zone.String())
	row("SHA-256", r.HashText(), locale.T(ctx, "closing.csvHash"))
	out.Flush()
	return out.Error()
}

func sumCells(sums *closings.Sums) []string {
	all := sums.All()
	cells := []string{ui.Itoa(all.Count), all.Amount.Decimal()}
	for i := range sums {
		cells = append(cells, ui.Itoa(sums[i].Count), sums[i].Amount.Decimal())
	}
	return cells
}
