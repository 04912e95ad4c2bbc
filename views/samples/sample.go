package samples

import (
	"cmp"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/sales"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// Shop makes what the gallery shows without a database: a shop, its day and
// the life of its sales. The same is what tests draw.
type Shop struct {
	// First is what the numbers of things begin after: on the gallery beyond any
	// that there are, so that nothing pressed there reaches a real one.
	First int64
	// Frame is what a page has that does not depend on its content, such as its
	// address. Without a token, a page has one that no server takes.
	Frame ui.Page
}

// SampleToken stands in forms of samples. No server takes it.
const SampleToken = "csrf-token"

// SampleDay is the day on which all samples happen.
const SampleDay = "2026-11-20"

// At is an instant of the sample day, in Mexico City.
func (s Shop) At(hhmmss string) time.Time {
	t, err := time.Parse(time.RFC3339, SampleDay+"T"+hhmmss+"-06:00")
	if err != nil {
		panic(err) // a time that is written in this package
	}
	return t
}

func (s Shop) Window() models.Window {
	calendar, err := models.NewCalendar("20:00", "America/Mexico_City")
	if err != nil {
		panic(err) // constants
	}
	return models.Window{Calendar: calendar, Margin: 5 * time.Second}
}

// Page is one drawn for a person of the role at an instant of the sample day.
func (s Shop) Page(role models.Role, path, hhmmss string) ui.Page {
	p := s.Frame
	p.Actor = models.Actor{UserID: 7, Name: "Ana Torres Luna", Role: role, AllStores: role != models.Manager, StoreIDs: []int64{1}}
	p.CSRF, p.Path, p.Now, p.Window = cmp.Or(p.CSRF, SampleToken), cmp.Or(p.Path, path), s.At(hhmmss), s.Window()
	return p
}

// Outside is a page of somebody who is not signed in.
func (s Shop) Outside(path, hhmmss string) ui.Page {
	p := s.Page("", path, hhmmss)
	p.Actor = models.Actor{}
	return p
}

func (s Shop) Stores() []models.Store {
	return []models.Store{
		{ID: 1, Code: "CDMX-01", Name: "Roma Norte", TimeZone: "America/Mexico_City", Version: 1},
		{ID: 2, Code: "CUN-01", Name: "Cancún Centro", TimeZone: "America/Cancun", Version: 1},
	}
}

func (s Shop) Terminals() map[int64]models.Terminal {
	seen := s.At("18:02:11")
	return map[int64]models.Terminal{
		1: {ID: 1, SerialNumber: "1234567890", Label: "Caja 1", LastResultAt: &seen},
		2: {ID: 2, SerialNumber: "1234567891", Label: "Caja 2", LastResultAt: &seen},
		3: {ID: 3, SerialNumber: "2234567890", Label: "Terraza", LastResultAt: &seen},
	}
}

func (s Shop) Sale(id int64, hhmmss string, amount models.Money, state models.SaleState) models.Sale {
	sold, w := s.At(hhmmss), s.Window()
	serial := []string{"1234567890", "1234567891"}[id%2]
	return models.Sale{
		ID: s.First + id, StoreID: 1, TerminalID: 1 + id%2, SerialNumber: models.SerialNumber(serial),
		MerchantID: "7401922", OrderID: "2611" + sold.Format("02150405") + "-" + serial,
		Amount: amount, Currency: "MXN", SoldAt: sold, ReceivedAt: sold.Add(2 * time.Second),
		BusinessDay: SampleDay, CutoffAt: w.Calendar.Cutoff(sold), Last4: "4242",
		CardBrand: []string{"VISA", "MASTERCARD", "AMEX"}[id%3], AuthCode: "204913", Folio: "000123", State: state,
		Source: models.SourceTerminal,
	}
}

func (s Shop) Row(id int64, hhmmss string, amount models.Money, state models.SaleState) sales.Row {
	row := sales.Row{Sale: s.Sale(id, hhmmss, amount, state)}
	if state.Open() {
		row.Requester, row.RequestedAt = "Ana Torres Luna", row.SoldAt.Add(9*time.Minute)
	}
	return row
}

func (s Shop) reasons() []models.Reason {
	return []models.Reason{
		{Code: "customerRequest", LabelES: "El cliente cambió de opinión", LabelEN: "The customer changed their mind"},
		{Code: "wrongAmount", LabelES: "Monto equivocado", LabelEN: "Wrong amount"},
		{Code: "chargedTwice", LabelES: "Se cobró dos veces", LabelEN: "Charged twice"},
		{Code: "wrongProduct", LabelES: "Producto equivocado o agotado", LabelEN: "Wrong or missing product"},
		{Code: "otherPayment", LabelES: "Pagará de otra forma", LabelEN: "Will pay another way"},
		{Code: "other", LabelES: "Otro motivo (explícalo en la nota)", LabelEN: "Another reason (say it in the note)"},
	}
}

// Sales is a day with a sale in every state.
func (s Shop) Sales(hhmmss string) *salesview.SalesView {
	v := &salesview.SalesView{
		Page: s.Page(models.Manager, "/sales", hhmmss), Filter: sales.Filter{Day: SampleDay},
		Stores: s.Stores()[:1], Terminals: s.Terminals(),
	}
	times := []string{
		"19:41:07", "19:33:50", "19:12:00", "18:40:31", "18:02:09", "17:15:44", "16:58:20", "15:31:02", "14:10:10", "13:05:59", "11:20:00",
	}
	for i, state := range append(models.SaleStates, models.SaleCancelable) {
		if state == models.SaleTooLate {
			state = models.SaleCancelable // it follows from the clock
		}
		v.List.Sales = append(v.List.Sales, s.Row(int64(100-i), times[i], models.Money(125000+i*31450), state))
	}
	v.List.Totals = []sales.TerminalTotals{
		terminalTotals(1, 1, models.Sum{Count: 81, Amount: 5412050}, models.Sum{Count: 2, Amount: 98000}, 3, s.At("19:41:09")),
		terminalTotals(1, 2, models.Sum{Count: 51, Amount: 3010099}, models.Sum{Count: 1, Amount: 27000}, 1, s.At("19:33:52")),
	}
	v.List.Filtered = v.StoreTotals()
	v.List.Next = "next-page"
	return v
}

// AllStores is the day as a supervisor sees it, narrowed by a search.
func (s Shop) AllStores(hhmmss string) *salesview.SalesView {
	v := s.Sales(hhmmss)
	v.Page = s.Page(models.Supervisor, "/sales?q=4242", hhmmss)
	v.Stores, v.Filter.Query = s.Stores(), "4242"
	v.List.Sales[2].StoreID, v.List.Sales[2].TerminalID = 2, 3
	v.List.Totals = append(v.List.Totals, terminalTotals(2, 3, models.Sum{Count: 12, Amount: 991000}, models.Sum{}, 0, time.Time{}))
	Match(v, models.Sum{Count: 6, Amount: 1511000}, models.Sum{Count: 4, Amount: 1400000}, models.Sum{Count: 1, Amount: 80000})
	return v
}

// Match gives the list the sums of what text or state let through, terminal by terminal;
// there is nothing of those beyond.
func Match(v *salesview.SalesView, found ...models.Sum) {
	v.List.Matched, v.List.Filtered = slices.Clone(v.List.Totals), models.Sums{}
	for i := range v.List.Matched {
		v.List.Matched[i].Sums = models.Sums{}
		if i < len(found) {
			v.List.Matched[i].Sums.Sales = found[i]
		}
		v.List.Filtered.Add(&v.List.Matched[i].Sums)
	}
}

func terminalTotals(store, terminal int64, sold, canceled models.Sum, open int64, last time.Time) sales.TerminalTotals {
	return sales.TerminalTotals{
		PlaceSums:    models.PlaceSums{StoreID: store, TerminalID: terminal, Sums: models.Sums{Sales: sold, Canceled: canceled, Open: open}},
		LastReceived: last,
	}
}
