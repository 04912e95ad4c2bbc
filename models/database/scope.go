package database

import (
	"strings"

	"gorm.io/gorm"

	"veinte/models"
)

var likeLiterals = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// Like is a text that stands for itself in a pattern of LIKE.
func Like(text string) string { return likeLiterals.Replace(text) }

// ResultStoreSQL is the store of a result, for queries of results. A sale belongs to the
// store that its terminal was at when it was made, wherever the terminal is now; a result
// without a sale, to the store that the terminal was at when the result arrived.
const ResultStoreSQL = `CASE WHEN results.sale_id IS NOT NULL THEN (SELECT s.store_id FROM sales s WHERE s.id = results.sale_id)
	ELSE (SELECT p.store_id FROM terminals t JOIN assignments p ON p.terminal_id = t.id
		WHERE t.serial_number = results.serial_number AND p.valid_from <= results.received_at
			AND (p.valid_to IS NULL OR p.valid_to > results.received_at)) END`

// OfStores narrows results to the actor's stores.
func OfStores(actor models.Actor) func(*gorm.DB) *gorm.DB {
	return func(q *gorm.DB) *gorm.DB {
		if actor.AllStores {
			return q
		}
		return q.Where(ResultStoreSQL+" IN ?", actor.StoreIDs)
	}
}
