package intake

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/sales"
)

// findTerminals finds each terminal's assignment at the time of its sale. A terminal
// that is not registered, was in no store, or in a store that the caller may not
// see, is refused; the last two are distinguished only inside the program.
func (in *Batch) findTerminals(ctx context.Context) error {
	serials, _ := keysOf(in.candidates)
	times := make([]time.Time, len(in.candidates))
	for i, ts := range in.candidates {
		times[i], ts.TerminalID, ts.StoreID = ts.SoldAt, 0, 0
	}
	if in.writes {
		// Locked before reading, as the sales' foreign key would lock them: a
		// concurrent move sees our sales, or we see the new assignment.
		_, err := in.SQL.ExecContext(ctx, `SELECT FROM terminals WHERE serial_number = ANY($1::text[]) ORDER BY id FOR KEY SHARE`, serials)
		if err != nil {
			return fmt.Errorf("hold terminals: %w", err)
		}
	}
	type assigned struct {
		I, TerminalID, StoreID int64
		MerchantID             string
	}
	found, err := database.TxRows[assigned](ctx, in.Tx, `
		SELECT n.i, t.id AS terminal_id, coalesce(a.store_id, 0) AS store_id, coalesce(a.merchant_id, '') AS merchant_id
		FROM unnest($1::text[], $2::timestamptz[]) WITH ORDINALITY AS n(serial, at, i)
		JOIN terminals t ON t.serial_number = n.serial
		LEFT JOIN assignments a ON a.terminal_id = t.id AND a.valid_from <= n.at AND (a.valid_to IS NULL OR a.valid_to > n.at)`, serials, times)
	if err != nil {
		return fmt.Errorf("find assignments: %w", err)
	}
	for _, f := range found {
		ts := in.candidates[f.I-1]
		ts.TerminalID, ts.StoreID = f.TerminalID, f.StoreID
		switch {
		case ts.statedMerchant == "":
			ts.MerchantID = f.MerchantID
		case ts.statedMerchant != f.MerchantID && f.MerchantID != "":
			o := ts.Outcome()
			o.Warnings = append(slices.Clip(o.Warnings), "sale.merchantDiffers")
		}
	}
	for _, ts := range in.candidates {
		actor := ts.call.Actor
		switch {
		case ts.TerminalID != 0 && ts.StoreID == 0 && ts.call.Source == models.SourceManual:
			ts.refuse("soldAt", "sale.noStore") // the terminal was chosen from their own stores: only the time can be wrong
		case ts.TerminalID == 0 || ts.StoreID != 0 && !actor.Sees(ts.StoreID) || ts.StoreID == 0 && !actor.AllStores:
			ts.refuse("serialNumber", "sale.unknownTerminal")
		case ts.StoreID == 0:
			ts.refuse("serialNumber", "sale.noStore")
		}
	}
	return nil
}

// lockSales locks the orders against other sources until the transaction ends, in a
// fixed order, so that there is no deadlock. A large call would fill the database's
// table of locks. There the unique identity of a sale decides who was first, and two
// rows of one charge cannot both be canceled.
func (in *Batch) lockSales(ctx context.Context) error {
	if len(in.candidates) > groupSize {
		return nil
	}
	serials, orders := keysOf(in.candidates)
	// Each order is locked as a whole as well, so that nobody reports it meanwhile
	// under another terminal.
	return in.LockOrders(ctx, append(serials, make([]string, len(orders))...), append(orders, orders...))
}

// keysOf lists the keys of sales as two columns.
func keysOf(of []*Candidate) (serials, orders []string) {
	serials, orders = make([]string, len(of)), make([]string, len(of))
	for i, ts := range of {
		serials[i], orders[i] = string(ts.SerialNumber), ts.OrderID
	}
	return serials, orders
}

// known reads the recorded sales, by terminal and order number. Where two differ by
// the merchant id only, the one with the reported id is used.
func (in *Batch) known(ctx context.Context, reported []*Candidate) (map[SaleKey]*models.Sale, error) {
	known := map[SaleKey]*models.Sale{}
	if len(reported) == 0 {
		return known, nil
	}
	serials, orders := keysOf(reported)
	merchants := make([]string, len(reported))
	for i, ts := range reported {
		merchants[i] = ts.MerchantID
	}
	found, err := database.TxRows[models.Sale](ctx, in.Tx, `
		SELECT `+sales.KnownColumns.Names("s.")+`
		FROM unnest($1::text[], $2::text[], $3::text[]) AS n(serial, order_id, merchant_id)
		CROSS JOIN LATERAL (
			SELECT * FROM sales WHERE order_id = n.order_id
			OFFSET 0 -- each by the index of order numbers: other plans read all sales of a terminal, or of everybody
		) s
		WHERE s.serial_number = n.serial
		ORDER BY s.merchant_id = n.merchant_id`, serials, orders, merchants)
	if err != nil {
		return nil, fmt.Errorf("look for known sales: %w", err)
	}
	for i := range found {
		known[SaleKey{found[i].SerialNumber, found[i].OrderID}] = &found[i]
	}
	return known, nil
}

// write inserts the new sales in a fixed order, so that two calls with the same
// sales do not deadlock. Those inserted get their id.
func (in *Batch) write(ctx context.Context) error {
	if len(in.Add) == 0 {
		return nil
	}
	slices.SortFunc(in.Add, func(a, b *Candidate) int {
		return cmp.Or(cmp.Compare(a.SerialNumber, b.SerialNumber), cmp.Compare(a.MerchantID, b.MerchantID), cmp.Compare(a.OrderID, b.OrderID))
	})
	type inserted struct {
		ID           int64
		SerialNumber models.SerialNumber
		OrderID      string
	}
	rows, err := database.TxRows[inserted](ctx, in.Tx, sales.InsertSales("sales")+`ON CONFLICT ON CONSTRAINT sales_identity DO NOTHING
		RETURNING id, serial_number, order_id`, NewSales(in.Add)...)
	if err != nil {
		return fmt.Errorf("insert %d sales: %w", len(in.Add), err)
	}
	for _, s := range rows {
		in.First[SaleKey{s.SerialNumber, s.OrderID}].ID = s.ID
	}
	return nil
}

// NewSales returns the sales as InsertSales takes them.
func NewSales(reported []*Candidate) []any {
	list := make([]*models.Sale, len(reported))
	for i, ts := range reported {
		ts.ID = 0
		list[i] = &ts.Sale
	}
	return sales.RevisionLists(list)
}

// Each runs a query in the transaction and calls f for every row. gorm would expand
// arrays into lists.
func Each(ctx context.Context, t database.Tx, query string, f func(*sql.Rows) error, args ...any) error {
	rows, err := t.SQL.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
