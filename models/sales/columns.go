package sales

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// saleColumn is a column of sales, with its values for unnest.
type saleColumn struct {
	database.Column[models.Sale]
	kind string // PostgreSQL's type
	list func([]*models.Sale) any
}

// saleColumns are the columns of sales with their fields. Lists, comparisons and
// inserts use this list; its order does not matter.
var saleColumns = []saleColumn{
	saleField("id", "bigint", func(s *models.Sale) *int64 { return &s.ID }),
	saleField("store_id", "bigint", func(s *models.Sale) *int64 { return &s.StoreID }),
	saleField("terminal_id", "bigint", func(s *models.Sale) *int64 { return &s.TerminalID }),
	saleField("serial_number", "text", func(s *models.Sale) *string { return (*string)(&s.SerialNumber) }),
	saleField("merchant_id", "text", func(s *models.Sale) *string { return &s.MerchantID }),
	saleField("order_id", "text", func(s *models.Sale) *string { return &s.OrderID }),
	saleField("amount", "bigint", func(s *models.Sale) *int64 { return (*int64)(&s.Amount) }),
	saleField("currency", "text", func(s *models.Sale) *string { return &s.Currency }),
	saleField("sold_at", "timestamptz", func(s *models.Sale) *time.Time { return &s.SoldAt }),
	saleField("received_at", "timestamptz", func(s *models.Sale) *time.Time { return &s.ReceivedAt }),
	saleField("business_day", "date", func(s *models.Sale) *models.Day { return &s.BusinessDay }),
	saleField("cutoff_at", "timestamptz", func(s *models.Sale) *time.Time { return &s.CutoffAt }),
	saleField("last4", "text", func(s *models.Sale) *string { return &s.Last4 }),
	saleField("card_brand", "text", func(s *models.Sale) *string { return &s.CardBrand }),
	saleField("auth_code", "text", func(s *models.Sale) *string { return &s.AuthCode }),
	saleField("folio", "text", func(s *models.Sale) *string { return &s.Folio }),
	saleField("state", "text", func(s *models.Sale) *string { return (*string)(&s.State) }),
	saleField("source", "text", func(s *models.Sale) *string { return (*string)(&s.Source) }),
	saleField("recorded_by", "text", func(s *models.Sale) *string { return &s.RecordedBy }),
	saleField("reference", "text", func(s *models.Sale) *string { return &s.Reference }),
	saleField("batch_id", "bigint", func(s *models.Sale) **int64 { return &s.BatchID }),
	saleField("told_again", "boolean", func(s *models.Sale) *bool { return &s.ReportedAgain }),
	saleField("day_unproven", "boolean", func(s *models.Sale) *bool { return &s.DayUnproven }),
	saleField("ticket_date", "date", func(s *models.Sale) **models.Day { return &s.TicketDate }),
}

func saleField[V any](name, kind string, at func(*models.Sale) *V) saleColumn {
	return saleColumn{
		Column: database.Column[models.Sale]{Name: name, At: func(s *models.Sale) any { return at(s) }}, kind: kind,
		list: func(sales []*models.Sale) any {
			values := make([]V, len(sales))
			for i, s := range sales {
				values[i] = *at(s)
			}
			return values
		},
	}
}

// The columns that queries read.
var (
	// AllColumns are all columns of a sale.
	AllColumns = readColumns()
	// listedColumns are those of a list, which does not show the import of a sale.
	listedColumns = AllColumns.Without("batch_id", "told_again")
	// KnownColumns are those with which a sale that is reported again is compared,
	// and its source.
	KnownColumns = AllColumns.Without("store_id", "terminal_id", "currency", "received_at",
		"business_day", "cutoff_at", "state", "recorded_by")
	// StagedColumns are those of a sale that an import has staged.
	StagedColumns = KnownColumns.Without("id", "source", "batch_id", "told_again", "day_unproven", "ticket_date")
)

func readColumns() database.Columns[models.Sale] {
	all := make(database.Columns[models.Sale], len(saleColumns))
	for i := range saleColumns {
		all[i] = saleColumns[i].Column
	}
	return all
}

// revisionColumns are the columns that a new sale is inserted with; the others get the
// database's defaults.
func revisionColumns() []saleColumn {
	var told []saleColumn
	for _, c := range saleColumns {
		if !slices.Contains([]string{"id", "state", "told_again", "day_unproven", "ticket_date"}, c.Name) {
			told = append(told, c)
		}
	}
	return told
}

var (
	RevisionNames  = revisionParts(func(_ int, c saleColumn) string { return c.Name })
	revisionUnnest = "unnest(" + revisionParts(func(i int, c saleColumn) string { return fmt.Sprintf("$%d::%s[]", i+1, c.kind) }) + ")"
)

func revisionParts(part func(int, saleColumn) string) string {
	var parts []string
	for i, c := range revisionColumns() {
		parts = append(parts, part(i, c))
	}
	return strings.Join(parts, ", ")
}

// InsertSales returns the statement that inserts new sales into a table from the
// lists of RevisionLists.
func InsertSales(table string) string {
	return "INSERT INTO " + table + " (" + RevisionNames + ") SELECT * FROM " + revisionUnnest + " "
}

// RevisionLists returns the new sales column by column, in the order of InsertSales.
func RevisionLists(sales []*models.Sale) []any {
	var lists []any
	for _, c := range revisionColumns() {
		lists = append(lists, c.list(sales))
	}
	return lists
}
