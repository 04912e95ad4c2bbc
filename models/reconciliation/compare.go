package reconciliation

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/database"
)

// compare judges each order of the report through a cursor and stores the results;
// then it adds the sales that the report lacks.
func (s *Service) compare(ctx context.Context, t database.Tx, rec *Reconciliation, oneLine bool) error {
	w := span{day: rec.BusinessDay, completeUntil: rec.CompleteUntil, quiet: s.waits().Quiet}
	// Every row is fetched, so a plan with a fast start does not help. Tables that
	// were just filled look empty to the planner, which would then read one of them
	// again for each row of the other. Index probes are lateral and remain possible.
	for _, set := range []string{"cursor_tuple_fraction = 1", "enable_nestloop = off", "jit = off"} {
		if err := t.Exec("SET LOCAL " + set).Error; err != nil {
			return err
		}
	}
	_, err := t.SQL.ExecContext(ctx, `DECLARE orders NO SCROLL CURSOR FOR `+matching,
		rec.ID, string(rec.BusinessDay), s.nextDay(rec.BusinessDay))
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	b := &itemBatch{}
	for {
		n, err := s.compareSome(ctx, t, w, oneLine, b)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		if err := b.write(t, rec.ID); err != nil {
			return err
		}
	}
	if _, err := t.SQL.ExecContext(ctx, `CLOSE orders`); err != nil {
		return err
	}
	if rec.SalesCompared {
		if _, err := t.SQL.ExecContext(ctx, missing, rec.ID, string(rec.BusinessDay), StoreArray(rec.Stores)); err != nil {
			return fmt.Errorf("look for what is missing: %w", err)
		}
	}
	return rec.count(ctx, t)
}

// compareSome judges the next orders and returns their number.
func (s *Service) compareSome(ctx context.Context, t database.Tx, w span, oneLine bool, b *itemBatch) (int, error) {
	orders, err := database.TxRows[matchedOrder](ctx, t, fmt.Sprintf(`FETCH %d FROM orders`, rowsAtOnce))
	if err != nil {
		return 0, fmt.Errorf("match: %w", err)
	}
	for i := range orders {
		item := orders[i].item(w, oneLine)
		b.add(&item)
	}
	return len(orders), nil
}

// matchedOrder is a row of the matching.
type matchedOrder struct {
	ReportItem
	Reported reportedOrder `gorm:"embedded"`
	Terminal bool          // the report's terminal is one of ours
	PlaceID  int64         // the store that the terminal was in
	Disputed string
	Sale     models.Sale         `gorm:"embedded;embeddedPrefix:known_"`  // zero where no sale was found
	Latest   models.Cancellation `gorm:"embedded;embeddedPrefix:latest_"` // zero where it has none
}

// item judges the order.
func (o *matchedOrder) item(w span, oneLine bool) ReportItem {
	i := o.ReportItem
	i.Lines = intsOf(i.LineText)
	i.Verdict, i.Why = o.Reported.verdict(oneLine)
	r := reported{
		verdict: i.Verdict, why: i.Why, basis: i.Basis, amount: i.Amount, day: i.Day,
		terminal: o.Terminal, repeated: o.Reported.Repeated, disputed: o.Disputed,
	}
	i.StoreID = o.PlaceID
	if o.Sale.ID != 0 {
		r.sale, i.SaleID, i.StoreID, i.Ours = &o.Sale, o.Sale.ID, o.Sale.StoreID, o.Sale.State
		i.OurAmount = &o.Sale.Amount
	}
	if o.Latest.ID != 0 {
		r.c = &o.Latest
	}
	j := w.judge(r)
	i.Kind, i.Resolves, i.Why = j.kind, j.resolves, j.why
	return i
}

// count sums the items up for the trail and the lists.
func (r *Reconciliation) count(ctx context.Context, t database.Tx) error {
	rows, err := database.TxRows[struct {
		Kind  ItemKind
		Items int
	}](ctx, t, counting, r.ID)
	if err != nil {
		return fmt.Errorf("count: %w", err)
	}
	r.Counts = map[ItemKind]int{}
	for _, row := range rows {
		r.Counts[row.Kind] += row.Items
	}
	return nil
}
