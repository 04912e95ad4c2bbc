package views

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/views/locale"
)

// at is an instant of the sample day, in Mexico City.
func at(tb testing.TB, hhmmss string) time.Time {
	tb.Helper()
	t, err := time.Parse(time.RFC3339, "2026-11-20T"+hhmmss+"-06:00")
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func window(tb testing.TB) models.Window {
	tb.Helper()
	calendar, err := models.NewCalendar("20:00", "America/Mexico_City")
	if err != nil {
		tb.Fatal(err)
	}
	return models.Window{Calendar: calendar, Margin: 5 * time.Second}
}

// page is one drawn for a person of the role at an instant of the sample day.
func page(tb testing.TB, role models.Role, path, hhmmss string) Page {
	tb.Helper()
	return Page{
		Actor: models.Actor{UserID: 7, Name: "Ana Torres Luna", Role: role, AllStores: role != models.Manager, StoreIDs: []int64{1}},
		CSRF:  "csrf-token", Path: path, Now: at(tb, hhmmss), Window: window(tb),
	}
}

func sampleStores() []models.Store {
	return []models.Store{
		{ID: 1, Code: "CDMX-01", Name: "Roma Norte", TimeZone: "America/Mexico_City", Version: 1},
		{ID: 2, Code: "CUN-01", Name: "Cancún Centro", TimeZone: "America/Cancun", Version: 1},
	}
}

func sampleTerminals(tb testing.TB) map[int64]models.Terminal {
	tb.Helper()
	seen := at(tb, "18:02:11")
	return map[int64]models.Terminal{
		1: {ID: 1, SerialNumber: "1234567890", Label: "Caja 1", LastResultAt: &seen},
		2: {ID: 2, SerialNumber: "1234567891", Label: "Caja 2", LastResultAt: &seen},
		3: {ID: 3, SerialNumber: "2234567890", Label: "Terraza", LastResultAt: &seen},
	}
}

func sampleSale(tb testing.TB, id int64, hhmmss string, amount models.Money, state models.SaleState) models.Sale {
	tb.Helper()
	sold, w := at(tb, hhmmss), window(tb)
	return models.Sale{
		ID: id, StoreID: 1, TerminalID: 1 + id%2, SerialNumber: models.SerialNumber([]string{"1234567890", "1234567891"}[id%2]),
		MerchantID: "7401922", OrderID: "2611" + sold.Format("02150405") + "-" + []string{"1234567890", "1234567891"}[id%2],
		Amount: amount, Currency: "MXN", SoldAt: sold, ReceivedAt: sold.Add(2 * time.Second),
		BusinessDay: "2026-11-20", CutoffAt: w.Calendar.Cutoff(sold), Last4: "4242",
		CardBrand: []string{"VISA", "MASTERCARD", "AMEX"}[id%3], AuthCode: "204913", Folio: "000123", State: state, Source: models.SourceTerminal,
	}
}

func sampleRow(tb testing.TB, id int64, hhmmss string, amount models.Money, state models.SaleState) models.SaleRow {
	tb.Helper()
	row := models.SaleRow{Sale: sampleSale(tb, id, hhmmss, amount, state)}
	if state.Open() {
		row.Requester, row.RequestedAt = "Ana Torres Luna", row.SoldAt.Add(9*time.Minute)
	}
	return row
}

func sampleReasons() []models.Reason {
	return []models.Reason{
		{Code: "customerRequest", LabelES: "El cliente cambió de opinión", LabelEN: "The customer changed their mind"},
		{Code: "wrongAmount", LabelES: "Monto equivocado", LabelEN: "Wrong amount"},
		{Code: "chargedTwice", LabelES: "Se cobró dos veces", LabelEN: "Charged twice"},
		{Code: "wrongProduct", LabelES: "Producto equivocado o agotado", LabelEN: "Wrong or missing product"},
		{Code: "otherPayment", LabelES: "Pagará de otra forma", LabelEN: "Will pay another way"},
		{Code: "other", LabelES: "Otro motivo (explícalo en la nota)", LabelEN: "Another reason (say it in the note)"},
	}
}

func sampleSales(tb testing.TB, hhmmss string) *SalesView {
	tb.Helper()
	v := &SalesView{
		Page: page(tb, models.Manager, "/sales", hhmmss), Filter: models.SaleFilter{Day: "2026-11-20"},
		Stores: sampleStores()[:1], Terminals: sampleTerminals(tb),
	}
	times := []string{"19:41:07", "19:33:50", "19:12:00", "18:40:31", "18:02:09", "17:15:44", "16:58:20", "15:31:02", "14:10:10", "13:05:59", "11:20:00"}
	for i, state := range append(models.SaleStates, models.SaleCancelable) {
		if state == models.SaleTooLate {
			state = models.SaleCancelable // it follows from the clock
		}
		v.List.Sales = append(v.List.Sales, sampleRow(tb, int64(100-i), times[i], models.Money(125000+i*31450), state))
	}
	v.List.Totals = []models.TerminalTotals{
		{StoreID: 1, TerminalID: 1, Totals: models.Totals{Sales: 81, Amount: 5412050, Canceled: 2, CanceledAmount: 98000, OpenCases: 3}, LastReceived: at(tb, "19:41:09")},
		{StoreID: 1, TerminalID: 2, Totals: models.Totals{Sales: 51, Amount: 3010099, Canceled: 1, CanceledAmount: 27000, OpenCases: 1}, LastReceived: at(tb, "19:33:52")},
	}
	v.List.Filtered = v.storeTotals()
	v.List.Next = "next-page"
	return v
}

// draw renders a component in a language.
func draw(tb testing.TB, lang string, c templ.Component) string {
	tb.Helper()
	var b bytes.Buffer
	if err := c.Render(locale.With(context.Background(), lang), &b); err != nil {
		tb.Fatalf("render: %v", err)
	}
	return b.String()
}
