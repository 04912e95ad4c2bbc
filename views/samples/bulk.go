package samples

import (
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/bulk"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// bulk are five chosen sales on two terminals; of two more one is
// canceled and one is not there.
func (s Shop) bulk() *salesview.BulkView {
	v := &salesview.BulkView{From: "/sales?q=4242", Sheet: *s.Sheet("19:52:03")}
	v.Sheet.Page = s.Page(models.Supervisor, "/sales/cancellations/new", "19:52:03")
	v.Sheet.Form.Click = "CLICK"
	for i, hhmmss := range []string{"13:05:59", "16:58:20", "19:12:00", "14:10:10", "19:41:07"} {
		v.Rows = append(v.Rows, s.bulkRow(int64(100+2*i+i/3), hhmmss, models.Money(125000+i*31450)))
	}
	v.Rows[1].Sale.Source, v.Rows[2].Sale.State = models.SourceManual, models.SaleRejected
	canceled := s.bulkRow(120, "11:20:00", 9900)
	canceled.Sale.State, canceled.Refusal = models.SaleConfirmed, "error.saleState"
	twice, other := s.bulkRow(121, "11:21:00", 9900), s.Sale(122, "11:21:00", 9900, models.SaleAccepted)
	twice.Refusal, twice.Other = "error.severalSales", &other
	v.Rows = append(v.Rows, canceled, twice, bulk.Row{SaleID: 999, Refusal: "error.notFound"})
	return v
}

func (s Shop) bulkRow(id int64, hhmmss string, amount models.Money) bulk.Row {
	sale := s.Sale(id, hhmmss, amount, models.SaleCancelable)
	return bulk.Row{SaleID: id, Sale: &sale, Store: s.Stores()[0], Terminal: s.Terminals()[sale.TerminalID]}
}

// bulkOutcome has a row in each state, and each kind of refusal.
func (s Shop) bulkOutcome() *salesview.BulkOutcomeView {
	v := &salesview.BulkOutcomeView{
		Page: s.Page(models.Supervisor, "/sales/cancellations/CLICK?sale=1", "19:52:03"), Click: "CLICK", From: "/sales",
	}
	states := []models.State{
		models.Confirmed, models.Accepted, models.Sending, models.Requested, models.Unknown, models.Rejected,
		models.Withdrawn, models.Expired, models.NotCanceled,
	}
	for i, state := range states {
		r := s.bulkRow(int64(100+i), "13:05:59", models.Money(125000+i*31450))
		r.Sale.State = models.SaleState(state)
		r.Cancellation = &models.Cancellation{ID: int64(i), SaleID: r.SaleID, State: state, RequestedAt: v.Now.Add(-time.Minute)}
		if state == models.Requested {
			r.QueuePosition = 2
		}
		v.Rows = append(v.Rows, r)
	}
	v.Rows[5].Cancellation.Detail = models.DetailTerminalNotFound
	for i, code := range []string{
		"error.caseOpen", "error.saleState", "error.tooLate", "error.paused", "error.amountChanged", "terminal.retired", "",
	} {
		r := s.bulkRow(int64(120+i), "16:05:59", 50000)
		r.Refusal = code
		v.Rows = append(v.Rows, r)
	}
	v.Rows[9].Sale.State, v.Rows[10].Sale.State = models.SaleAccepted, models.SaleConfirmed
	v.Rows = append(v.Rows, bulk.Row{SaleID: 999, Refusal: "error.notFound"})
	return v
}

func (s Shop) addBulkPages(pages map[string]templ.Component) {
	list := s.Sales("14:00:00")
	list.Page = s.Page(models.Supervisor, "/sales", "14:00:00")
	pages["sales-several"] = salesview.Sales(list)
	pages["several"] = salesview.Bulk(s.bulk())
	wrong := s.bulk()
	wrong.Sheet.Form.Reason, wrong.Sheet.Form.Errors = "other", ui.Errors{"note": "note.required"}
	pages["several-wrong"] = salesview.Bulk(wrong)
	changed, seen := s.bulk(), models.Money(12500)
	changed.Sheet.Form.AmountChanged, changed.Rows[1].Seen = true, &seen
	pages["several-changed"] = salesview.Bulk(changed)
	none := s.bulk()
	none.Rows = none.Rows[5:]
	pages["several-none"] = salesview.Bulk(none)
	pages["several-outcome"] = salesview.BulkOutcome(s.bulkOutcome())
	pages["part-several"] = salesview.BulkOutcomeBody(s.bulkOutcome())
}
