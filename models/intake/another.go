package intake

import (
	"context"
	"fmt"
	"regexp"

	"veinte/models/database"
)

// One charge is one sale. What a program, a file or a person reports under an order
// number of another registered terminal is refused: told under two serial numbers,
// one charge could be canceled twice. A terminal's own post is the one source that is
// believed: where two rows exist all the same, only one of them can be canceled, see
// cancellations.

// ownerOf is who an order number belongs to, if to another terminal.
type ownerOf struct {
	SaleID  int64 // the sale that is recorded of it; 0: the number itself names the terminal
	StoreID int64
}

// ordersOfOthers finds which sales have an order number of another registered
// terminal: one that is recorded for it, or that carries its serial number.
func (in *Batch) ordersOfOthers(ctx context.Context, reported []*Candidate) (map[*Candidate]ownerOf, error) {
	owners := map[*Candidate]ownerOf{}
	if len(reported) == 0 {
		return owners, nil
	}
	if err := in.namedInOrders(ctx, reported, owners); err != nil {
		return nil, err
	}
	type recorded struct{ I, ID, StoreID int64 }
	serials, orders := keysOf(reported)
	found, err := database.TxRows[recorded](ctx, in.Tx, `
		SELECT n.i, s.id, s.store_id
		FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS n(serial, order_id, i)
		CROSS JOIN LATERAL (
			SELECT id, store_id, serial_number FROM sales WHERE order_id = n.order_id
			OFFSET 0 -- by the index of order numbers, as known does
		) s
		WHERE s.serial_number <> n.serial
		ORDER BY n.i, s.id DESC`, serials, orders)
	if err != nil {
		return nil, fmt.Errorf("look for the orders at other terminals: %w", err)
	}
	for _, f := range found {
		owners[reported[f.I-1]] = ownerOf{f.ID, f.StoreID}
	}
	return owners, nil
}

// carried are the serial numbers that an order number carries, each behind a dash.
var carried = regexp.MustCompile(`-(\d{10})\b`)

// namedInOrders adds the sales whose order number carries the serial number of
// another registered terminal, and not their own.
func (in *Batch) namedInOrders(ctx context.Context, reported []*Candidate, owners map[*Candidate]ownerOf) error {
	named := map[string][]*Candidate{}
	for _, ts := range reported {
		serials, own := []string(nil), false
		for _, m := range carried.FindAllStringSubmatch(ts.OrderID, -1) {
			serials, own = append(serials, m[1]), own || m[1] == string(ts.SerialNumber)
		}
		for _, serial := range serials {
			if !own {
				named[serial] = append(named[serial], ts)
			}
		}
	}
	if len(named) == 0 {
		return nil
	}
	serials := make([]string, 0, len(named))
	for serial := range named {
		serials = append(serials, serial)
	}
	type terminal struct{ SerialNumber string }
	found, err := database.TxRows[terminal](ctx, in.Tx, `SELECT serial_number FROM terminals WHERE serial_number = ANY($1::text[])`, serials)
	if err != nil {
		return fmt.Errorf("look for the terminals that orders name: %w", err)
	}
	for _, t := range found {
		for _, ts := range named[t.SerialNumber] {
			owners[ts] = ownerOf{}
		}
	}
	return nil
}

// refuseOfAnother refuses a sale whose order number is another terminal's. The sale
// that is recorded of it is named where the actor may see it.
func (ts *Candidate) refuseOfAnother(owner ownerOf) {
	ts.refuse("orderId", "sale.orderOfAnother")
	if owner.SaleID != 0 && ts.call.Actor.Sees(owner.StoreID) {
		ts.Outcome().SaleID = owner.SaleID
	}
}
