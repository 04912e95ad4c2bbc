package database

import (
	"database/sql"

	"gorm.io/gorm"

	"veinte/models"
)

// OfStores narrows results to the actor's stores. A sale belongs to the store that
// its terminal was at when it was made, wherever the terminal is now; a result
// without a sale, to the store that the terminal was at when the result arrived.
func OfStores(actor models.Actor) func(*gorm.DB) *gorm.DB {
	return func(q *gorm.DB) *gorm.DB {
		if actor.AllStores {
			return q
		}
		return q.Where(`(sale_id IN (SELECT id FROM sales WHERE store_id IN @stores) OR sale_id IS NULL AND serial_number IN (
			SELECT t.serial_number FROM terminals t JOIN assignments a ON a.terminal_id = t.id
			WHERE a.store_id IN @stores AND a.valid_from <= results.received_at AND (a.valid_to IS NULL OR a.valid_to > results.received_at)))`,
			sql.Named("stores", actor.StoreIDs))
	}
}
