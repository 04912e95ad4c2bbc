package models

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// record adds one entry for each call that told anything new or was refused
// something. A call that was only repeated has its entry already.
func (in *intake) record(calls []*intakeCall) error {
	names, err := in.storeNames()
	if err != nil {
		return err
	}
	var entries []AuditEntry
	for _, c := range calls {
		counts := c.counts()
		if counts[SaleCreated]+counts[SaleConflict]+counts[SaleRefused] == 0 {
			continue
		}
		outcome := OutcomeSuccess
		if counts[SaleCreated]+counts[SaleKnown] == 0 {
			outcome = OutcomeFailure
		}
		about := c.about(counts, names)
		if outcome == OutcomeFailure {
			about.reason = c.firstProblem()
		}
		e, err := newEntry(c.actor, c.now, ActionSalesRecorded, outcome, about)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	return in.recordAll(entries)
}

func (in *intake) storeNames() (map[int64]*Store, error) {
	stores := map[int64]*Store{}
	var ids []int64
	for _, ts := range in.told {
		if len(ts.call.outcomes) == 1 && ts.StoreID != 0 && stores[ts.StoreID] == nil {
			stores[ts.StoreID] = &Store{}
			ids = append(ids, ts.StoreID)
		}
	}
	if len(ids) == 0 {
		return stores, nil
	}
	var found []Store
	if err := in.Where("id IN ?", ids).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("name stores: %w", err)
	}
	for i := range found {
		stores[found[i].ID] = &found[i]
	}
	return stores, nil
}

// counts counts the outcomes of the call.
func (c *intakeCall) counts() map[SaleStatus]int {
	counts := map[SaleStatus]int{}
	for i := range c.outcomes {
		counts[c.outcomes[i].Status]++
	}
	return counts
}

// about tells of one sale what it is, and of many how many came to what.
func (c *intakeCall) about(counts map[SaleStatus]int, stores map[int64]*Store) about {
	after := map[string]any{"source": c.Source}
	if c.BatchID != 0 {
		after["importId"] = c.BatchID
	}
	if len(c.outcomes) != 1 {
		after["sales"] = len(c.outcomes)
		for status, n := range counts {
			after[string(status)] = n
		}
		return about{after: after}
	}
	o := c.outcomes[0]
	after["outcome"] = o.Status
	if fields := o.fields(); len(fields) > 0 {
		after["problems"] = fields
	}
	if len(o.Warnings) > 0 {
		after["warnings"] = o.Warnings
	}
	if len(c.sales) == 0 {
		return about{after: after} // what could not be read is not repeated
	}
	ts := c.sales[0]
	if o.SaleID == 0 {
		after["orderId"] = ts.OrderID
		return about{after: after, terminal: ts.SerialNumber}
	}
	sale := ts.Sale
	sale.ID = o.SaleID
	if o.Status == SaleCreated {
		sale.tellInto(after)
	}
	return about{after: after, sale: &sale, store: stores[ts.StoreID]}
}

// firstProblem is the code of the first thing that was wrong.
func (c *intakeCall) firstProblem() string {
	for i := range c.outcomes {
		if problems := c.outcomes[i].Problems; len(problems) > 0 {
			return problems[0].Code
		}
	}
	return ""
}

// tellInto adds what was told of a sale besides what each entry of a sale has.
func (s *Sale) tellInto(after map[string]any) {
	after["soldAt"], after["merchantId"] = s.SoldAt.UTC().Format(time.RFC3339Nano), s.MerchantID
	for i := range saleFacts {
		if f := &saleFacts[i]; f.optional() && *f.kept(s) != "" {
			after[f.name] = *f.kept(s)
		}
	}
}

// fields writes the problems as field and code.
func (o *SaleOutcome) fields() map[string]string {
	fields := map[string]string{}
	for _, p := range o.Problems {
		fields[p.Field] = p.Code
	}
	return fields
}

// undoSales takes back the sales of an import, in the transaction of whoever
// undoes it, and returns how many they were. They are kept in undone_sales.
//
// Errors: import.inUse when a case or a result refers to one of them.
func (t tx) undoSales(ctx context.Context, batchID int64, now time.Time) (int64, error) {
	var n int64
	err := t.sql.QueryRowContext(ctx, `SELECT undo_sales($1, $2)`, batchID, now).Scan(&n)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == foreignKeyViolation {
		return 0, &Error{Kind: KindConflict, Code: "import.inUse"}
	}
	if err != nil {
		return 0, fmt.Errorf("undo sales of import %d: %w", batchID, err)
	}
	return n, nil
}

// foreignKeyViolation is PostgreSQL's code for it.
const foreignKeyViolation = "23503"
