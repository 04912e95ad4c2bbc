package intake

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Told is what a door says of a recorded sale with which it agrees in terminal,
// order, merchant id and amount.
type Told struct {
	SaleID int64
	// Sale has the optional facts, the source and who recorded it.
	Sale  *models.Sale
	Actor models.Actor
	// Trail writes an entry for the sale. Large calls and files have one entry of
	// their own.
	Trail bool
}

// says reports whether the sale would learn something from this: a fact that it lacks,
// or one in which it is contradicted.
func says(told, known *models.Sale) (fills, differs []string) {
	for i := range models.SaleFacts {
		f := &models.SaleFacts[i]
		if !f.Optional() {
			continue
		}
		switch told, is := *f.Kept(told), *f.Kept(known); {
		case told == "":
		case is == "":
			fills = append(fills, f.Name)
		case !models.SameFact(f.Name, told, is):
			differs = append(differs, f.Name)
		}
	}
	return fills, differs
}

// Complete adds what doors say to recorded sales, in the caller's transaction: what a
// sale lacks is filled in, what contradicts it is stored beside it, each with its
// source. It changes no amount and no state, so that it may be done to a sale in any
// state.
//
// Errors: ErrSaleUndone when a sale is no longer there.
func Complete(ctx context.Context, t database.Tx, now time.Time, told []Told) error {
	if len(told) == 0 {
		return nil
	}
	sales, err := lockForFacts(ctx, t, told)
	if err != nil {
		return err
	}
	var facts []models.SaleFact
	changed := map[int64]bool{}
	for _, d := range told {
		sale := sales[d.SaleID]
		if sale == nil {
			return ErrSaleUndone
		}
		more, day := d.apply(sale, now), d.proves(sale)
		changed[sale.ID] = changed[sale.ID] || day
		for i := range more {
			changed[sale.ID] = changed[sale.ID] || more[i].Filled
		}
		if d.Trail && (len(more) > 0 || day) {
			if err := d.record(t, now, sale, more, day); err != nil {
				return err
			}
		}
		facts = append(facts, more...)
	}
	if err := updateFacts(ctx, t, sales, changed); err != nil {
		return err
	}
	return insertFacts(ctx, t, facts)
}

// LockSales locks sales in the order of their ids, against whatever changes them.
func LockSales(ctx context.Context, t database.Tx, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := t.SQL.ExecContext(ctx, `SELECT FROM sales WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE`, ids)
	if err != nil {
		return fmt.Errorf("lock %d sales: %w", len(ids), err)
	}
	return nil
}

// lockForFacts locks the sales in the order of their ids and reads them.
func lockForFacts(ctx context.Context, t database.Tx, told []Told) (map[int64]*models.Sale, error) {
	ids := make([]int64, len(told))
	for i, d := range told {
		ids[i] = d.SaleID
	}
	slices.Sort(ids)
	list, err := database.TxRows[models.Sale](ctx, t,
		`SELECT * FROM sales WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE`, slices.Compact(ids))
	if err != nil {
		return nil, fmt.Errorf("lock %d sales to complete: %w", len(ids), err)
	}
	sales := make(map[int64]*models.Sale, len(list))
	for i := range list {
		sales[list[i].ID] = &list[i]
	}
	return sales, nil
}

// apply fills in what the sale lacks, and lists what there is to store.
func (d *Told) apply(sale *models.Sale, now time.Time) []models.SaleFact {
	fills, differs := says(d.Sale, sale)
	var facts []models.SaleFact
	for _, name := range append(slices.Clone(fills), differs...) {
		f := models.Fact(name)
		value, filled := *f.Kept(d.Sale), slices.Contains(fills, name)
		if filled {
			*f.Kept(sale) = value
		}
		facts = append(facts, models.SaleFact{
			SaleID: sale.ID, Fact: name, Source: d.Sale.Source, RecordedBy: d.Sale.RecordedBy, Value: value, Filled: filled, ToldAt: now,
		})
	}
	return facts
}

// proves adds the day of a sale of which nobody could say it: other doors know when it
// was made. It reports whether it did.
func (d *Told) proves(sale *models.Sale) bool {
	day := d.Sale.BusinessDay
	if d.Sale.Source == models.SourceTerminal || !sale.DayNotProven() || day > sale.BusinessDay {
		return false
	}
	sale.TicketDate = &day
	return true
}

