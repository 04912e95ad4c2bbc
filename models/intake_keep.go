package models

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"
)

// keepSales writes the sales of the calls and their entries in one transaction.
// It may be called again for the same calls.
func (s *Cancellations) keepSales(ctx context.Context, calls ...*intakeCall) (err error) {
	for range 3 {
		err = s.db.transaction(ctx, func(t tx) error { return t.keepSales(ctx, calls) })
		if !errors.Is(err, errSaleUndone) {
			return err
		}
	}
	return err
}

func (t tx) keepSales(ctx context.Context, calls []*intakeCall) error {
	in := &intake{tx: t, writes: true, first: map[SaleKey]*toldSale{}}
	for _, c := range calls {
		in.begin(c)
	}
	if err := in.sort(ctx); err != nil {
		return err
	}
	if held(calls) {
		return errHeldBack
	}
	if err := in.insert(ctx); err != nil {
		return err
	}
	if held(calls) { // somebody told one of them at the same moment
		return errHeldBack
	}
	if err := in.markTold(ctx, in.again); err != nil {
		return err
	}
	return in.record(calls)
}

// foresee judges the call as keepSales would, and writes nothing.
func (t tx) foresee(ctx context.Context, c *intakeCall) error {
	in := &intake{tx: t, first: map[SaleKey]*toldSale{}}
	in.begin(c)
	if err := in.sort(ctx); err != nil {
		return err
	}
	for _, ts := range in.add {
		ts.outcome().Status = SaleCreated
	}
	return nil
}

// held reports whether a call wanted all or nothing and does not get all.
func held(calls []*intakeCall) bool {
	any := false
	for _, c := range calls {
		if c.held() {
			c.holdBack()
			any = true
		}
	}
	return any
}

// intake is the sales of some calls on their way into the database.
type intake struct {
	tx
	writes bool // soon after it looked: until then no terminal may move
	told   []*toldSale
	first  map[SaleKey]*toldSale // the first of each new sale
	add    []*toldSale           // what is to be inserted
	same   []*toldSale           // repeats within the calls
	again  []int64               // sales of imports that somebody else tells too
}

// begin takes the call's sales as they were told: an earlier try may have failed.
func (in *intake) begin(c *intakeCall) {
	c.fresh = nil
	for _, ts := range c.sales {
		*ts.outcome() = SaleOutcome{Warnings: ts.warnings}
		ts.MerchantID = ts.merchantTold
	}
	in.told = append(in.told, c.sales...)
}

// sort finds out of every sale whether it is new, known, contradicts or cannot be.
func (in *intake) sort(ctx context.Context) error {
	if err := in.place(ctx); err != nil {
		return err
	}
	placed := make([]*toldSale, 0, len(in.told))
	for _, ts := range in.told {
		if ts.outcome().Status != SaleRefused {
			placed = append(placed, ts)
		}
	}
	if in.writes { // after the terminals, as a post does
		if err := in.hold(ctx); err != nil {
			return err
		}
	}
	known, err := in.known(ctx, placed)
	if err != nil {
		return err
	}
	for _, ts := range placed {
		before := in.first[ts.key()]
		switch {
		case known[ts.key()] != nil:
			in.compare(ts, known[ts.key()])
		case before != nil:
			ts.compare(&before.Sale)
			in.same = append(in.same, ts)
		default:
			in.first[ts.key()] = ts
			in.add = append(in.add, ts)
		}
	}
	return nil
}

// insert writes what is new. Somebody may have told one of them at the same
// moment; that one is compared after all.
func (in *intake) insert(ctx context.Context) error {
	if err := in.write(ctx); err != nil {
		return err
	}
	var late []*toldSale
	for _, ts := range in.add {
		if ts.ID == 0 {
			late = append(late, ts)
			continue
		}
		o := ts.outcome()
		o.Status, o.SaleID = SaleCreated, ts.ID
		ts.call.fresh = append(ts.call.fresh, ts.key())
	}
	known, err := in.known(ctx, late)
	if err != nil {
		return err
	}
	for _, ts := range late {
		k := known[ts.key()]
		if k == nil {
			return fmt.Errorf("sale %s of %s is neither new nor known", ts.OrderID, ts.SerialNumber)
		}
		in.compare(ts, k)
	}
	for _, ts := range in.same {
		ts.outcome().SaleID = in.first[ts.key()].outcome().SaleID
	}
	return nil
}

// compare compares with a sale that is listed. One that an import brought, and
// somebody else is now answered to be known, stays when the import is undone.
func (in *intake) compare(ts *toldSale, known *Sale) {
	ts.compare(known)
	sameImport := known.BatchID != nil && ts.BatchID != nil && *known.BatchID == *ts.BatchID
	if ts.outcome().Status == SaleKnown && known.BatchID != nil && !known.ToldAgain && !sameImport {
		in.again = append(in.again, known.ID)
	}
}

// errSaleUndone says that an import was undone while one of its sales was told.
var errSaleUndone = errors.New("a known sale was undone")

// markTold notes that sales of imports were told by others too.
func (t tx) markTold(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	found := 0
	err := t.each(ctx, `UPDATE sales SET told_again = true
		WHERE id IN (SELECT id FROM sales WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE) RETURNING id`,
		func(*sql.Rows) error {
			found++
			return nil
		}, ids)
	if err != nil {
		return fmt.Errorf("note that %d sales were told again: %w", len(ids), err)
	}
	if found < len(ids) {
		return errSaleUndone
	}
	return nil
}

// compare says whether the sale is told again, or contradicts what is known.
func (ts *toldSale) compare(known *Sale) {
	o := ts.outcome()
	o.SaleID = known.ID
	o.Problems = ts.differs(known)
	if o.Status = SaleKnown; len(o.Problems) > 0 {
		o.Status = SaleConflict
	}
}

// differs names the fields in which a sale contradicts the known one. What a
// terminal posted says less than other doors do, and of the time less exactly:
// there, what is missing does not contradict.
func (ts *toldSale) differs(known *Sale) []*Error {
	posted := known.Source == SourceTerminal
	var fields []*Error
	differ := func(field string, yes bool) {
		if yes {
			fields = append(fields, &Error{Kind: KindConflict, Code: "sale.differs", Field: field})
		}
	}
	tolerance := time.Duration(0)
	if posted {
		tolerance = saleTimeAhead
	}
	differ("merchantId", ts.MerchantID != known.MerchantID)
	differ("amount", ts.Amount != known.Amount)
	differ("soldAt", ts.SoldAt.Sub(known.SoldAt).Abs() > tolerance)
	for i := range saleFacts {
		if f := &saleFacts[i]; f.optional() {
			told, is := *f.kept(&ts.Sale), *f.kept(known)
			differ(f.name, told != is && !(posted && (told == "" || is == "")))
		}
	}
	return fields
}
