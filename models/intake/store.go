package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// storeSales writes the sales of the calls and their entries in one transaction.
// It may be called again for the same calls.
func (s *Service) storeSales(ctx context.Context, calls ...*Call) (err error) {
	for range 3 {
		err = s.db.InTx(ctx, func(t database.Tx) error { return storeSales(ctx, t, calls) })
		if !errors.Is(err, ErrSaleUndone) {
			return err
		}
	}
	return err
}

func storeSales(ctx context.Context, t database.Tx, calls []*Call) error {
	in := &Batch{Tx: t, writes: true, First: map[SaleKey]*Candidate{}}
	for _, c := range calls {
		in.Begin(c)
	}
	if err := in.Sort(ctx); err != nil {
		return err
	}
	if anyBlocked(calls) {
		return errBlocked
	}
	if err := in.insert(ctx); err != nil {
		return err
	}
	if anyBlocked(calls) { // one of them was reported at the same moment
		return errBlocked
	}
	if err := MarkReportedAgain(ctx, in.Tx, in.Again); err != nil {
		return err
	}
	return in.record(calls)
}

// foresee decides the outcomes of the call as storeSales would, and writes nothing.
func foresee(ctx context.Context, t database.Tx, c *Call) error {
	in := &Batch{Tx: t, First: map[SaleKey]*Candidate{}}
	in.Begin(c)
	if err := in.Sort(ctx); err != nil {
		return err
	}
	for _, ts := range in.Add {
		ts.Outcome().Status = Created
	}
	return nil
}

// anyBlocked reports whether an AllOrNothing call must not be written.
func anyBlocked(calls []*Call) bool {
	any := false
	for _, c := range calls {
		if c.blocked() {
			c.block()
			any = true
		}
	}
	return any
}

// Batch is the sales of some calls while they are written to the database.
type Batch struct {
	database.Tx
	writes     bool // it will insert soon after it read: until then no terminal may move
	candidates []*Candidate
	First      map[SaleKey]*Candidate // the first of each new sale
	Add        []*Candidate           // what is to be inserted
	same       []*Candidate           // repeats within the calls
	Again      []int64                // sales of imports that are reported again
}

// Begin takes the call's sales as reported, without the outcome of an earlier try
// that failed.
func (in *Batch) Begin(c *Call) {
	c.fresh = nil
	for _, ts := range c.sales {
		*ts.Outcome() = Outcome{Warnings: ts.warnings}
		ts.MerchantID = ts.statedMerchant
	}
	in.candidates = append(in.candidates, c.sales...)
}

// Sort decides for every sale whether it is new, known, contradicts or is refused.
func (in *Batch) Sort(ctx context.Context) error {
	if err := in.findTerminals(ctx); err != nil {
		return err
	}
	placed := make([]*Candidate, 0, len(in.candidates))
	for _, ts := range in.candidates {
		if ts.Outcome().Status != Refused {
			placed = append(placed, ts)
		}
	}
	if in.writes { // after the terminals, in the order in which a post locks
		if err := in.lockSales(ctx); err != nil {
			return err
		}
	}
	known, err := in.known(ctx, placed)
	if err != nil {
		return err
	}
	for _, ts := range placed {
		before := in.First[ts.Key()]
		switch {
		case known[ts.Key()] != nil:
			in.compare(ts, known[ts.Key()])
		case before != nil:
			ts.Compare(&before.Sale)
			in.same = append(in.same, ts)
		default:
			in.First[ts.Key()] = ts
			in.Add = append(in.Add, ts)
		}
	}
	return nil
}

// insert writes the new sales. One that was recorded at the same moment by another
// caller is compared instead.
func (in *Batch) insert(ctx context.Context) error {
	if err := in.write(ctx); err != nil {
		return err
	}
	var late []*Candidate
	for _, ts := range in.Add {
		if ts.ID == 0 {
			late = append(late, ts)
			continue
		}
		o := ts.Outcome()
		o.Status, o.SaleID = Created, ts.ID
		ts.call.fresh = append(ts.call.fresh, ts.Key())
	}
	known, err := in.known(ctx, late)
	if err != nil {
		return err
	}
	for _, ts := range late {
		k := known[ts.Key()]
		if k == nil {
			return fmt.Errorf("sale %s of %s is neither new nor known", ts.OrderID, ts.SerialNumber)
		}
		in.compare(ts, k)
	}
	for _, ts := range in.same {
		ts.Outcome().SaleID = in.First[ts.Key()].Outcome().SaleID
	}
	return nil
}

// compare compares with a recorded sale. A sale that an import created, and that is
// reported to another caller as known, stays when the import is undone.
func (in *Batch) compare(ts *Candidate, known *models.Sale) {
	ts.Compare(known)
	sameImport := known.BatchID != nil && ts.BatchID != nil && *known.BatchID == *ts.BatchID
	if ts.Outcome().Status == Known && known.BatchID != nil && !known.ReportedAgain && !sameImport {
		in.Again = append(in.Again, known.ID)
	}
}

// ErrSaleUndone means that an import was undone while one of its sales was reported.
var ErrSaleUndone = errors.New("a known sale was undone")

// MarkReportedAgain marks sales of imports that others reported too.
func MarkReportedAgain(ctx context.Context, t database.Tx, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	done, err := t.SQL.ExecContext(ctx, `UPDATE sales SET told_again = true
		WHERE id IN (SELECT id FROM sales WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE)`, ids)
	if err != nil {
		return fmt.Errorf("note that %d sales were reported again: %w", len(ids), err)
	}
	if found, err := done.RowsAffected(); err != nil || found < int64(len(ids)) {
		return cmp.Or(err, ErrSaleUndone)
	}
	return nil
}

// Compare decides whether the sale is known or contradicts the recorded one.
func (ts *Candidate) Compare(known *models.Sale) {
	o := ts.Outcome()
	o.SaleID = known.ID
	o.Problems = ts.differs(known)
	if o.Status = Known; len(o.Problems) > 0 {
		o.Status = Conflict
	}
}

// differs returns the fields in which a sale contradicts the recorded one. A
// terminal's post contains less than other sources report, and a less exact time:
// compared with a post, a missing field does not contradict.
func (ts *Candidate) differs(known *models.Sale) []*models.Error {
	posted := known.Source == models.SourceTerminal
	var fields []*models.Error
	differ := func(field string, yes bool) {
		if yes {
			fields = append(fields, &models.Error{Kind: models.KindConflict, Code: "sale.differs", Field: field})
		}
	}
	tolerance := time.Duration(0)
	if posted {
		tolerance = saleTimeAhead
	}
	differ("merchantId", ts.MerchantID != known.MerchantID)
	differ("amount", ts.Amount != known.Amount)
	differ("soldAt", ts.SoldAt.Sub(known.SoldAt).Abs() > tolerance)
	for i := range models.SaleFacts {
		if f := &models.SaleFacts[i]; f.Optional() {
			told, is := *f.Kept(&ts.Sale), *f.Kept(known)
			differ(f.Name, told != is && !(posted && (told == "" || is == "")))
		}
	}
	return fields
}
