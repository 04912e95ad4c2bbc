package samples

import (
	"time"

	"veinte/models"
	"veinte/models/sales"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// What the samples of the office are made of, and tests too.

func sampleAt(hhmmss string) time.Time { return Shop{}.At(hhmmss) }

func sampleWindow() models.Window { return Shop{}.Window() }

func samplePage(role models.Role, path, hhmmss string) ui.Page {
	return Shop{}.Page(role, path, hhmmss)
}

func SampleStores() []models.Store { return Shop{}.Stores() }

func SampleTerminals() map[int64]models.Terminal { return Shop{}.terminals() }

func SampleSale(id int64, hhmmss string, amount models.Money, state models.SaleState) models.Sale {
	return Shop{}.Sale(id, hhmmss, amount, state)
}

func SampleRow(id int64, hhmmss string, amount models.Money, state models.SaleState) sales.Row {
	return Shop{}.row(id, hhmmss, amount, state)
}

func sampleReasons() []models.Reason { return Shop{}.reasons() }

func SampleSales(hhmmss string) *salesview.SalesView { return Shop{}.Sales(hhmmss) }
