package views

import (
	"time"

	"veinte/models"
)

// What the samples of the office are made of, and tests too.

func sampleAt(hhmmss string) time.Time { return sampleShop{}.at(hhmmss) }

func sampleWindow() models.Window { return sampleShop{}.window() }

func samplePage(role models.Role, path, hhmmss string) Page {
	return sampleShop{}.page(role, path, hhmmss)
}

func sampleStores() []models.Store { return sampleShop{}.stores() }

func sampleTerminals() map[int64]models.Terminal { return sampleShop{}.terminals() }

func sampleSale(id int64, hhmmss string, amount models.Money, state models.SaleState) models.Sale {
	return sampleShop{}.sale(id, hhmmss, amount, state)
}

func sampleRow(id int64, hhmmss string, amount models.Money, state models.SaleState) models.SaleRow {
	return sampleShop{}.row(id, hhmmss, amount, state)
}

func sampleReasons() []models.Reason { return sampleShop{}.reasons() }

func sampleSales(hhmmss string) *SalesView { return sampleShop{}.sales(hhmmss) }
