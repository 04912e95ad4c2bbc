package models

import (
	"fmt"
	"strings"
	"time"
)

// saleColumn is a column of sales, with its values as unnest takes them.
type saleColumn struct {
	column[Sale]
	kind string // PostgreSQL's type
	list func([]*Sale) any
}

// saleColumns are the columns of sales, beside the fields that hold them: what is
// listed, compared and inserted goes by this list, whatever its order.
var saleColumns = []saleColumn{
	saleField("id", "bigint", func(s *Sale) *int64 { return &s.ID }),
	saleField("store_id", "bigint", func(s *Sale) *int64 { return &s.StoreID }),
	saleField("terminal_id", "bigint", func(s *Sale) *int64 { return &s.TerminalID }),
	saleField("serial_number", "text", func(s *Sale) *string { return (*string)(&s.SerialNumber) }),
	saleField("merchant_id", "text", func(s *Sale) *string { return &s.MerchantID }),
	saleField("order_id", "text", func(s *Sale) *string { return &s.OrderID }),
	saleField("amount", "bigint", func(s *Sale) *int64 { return (*int64)(&s.Amount) }),
	saleField("currency", "text", func(s *Sale) *string { return &s.Currency }),
	saleField("sold_at", "timestamptz", func(s *Sale) *time.Time { return &s.SoldAt }),
	saleField("received_at", "timestamptz", func(s *Sale) *time.Time { return &s.ReceivedAt }),
	saleField("business_day", "date", func(s *Sale) *Day { return &s.BusinessDay }),
	saleField("cutoff_at", "timestamptz", func(s *Sale) *time.Time { return &s.CutoffAt }),
	saleField("last4", "text", func(s *Sale) *string { return &s.Last4 }),
	saleField("card_brand", "text", func(s *Sale) *string { return &s.CardBrand }),
	saleField("auth_code", "text", func(s *Sale) *string { return &s.AuthCode }),
	saleField("folio", "text", func(s *Sale) *string { return &s.Folio }),
	saleField("state", "text", func(s *Sale) *string { return (*string)(&s.State) }),
	saleField("source", "text", func(s *Sale) *string { return (*string)(&s.Source) }),
	saleField("recorded_by", "text", func(s *Sale) *string { return &s.RecordedBy }),
	saleField("reference", "text", func(s *Sale) *string { return &s.Reference }),
	saleField("batch_id", "bigint", func(s *Sale) **int64 { return &s.BatchID }),
	saleField("told_again", "boolean", func(s *Sale) *bool { return &s.ToldAgain }),
}

func saleField[V any](name, kind string, at func(*Sale) *V) saleColumn {
	return saleColumn{
		column: column[Sale]{name, func(s *Sale) any { return at(s) }}, kind: kind,
		list: func(sales []*Sale) any {
			values := make([]V, len(sales))
			for i, s := range sales {
				values[i] = *at(s)
			}
			return values
		},
	}
}

// What is read of sales.
var (
	// listedColumns are those of a list. Which import brought a sale is no part of it.
	listedColumns = readColumns().without("batch_id", "told_again")
	// knownColumns are those that a sale which is told again is compared by, and
	// where it came from.
	knownColumns = readColumns().without("store_id", "terminal_id", "currency", "received_at",
		"business_day", "cutoff_at", "state", "recorded_by")
	// stagedColumns are those of a sale that an import has put aside.
	stagedColumns = knownColumns.without("id", "source", "batch_id", "told_again")
)

func readColumns() columns[Sale] {
	all := make(columns[Sale], len(saleColumns))
	for i := range saleColumns {
		all[i] = saleColumns[i].column
	}
	return all
}

// toldColumns are those that a new sale is written with: of the others the
// database has the first value.
func toldColumns() []saleColumn {
	var told []saleColumn
	for _, c := range saleColumns {
		if c.name != "id" && c.name != "state" && c.name != "told_again" {
			told = append(told, c)
		}
	}
	return told
}

var (
	toldNames  = toldParts(func(_ int, c saleColumn) string { return c.name })
	toldUnnest = "unnest(" + toldParts(func(i int, c saleColumn) string { return fmt.Sprintf("$%d::%s[]", i+1, c.kind) }) + ")"
)

func toldParts(part func(int, saleColumn) string) string {
	var parts []string
	for i, c := range toldColumns() {
		parts = append(parts, part(i, c))
	}
	return strings.Join(parts, ", ")
}

// insertSales is the statement that writes new sales into a table from the
// lists of toldLists.
func insertSales(table string) string {
	return "INSERT INTO " + table + " (" + toldNames + ") SELECT * FROM " + toldUnnest + " "
}

// toldLists are the new sales column by column, in the order of insertSales.
func toldLists(sales []*Sale) []any {
	var lists []any
	for _, c := range toldColumns() {
		lists = append(lists, c.list(sales))
	}
	return lists
}
