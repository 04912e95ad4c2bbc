package export

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/reconciliation"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// Differences writes the differences of a report as CSV, for a spreadsheet: with
// a byte order mark, and with cells that it would reckon behind a '.
type Differences struct {
	ctx    context.Context
	out    *csv.Writer
	stores map[int64]*models.Store
	zone   *time.Location
	err    error
}

// NewDifferences begins with the header.
func NewDifferences(ctx context.Context, w io.Writer, stores map[int64]*models.Store, zone *time.Location) *Differences {
	d := &Differences{ctx: ctx, out: csv.NewWriter(w), stores: stores, zone: zone}
	_, d.err = io.WriteString(w, "\ufeff")
	d.row(
		locale.T(ctx, "recon.csvKind"), locale.T(ctx, "recon.csvSays"), locale.T(ctx, "sales.order"), locale.T(ctx, "terminal.serial"),
		locale.T(ctx, "sales.store"), locale.T(ctx, "sales.amount"), locale.T(ctx, "recon.csvOurAmount"), locale.T(ctx, "sales.time"),
		locale.T(ctx, "reportField.last4"),
		locale.T(ctx, "reportField.authCode"), locale.T(ctx, "reportField.folio"), locale.T(ctx, "recon.csvLines"),
		locale.T(ctx, "recon.csvOurs"), locale.T(ctx, "recon.csvNow"), locale.T(ctx, "recon.csvDone"), locale.T(ctx, "review.note"),
	)
	return d
}

// Write adds a line per item.
func (d *Differences) Write(items []reconciliation.ReportItem) error {
	for n := range items {
		i := &items[n]
		at, store := string(i.Day), ""
		if i.At != nil {
			at = i.At.In(d.zone).Format(time.RFC3339)
		}
		if s := d.stores[i.StoreID]; s != nil {
			store = s.Name
		}
		d.row(
			locale.T(d.ctx, "itemKind."+string(i.Kind)), words.DifferenceSays(d.ctx, i), i.OrderID, i.SerialNumber, store, decimalOf(i.Amount),
			decimalOf(i.OurAmount), at, i.Last4,
			i.AuthCode, i.Folio, lineNumbers(i), ui.Maybe(d.ctx, "state.", string(i.Ours)), ui.Maybe(d.ctx, "state.", string(i.Now)),
			d.state(i), i.Note,
		)
	}
	return d.Flush()
}

// decimalOf writes an amount for programs; "" when there is none.
func decimalOf(m *models.Money) string {
	if m == nil {
		return ""
	}
	return m.Decimal()
}

func (d *Differences) state(i *reconciliation.ReportItem) string {
	switch {
	case i.ResolvedAt != nil:
		return locale.T(d.ctx, "itemSettled."+i.Resolved, "Name", i.ResolvedBy, "When", i.ResolvedAt.In(d.zone).Format(time.RFC3339))
	case i.ReviewedAt != nil:
		return locale.T(d.ctx, "recon.reviewedBy", "Name", i.ReviewedBy, "When", i.ReviewedAt.In(d.zone).Format(time.RFC3339))
	}
	return locale.T(d.ctx, "recon.toReview")
}

// Flush sends what was written.
func (d *Differences) Flush() error {
	d.out.Flush()
	if d.err == nil {
		d.err = d.out.Error()
	}
	return d.err
}

func (d *Differences) row(cells ...string) {
	if err := d.out.Write(defused(cells)); err != nil && d.err == nil {
		d.err = err
	}
}

func lineNumbers(i *reconciliation.ReportItem) string {
	numbers := make([]string, len(i.Lines))
	for n, line := range i.Lines {
		numbers[n] = strconv.Itoa(line)
	}
	return strings.Join(numbers, " ")
}
