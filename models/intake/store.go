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
	// Before the day's sums, for which what cancels one of them waits as well.
	if err := LockSales(ctx, in.Tx, in.toComplete()); err != nil {
		return err
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
	told, _ := in.Told() // all are recorded now
	if err := Complete(ctx, in.Tx, calls[0].Now, told); err != nil {
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
	Again      []int64                // sales that another door or import reports again
	more       []*Candidate           // what says more than the recorded sale
}

// Begin takes the call's sales as reported, without the outcome of an earlier try
// that failed.
func (in *Batch) Begin(c *Call) {
	c.fresh = nil
	for _, ts := range c.sales {
		*ts.Outcome() = Outcome{Warnings: ts.warnings, Problems: ts.leftOut}
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
	others, err := in.ordersOfOthers(ctx, placed)
	if err != nil {
		return err
	}
	first := map[string]*Candidate{} // of each order number, under whatever terminal
	for _, ts := range placed {
		before, other := in.First[ts.Key()], first[ts.OrderID]
		owner, ofAnother := others[ts]
		switch {
		case known[ts.Key()] != nil:
			in.compare(ts, known[ts.Key()])
		case ofAnother:
			ts.refuseOfAnother(owner)
		case before != nil:
			if ts.Compare(&before.Sale) {
				in.more = append(in.more, ts)
			}
			in.same = append(in.same, ts)
		case other != nil:
			ts.refuseOfAnother(ownerOf{})
		default:
			in.First[ts.Key()], first[ts.OrderID] = ts, ts
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

// compare compares with a recorded sale. A sale that is reported to another door or
// import as known can no longer be taken back by the first one.
func (in *Batch) compare(ts *Candidate, known *models.Sale) {
	if ts.Compare(known) {
		in.more = append(in.more, ts)
	}
	if ts.Outcome().Status == Known && known.Source != models.SourceTerminal && !known.ReportedAgain && !sameDoor(&ts.Sale, known) {
		in.Again = append(in.Again, known.ID)
	}
}

// sameDoor reports whether both were reported by the same source, and by the same
// import if by one.
func sameDoor(a, b *models.Sale) bool {
	sameBatch := a.BatchID == b.BatchID || a.BatchID != nil && b.BatchID != nil && *a.BatchID == *b.BatchID
	return a.Source == b.Source && sameBatch
}

// ErrSaleUndone means that an import was undone while one of its sales was reported.
var ErrSaleUndone = errors.New("a known sale was undone")

// MarkReportedAgain marks sales that others reported too.
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

// toComplete are the recorded sales that will change: they get facts, or are marked as
// reported again.
func (in *Batch) toComplete() []int64 {
	ids := slices.Clone(in.Again)
	for _, ts := range in.more {
		if id := ts.Outcome().SaleID; id != 0 { // 0: the call's own
			ids = append(ids, id)
		}
	}
	return ids
}

// Told lists what the sales of the calls say more than the recorded ones. Within are
// those of which the sale is not recorded yet: it is of the same calls.
func (in *Batch) Told() (told []Told, within []*Candidate) {
	for _, ts := range in.more {
		if id := ts.Outcome().SaleID; id != 0 {
			told = append(told, ts.Told(id))
		} else {
			within = append(within, ts)
		}
	}
	return told, within
}

// Told is what the candidate says of a recorded sale. Calls of a few sales have an
// entry for each.
func (ts *Candidate) Told(saleID int64) Told {
	trail := len(ts.call.Outcomes) <= groupedSales && ts.call.Source != models.SourceImport
	return Told{SaleID: saleID, Sale: &ts.Sale, Actor: ts.call.Actor, Trail: trail}
}

// Compare decides whether the sale is known or contradicts the recorded one. It
// reports whether it says more: a fact that the recorded sale lacks, or has otherwise,
// or on which day it was made.
func (ts *Candidate) Compare(known *models.Sale) bool {
	o := ts.Outcome()
	o.SaleID, o.Status, o.Problems, o.Completed = known.ID, Known, slices.Clip(ts.leftOut), nil
	fills, differs := says(&ts.Sale, known)
	other := ts.differs(known)
	o.Problems = append(o.Problems, other...)
	for _, name := range differs {
		o.Problems = append(o.Problems, differing(name))
	}
	if len(other) > 0 {
		o.Status = Conflict
		return false // it is not clear that they are one sale
	}
	if len(differs) > 0 && ts.call.Source == models.SourceImport {
		o.Warnings = append(slices.Clip(o.Warnings), warnDiffers)
	} else if len(differs) > 0 {
		o.Status = Conflict
	}
	if len(fills) > 0 && ts.call.Source == models.SourceImport {
		o.Warnings = append(slices.Clip(o.Warnings), WarnCompletes)
	}
	o.Completed = fills
	return len(fills)+len(differs) > 0 || known.DayNotProven()
}

func differing(field string) *models.Error {
	return &models.Error{Kind: models.KindConflict, Code: "sale.differs", Field: field}
}

// differs returns the fields without which two sales are not known to be one, and in
// which a sale contradicts the recorded one. A terminal's post has a less exact time
// than other sources report, and files and people leave out the seconds.
func (ts *Candidate) differs(known *models.Sale) []*models.Error {
	var fields []*models.Error
	differ := func(field string, yes bool) {
		if yes {
			fields = append(fields, differing(field))
		}
	}
	differ("merchantId", ts.MerchantID != known.MerchantID)
	differ("amount", ts.Amount != known.Amount)
	apart := ts.SoldAt.Sub(known.SoldAt).Abs()
	if known.DayUnproven { // its time is that of the post, and this says when it was made
		late := ts.SoldAt.After(known.SoldAt.Add(saleTimeAhead)) || apart > SaleTimeBehind
		differ("soldAt", late || known.TicketDate != nil && *known.TicketDate != ts.BusinessDay)
		return fields
	}
	differ("soldAt", apart > saleTimeAhead || apart > 0 && known.Source != models.SourceTerminal && !sameMinute(ts.SoldAt, known.SoldAt))
	return fields
}

// sameMinute reports whether one of two instants is the other without its seconds.
func sameMinute(a, b time.Time) bool {
	return a.Equal(b.Truncate(time.Minute)) || b.Equal(a.Truncate(time.Minute))
}
