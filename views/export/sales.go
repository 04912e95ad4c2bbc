package export

import (
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/audit/export"
	"veinte/models/sales"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// salesColumns are the columns of a file of sales, in the order in which saleRow gives
// its cells. The first are those that an import reads, by the API's names: a file that
// leaves here comes in elsewhere as it is. No name after them may be one that an import
// knows. Their words stand on the workbook's last sheet.
var salesColumns = []exportColumn{
	{"serialNumber", "terminal.serial", 13},
	{"storeId", "salesColumn.storeId", 13},
	{"orderId", "sales.order", 28},
	{"amount", "sales.amount", 12},
	{"currency", "exportColumn.currency", 8},
	{"soldAt", "salesColumn.soldAt", 32},
	{"last4", "reportField.last4", 6},
	{"cardBrand", "salesColumn.cardBrand", 12},
	{"authCode", "sale.authCode", 10},
	{"folio", "sale.folio", 12},
	{"reference", "sale.reference", 18},
	{"store", "store.code", 10},
	{"storeName", "sales.store", 22},
	{"terminalLabel", "salesColumn.terminalLabel", 16},
	{"businessDay", "salesColumn.businessDay", 11},
	{"soldAtLocal", "salesColumn.soldAtLocal", 19},
	{"source", "source.label", 10},
	{"saleState", "salesColumn.state", 12},
	{"saleStateWord", "sales.state", 20},
	{"cancellationId", "exportColumn.caseId", 12},
	{"cancellationState", "salesColumn.cancellationState", 14},
	{"cancellationOutcome", "salesColumn.outcome", 16},
	{"cancellationOutcomeWord", "salesColumn.outcomeWord", 40},
	{"requestedBy", "salesColumn.requestedBy", 22},
	{"requestedAt", "salesColumn.requestedAt", 32},
	{"reasonCode", "exportColumn.reasonCode", 16},
	{"reasonWord", "audit.reason", 24},
	{"cancellationNote", "review.note", 30},
	{"cancellationChangedAt", "salesColumn.changedAt", 32},
	{"cancellationFolio", "salesColumn.cancellationFolio", 14},
}

// SalesHead is what a file of sales says of itself, and what its rows need.
type SalesHead struct {
	ExportHead
	ByID map[int64]*models.Store
}

// saleRow gives the cells of a sale, one per column.
func saleRow(c cells, w *exportWords, stores map[int64]*models.Store, r *sales.ExportRow) {
	c.text(string(r.SerialNumber))
	c.text(r.MerchantID)
	c.text(r.OrderID)
	c.amount(&r.Amount)
	c.text(r.Currency)
	c.instant(r.SoldAt)
	c.text(r.Last4)
	c.text(r.CardBrand)
	c.text(r.AuthCode)
	c.text(r.Folio)
	c.text(r.Reference)
	store := stores[r.StoreID]
	if store == nil {
		store = &models.Store{}
	}
	c.text(store.Code)
	c.text(store.Name)
	c.text(r.TerminalLabel)
	c.text(string(r.BusinessDay))
	c.local(r.SoldAt)
	c.text(string(r.Source))
	c.text(string(r.State))
	c.text(w.word(0, string(r.State), func() string { return words.StateWord(w.ctx, r.State) }))
	if r.CancellationID == 0 {
		for range 11 {
			c.text("")
		}
		return
	}
	c.number(r.CancellationID)
	c.text(string(r.CancellationNow))
	c.text(string(r.Detail))
	c.text(w.word(1, string(r.Detail), func() string { return words.DetailWord(w.ctx, r.Detail) }))
	c.text(r.Requester)
	c.instant(*r.RequestedAt)
	c.text(r.Reason)
	c.text(w.reason(r.Reason))
	c.text(r.Note)
	c.instant(*r.ChangedAt)
	c.text(r.CanceledFolio)
}

// SalesCSV writes sales as CSV: a header and rows, and nothing that an import would
// not read.
type SalesCSV struct {
	sheet
	head  *SalesHead
	words *exportWords
}

var _ sales.FileWriter = (*SalesCSV)(nil)

// NewSalesCSV writes to out.
func NewSalesCSV(ctx context.Context, out io.Writer, head *SalesHead) *SalesCSV {
	return &SalesCSV{
		sheet: sheet{out: out, columns: salesColumns, zone: zoneCache{zone: head.Zone}}, head: head,
		words: newExportWords(ctx, &head.ExportHead),
	}
}

// Begin writes the header.
func (x *SalesCSV) Begin() error {
	x.buf = append(x.buf, "\ufeff"...)
	for _, c := range salesColumns {
		x.text(c.name)
	}
	x.endRow()
	return x.send(0)
}

// Sale writes a row.
func (x *SalesCSV) Sale(r *sales.ExportRow) error {
	saleRow(x, x.words, x.head.ByID, r)
	x.endRow()
	return x.send(sendAt)
}

// End sends the rest.
func (x *SalesCSV) End(sales.ExportTotals) error { return x.send(0) }

// Break writes that the file is not whole, as a row that no import accepts.
func (x *SalesCSV) Break(s export.State) {
	x.note(broken(x.words.ctx, s))
	_ = x.send(0) // whoever is gone needs no last word
}

// SalesXLSX writes sales as a workbook, with a last sheet that says what it is.
type SalesXLSX struct {
	*book
	head  *SalesHead
	words *exportWords
}

var _ sales.FileWriter = (*SalesXLSX)(nil)

// NewSalesXLSX writes to out.
func NewSalesXLSX(ctx context.Context, out io.Writer, head *SalesHead) *SalesXLSX {
	b := newBook(ctx, out, head.Zone, "exportSheet.sales", salesColumns)
	b.heading = func(c exportColumn) string { return c.name }
	return &SalesXLSX{b, head, newExportWords(ctx, &head.ExportHead)}
}

// text writes what begins with = behind a ': a text of a workbook is no formula, but
// whoever reads files that people made takes it for one.
func (x *SalesXLSX) text(s string) {
	if strings.HasPrefix(s, "=") {
		s = "'" + s
	}
	x.book.text(s)
}

// Begin begins the first sheet.
func (x *SalesXLSX) Begin() error { return x.beginSheet() }

// Sale writes a row.
func (x *SalesXLSX) Sale(r *sales.ExportRow) error {
	if err := x.nextRow(); err != nil {
		return err
	}
	saleRow(x, x.words, x.head.ByID, r)
	return x.endRow()
}

// End ends the last sheet and writes the one that says what the file is.
func (x *SalesXLSX) End(t sales.ExportTotals) error {
	amount := func(m models.Money) string { return string(appendDecimal(nil, m)) + " " + exportCurrency }
	facts := append(x.about(),
		ui.Fact{Label: locale.T(x.ctx, "salesFoot.sales"), Value: strconv.FormatInt(t.Sales, 10)},
		ui.Fact{Label: locale.T(x.ctx, "exportFoot.amount"), Value: amount(t.Amount)},
		ui.Fact{Label: locale.T(x.ctx, "exportFoot.canceled"), Value: strconv.FormatInt(t.Canceled, 10)},
		ui.Fact{Label: locale.T(x.ctx, "exportFoot.canceledAmount"), Value: amount(t.CanceledAmount)},
		ui.Fact{Label: locale.T(x.ctx, "exportFoot.end"), Value: locale.T(x.ctx, "exportFoot.whole")})
	for _, c := range salesColumns {
		facts = append(facts, ui.Fact{Label: c.name, Value: locale.T(x.ctx, c.heading)})
	}
	return x.finish(facts)
}

// Break ends the file so that it opens and says that it is not whole.
func (x *SalesXLSX) Break(s export.State) {
	_ = x.finish(append(x.about(), broken(x.ctx, s)))
}

func (x *SalesXLSX) about() []ui.Fact {
	return append(x.head.facts(x.ctx), ui.Fact{
		Label: locale.T(x.ctx, "salesHead.states"), Value: x.head.At.In(x.head.Zone).Format(time.RFC3339),
	})
}

// salesFilterLabels are the headings of a filter of sales, with those of the list.
var salesFilterLabels = map[string]string{"from": "audit.from", "to": "audit.to"}

// SalesFilterFacts words the filters in force.
func SalesFilterFacts(ctx context.Context, f sales.ExportFilter, stores []models.Store) []ui.FilterFact {
	var facts []ui.FilterFact
	for _, v := range f.Values() {
		label := words.SaleFilterNames[v[0]]
		if label == "" {
			label = salesFilterLabels[v[0]]
		}
		fact := ui.FilterFact{Label: locale.T(ctx, label), Value: v[1]}
		switch v[0] {
		case "store":
			fact.Value, fact.Code = nameOf(f.StoreID, stores, func(s models.Store) (int64, string) { return s.ID, s.Name }), v[1]
		case "state":
			fact.Value, fact.Code = words.StateWord(ctx, f.State), v[1]
		}
		facts = append(facts, fact)
	}
	return facts
}
