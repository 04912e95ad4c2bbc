package intake

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// record adds one entry for each call with a new or a refused sale. A call that only
// repeats another has its entry already.
func (in *Batch) record(calls []*Call) error {
	names, err := in.storeNames()
	if err != nil {
		return err
	}
	var entries []models.AuditEntry
	for _, c := range calls {
		counts := c.counts()
		if counts[Created]+counts[Conflict]+counts[Refused] == 0 {
			continue
		}
		outcome := models.OutcomeSuccess
		if counts[Created]+counts[Known] == 0 {
			outcome = models.OutcomeFailure
		}
		about := c.about(counts, names)
		if outcome == models.OutcomeFailure {
			about.Reason = c.firstProblem()
		}
		e, err := audit.NewEntry(c.Actor, c.Now, models.ActionSalesRecorded, outcome, about)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	return audit.RecordAll(in.Tx, entries)
}

func (in *Batch) storeNames() (map[int64]*models.Store, error) {
	stores := map[int64]*models.Store{}
	for _, ts := range in.candidates {
		if len(ts.call.Outcomes) == 1 && ts.StoreID != 0 {
			stores[ts.StoreID] = nil
		}
	}
	if len(stores) == 0 {
		return stores, nil
	}
	var found []models.Store
	if err := in.Where("id IN ?", slices.Collect(maps.Keys(stores))).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("name stores: %w", err)
	}
	for i := range found {
		stores[found[i].ID] = &found[i]
	}
	return stores, nil
}

// counts counts the outcomes of the call.
func (c *Call) counts() map[Status]int {
	counts := map[Status]int{}
	for i := range c.Outcomes {
		counts[c.Outcomes[i].Status]++
	}
	return counts
}

// about returns the attributes of one sale or, for many, the number of each outcome.
func (c *Call) about(counts map[Status]int, stores map[int64]*models.Store) audit.About {
	after := map[string]any{"source": c.Source}
	if c.BatchID != 0 {
		after["importId"] = c.BatchID
	}
	if len(c.Outcomes) != 1 {
		after["sales"] = len(c.Outcomes)
		for status, n := range counts {
			after[string(status)] = n
		}
		return audit.About{After: after}
	}
	o := c.Outcomes[0]
	after["outcome"] = o.Status
	if fields := o.fields(); len(fields) > 0 {
		after["problems"] = fields
	}
	if len(o.Warnings) > 0 {
		after["warnings"] = o.Warnings
	}
	if len(c.sales) == 0 {
		return audit.About{After: after} // what could not be read is not recorded
	}
	ts := c.sales[0]
	if o.SaleID == 0 {
		after["orderId"] = ts.OrderID
		return audit.About{After: after, Terminal: ts.SerialNumber}
	}
	sale := ts.Sale
	sale.ID = o.SaleID
	if o.Status == Created {
		sale.AddAttributes(after)
	}
	return audit.About{After: after, Sale: &sale, Store: stores[ts.StoreID]}
}

// firstProblem is the code of the first problem.
func (c *Call) firstProblem() string {
	for i := range c.Outcomes {
		if problems := c.Outcomes[i].Problems; len(problems) > 0 {
			return problems[0].Code
		}
	}
	return ""
}

// fields writes the problems as field and code.
func (o *Outcome) fields() map[string]string {
	fields := map[string]string{}
	for _, p := range o.Problems {
		fields[p.Field] = p.Code
	}
	return fields
}

// UndoSales removes the sales of an import, in the caller's transaction, and returns
// their number. They are stored in undone_sales.
//
// Errors: import.inUse when a cancellation or a result refers to one of them.
func UndoSales(ctx context.Context, t database.Tx, batchID int64, now time.Time) (int64, error) {
	var n int64
	err := t.SQL.QueryRowContext(ctx, `SELECT undo_sales($1, $2)`, batchID, now).Scan(&n)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == ForeignKeyViolation {
		return 0, &models.Error{Kind: models.KindConflict, Code: "import.inUse"}
	}
	if err != nil {
		return 0, fmt.Errorf("undo sales of import %d: %w", batchID, err)
	}
	return n, nil
}

// ForeignKeyViolation is PostgreSQL's code of a foreign key violation.
const ForeignKeyViolation = "23503"