// record writes the sale's entry: what it has now, and what was said against it.
func (d *Told) record(t database.Tx, now time.Time, sale *models.Sale, facts []models.SaleFact, day bool) error {
	after, differs := map[string]any{"source": d.Sale.Source}, map[string]string{}
	if day {
		after["ticketDate"] = sale.TicketDate
	}
	for _, f := range facts {
		if f.Filled {
			after[f.Fact] = f.Value
		} else {
			differs[f.Fact] = f.Value
		}
	}
	if len(differs) > 0 {
		after["differs"] = differs
	}
	var store models.Store
	if err := database.TakeRow(t.Where("id = ?", sale.StoreID), &store); err != nil {
		return fmt.Errorf("name store %d: %w", sale.StoreID, err)
	}
	about := audit.About{Sale: sale, Store: &store, After: after}
	return audit.Record(t, d.Actor, now, models.ActionSaleCompleted, models.OutcomeSuccess, about)
}

// updateFacts writes the optional facts of the changed sales.
func updateFacts(ctx context.Context, t database.Tx, sales map[int64]*models.Sale, changed map[int64]bool) error {
	var ids []int64
	for id, yes := range changed {
		if yes {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	column := func(name string) []string {
		values := make([]string, len(ids))
		for i, id := range ids {
			values[i] = *models.Fact(name).Kept(sales[id])
		}
		return values
	}
	days := make([]*models.Day, len(ids))
	for i, id := range ids {
		days[i] = sales[id].TicketDate
	}
	_, err := t.SQL.ExecContext(ctx, `UPDATE sales s
		SET last4 = n.last4, card_brand = n.card_brand, auth_code = n.auth_code, folio = n.folio, reference = n.reference,
			ticket_date = n.ticket_date
		FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::date[])
			AS n(id, last4, card_brand, auth_code, folio, reference, ticket_date)
		WHERE s.id = n.id`,
		ids, column("last4"), column("cardBrand"), column("authCode"), column("folio"), column("reference"), days)
	if err != nil {
		return fmt.Errorf("complete %d sales: %w", len(ids), err)
	}
	return nil
}

// insertFacts stores what doors said. Of a door and a fact the first stays.
func insertFacts(ctx context.Context, t database.Tx, facts []models.SaleFact) error {
	if len(facts) == 0 {
		return nil
	}
	slices.SortFunc(facts, func(a, b models.SaleFact) int {
		return cmp.Or(cmp.Compare(a.SaleID, b.SaleID), cmp.Compare(a.Fact, b.Fact), cmp.Compare(a.Source, b.Source))
	})
	n := len(facts)
	ids, filled, at := make([]int64, n), make([]bool, n), make([]time.Time, n)
	fact, source, by, value := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	for i, f := range facts {
		ids[i], fact[i], source[i], by[i] = f.SaleID, f.Fact, string(f.Source), f.RecordedBy
		value[i], filled[i], at[i] = f.Value, f.Filled, f.ToldAt
	}
	_, err := t.SQL.ExecContext(ctx, `INSERT INTO sale_facts (sale_id, fact, source, recorded_by, value, filled, told_at)
		SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::timestamptz[])
		ON CONFLICT DO NOTHING`, ids, fact, source, by, value, filled, at)
	if err != nil {
		return fmt.Errorf("store %d facts: %w", n, err)
	}
	return nil
}

// KeepOrigins stores where the facts of a sale came from that a correction took over
// or replaced: from now on the sale's own source is another.
func KeepOrigins(ctx context.Context, t database.Tx, before, corrected *models.Sale) error {
	var facts []models.SaleFact
	for i := range models.SaleFacts {
		f := &models.SaleFacts[i]
		if !f.Optional() || *f.Kept(before) == "" {
			continue
		}
		kept := *f.Kept(before) == *f.Kept(corrected)
		if kept || !models.SameFact(f.Name, *f.Kept(before), *f.Kept(corrected)) {
			facts = append(facts, models.SaleFact{
				SaleID: before.ID, Fact: f.Name, Source: before.Source, RecordedBy: before.RecordedBy,
				Value: *f.Kept(before), Filled: kept, ToldAt: before.ReceivedAt,
			})
		}
	}
	return insertFacts(ctx, t, facts)
}
