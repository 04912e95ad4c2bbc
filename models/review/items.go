package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/audit"
	"veinte/models/cancellations"
	"veinte/models/database"
	"veinte/models/oversight"
	"veinte/models/reconciliation"
	"veinte/models/sales"
	"veinte/models/terminals"
)

// What is shown of items, by their ids.
const (
	cancellationsOfSQL = `SELECT id, sale_id, store_id, terminal_id, state, detail, origin, requested_by, requester, changed_at,
		last_push_at, quiet_until, conflict, conflict_at FROM cancellations WHERE id = ANY($1)`

	askedOfSQL = `SELECT cancellation_id, max(try) AS tries, max(sent_at) AS last FROM inquiries
		WHERE cancellation_id = ANY($1) AND try > 0 GROUP BY cancellation_id`

	resultsOfSQL = `SELECT id, received_at, kind, serial_number, order_id, amount, status, note, sale_id,
		` + database.ResultStoreSQL + ` AS store_id
		FROM results WHERE id = ANY($1)`

	alertsOfSQL = `SELECT id, kind, cause, subject, raised_at, last_at, times, store_id, store_name, sale_id, entry_id, facts
		FROM alerts WHERE id = ANY($1)`

	differencesOfSQL = `SELECT i.id, i.reconciliation_id, i.kind, i.settles AS resolves, i.verdict, i.why, i.basis, i.serial_number,
		i.order_id, i.last4, i.amount, i.our_amount, i.problem, coalesce(i.store_id, 0) AS store_id, coalesce(i.sale_id, 0) AS sale_id, i.ours,
		r.profile_name, r.business_day::text AS business_day
		FROM report_items i JOIN reconciliations r ON r.id = i.reconciliation_id WHERE i.id = ANY($1)`

	differingSQL = `SELECT o.id, o.profile_name, o.business_day::text AS business_day, (SELECT count(*) FROM (
			SELECT FROM report_items i WHERE i.reconciliation_id = o.id AND ` + inboxDifferenceSQL + ` LIMIT $5) few) AS differences
		FROM reconciliations o WHERE o.id = ANY($4)`

	// What is folded into the items of sales.
	foldedAlertsSQL = `SELECT a.sale_id, a.kind FROM alerts a WHERE a.seen_at IS NULL AND ` + alerts.OfSaleSQL + `
		AND a.sale_id = ANY($1) AND a.kind <> ` + conflictAlertSQL + ` ORDER BY a.id`
	foldedDifferencesSQL = `SELECT i.sale_id, i.reconciliation_id AS report FROM ` + reconciliation.WaitingSQL + ` AND i.sale_id = ANY($1)
		ORDER BY i.id`

	// othersSQL are who can handle what is about the act of the person $2: as many as a line
	// names.
	othersSQL = `ARRAY(SELECT u.name FROM users u WHERE u.role = '` + string(models.Supervisor) + `' AND u.id <> $2 AND u.disabled_at IS NULL
		AND (u.access_until IS NULL OR u.access_until >= $3::date) AND (u.all_stores OR
			EXISTS (SELECT FROM user_stores s WHERE s.user_id = u.id AND s.store_id = `

	ownAlertsSQL = `SELECT a.id, ` + othersSQL + `a.store_id) OR a.kind IN ` + alerts.AlwaysSQL + `) ORDER BY u.name, u.id LIMIT 3) AS others
		FROM alerts a WHERE a.id = ANY($1) AND ` + alerts.OwnSQL

	ownConflictsSQL = `SELECT c.id, ` + othersSQL + `c.store_id))
			AND (c.origin = '` + string(models.FromPerson) + `' AND c.requested_by = u.id) IS NOT TRUE
			AND NOT EXISTS (` + cancellations.DecidedSQL + `(c.sale_id, 'u' || u.id)) ORDER BY u.name, u.id LIMIT 3) AS others
		FROM cancellations c WHERE c.id = ANY($1) AND (c.origin = '` + string(models.FromPerson) + `' AND c.requested_by = $2
			OR EXISTS (` + cancellations.DecidedSQL + `(c.sale_id, 'u' || $2)))`

	ownDifferencesSQL = `SELECT i.id, ` + othersSQL + `i.store_id)) AND NOT EXISTS (` + cancellations.DecidedSQL + `(i.sale_id, 'u' || u.id))
			ORDER BY u.name, u.id LIMIT 3) AS others
		FROM report_items i WHERE i.id = ANY($1) AND EXISTS (` + cancellations.DecidedSQL + `(i.sale_id, 'u' || $2))`

	// conflictAlertSQL is the echo that says nothing more than its item.
	conflictAlertSQL = "'" + string(alerts.KindConflict) + "'"
)

// salesOfSQL are the sales of items with their facts.
var salesOfSQL = `SELECT ` + sales.AllColumns.Names("s.") + ` FROM sales s WHERE s.id = ANY($1)`

// shown is what the second round trip reads.
type shown struct {
	cancellations []models.Cancellation
	asked         []askedAbout
	results       []resultAt
	alerts        []alerts.Alert
	differing     []Differing
	differences   []Difference
	sales         []models.Sale
	folded        []foldedAlert
	reports       []foldedDifference
	own           map[Kind][]ownItem
}

// ownItem is an item about the reader's own act, and who else can handle it.
type ownItem struct {
	ID     int64
	Others []string
}

type askedAbout struct {
	CancellationID int64
	cancellations.Asked
}

type resultAt struct {
	models.Result
	StoreID *int64
}

type foldedAlert struct {
	SaleID int64
	Kind   alerts.Kind
}

type foldedDifference struct{ SaleID, Report int64 }

// queue reads the rows of a query by the names of their columns.
func queue[T any](batch *pgx.Batch, into *[]T, sql string, ids []int64) {
	batch.Queue(sql, ids).Query(func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowToStructByNameLax[T])
		return err
	})
}

// fill reads what is shown of items. What was removed meanwhile is left out.
func (s *Service) fill(ctx context.Context, actor models.Actor, dir *terminals.Directory, items []Item) ([]Item, error) {
	var of shown
	ids, saleIDs := map[Kind][]int64{}, []int64{}
	for i := range items {
		ids[items[i].Kind] = append(ids[items[i].Kind], items[i].ID)
		if items[i].saleID != nil {
			saleIDs = append(saleIDs, *items[i].saleID)
		}
	}
	changed := slices.Concat(ids[ReviewDoubt], ids[ReviewConflict])
	batch := &pgx.Batch{}
	database.Generic(batch, func() {
		queue(batch, &of.cancellations, cancellationsOfSQL, changed)
		queue(batch, &of.asked, askedOfSQL, changed)
		queue(batch, &of.results, resultsOfSQL, ids[ReviewResult])
		queue(batch, &of.alerts, alertsOfSQL, ids[ReviewAlert])
		queue(batch, &of.differences, differencesOfSQL, ids[ReviewDifference])
		if many := ids[ReviewReport]; len(many) > 0 {
			batch.Queue(differingSQL, actor.AllStores, actor.StoreIDs, actor.May(models.ReconcileSales), many, MaxDifferences).
				Query(func(rows pgx.Rows) (err error) {
					of.differing, err = pgx.CollectRows(rows, pgx.RowToStructByName[Differing])
					return err
				})
		}
		queue(batch, &of.folded, foldedAlertsSQL, folded(items))
		if actor.May(models.ReconcileSales) {
			queue(batch, &of.reports, foldedDifferencesSQL, folded(items))
		}
		batch.Queue(salesOfSQL, saleIDs).Query(func(rows pgx.Rows) error { return sales.AllColumns.To(&of.sales)(rows) })
		s.queueOwn(batch, actor, &of, ids)
	})
	if err := s.db.SendBatch(ctx, batch); err != nil {
		return nil, fmt.Errorf("read what is to review: %w", err)
	}
	for i := range items {
		s.fillOne(&items[i], &of)
		if f := items[i].Finding; f != nil && actor.May(models.ReviewCancellations) {
			items[i].Own = f.About(actor)
		}
		items[i].place(dir)
	}
	return slices.DeleteFunc(items, func(i Item) bool {
		return i.Cancellation == nil && i.Result == nil && i.Alert == nil && i.Differing == nil && i.Difference == nil && i.Finding == nil
	}), nil
}

// queueOwn reads which items are about the actor's own acts. Programs and readers mark none.
func (s *Service) queueOwn(batch *pgx.Batch, actor models.Actor, of *shown, ids map[Kind][]int64) {
	of.own = map[Kind][]ownItem{}
	if !actor.May(models.ReviewCancellations) {
		return
	}
	day := models.AccessDay(s.clock.Now())
	if len(ids[ReviewAlert]) > 0 {
		batch.Queue(ownAlertsSQL, ids[ReviewAlert], actor.UserID, day).Query(of.readOwn(ReviewAlert))
	}
	if len(ids[ReviewConflict]) > 0 {
		batch.Queue(ownConflictsSQL, ids[ReviewConflict], actor.UserID, day).Query(of.readOwn(ReviewConflict))
	}
	if len(ids[ReviewDifference]) > 0 {
		batch.Queue(ownDifferencesSQL, ids[ReviewDifference], actor.UserID, day).Query(of.readOwn(ReviewDifference))
	}
}

// readOwn reads the items of a kind that are about the reader's own acts.
func (s *shown) readOwn(kind Kind) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		s.own[kind], err = pgx.CollectRows(rows, pgx.RowToStructByName[ownItem])
		return err
	}
}

// find returns the element of which is says that it is the one; nil when there is none.
func find[T any](all []T, is func(*T) bool) *T {
	for i := range all {
		if is(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

func (s *Service) fillOne(i *Item, of *shown) {
	if own := find(of.own[i.Kind], func(o *ownItem) bool { return o.ID == i.ID }); own != nil {
		i.Own, i.Others = true, own.Others
	}
	if i.saleID != nil {
		i.Sale = find(of.sales, func(x *models.Sale) bool { return x.ID == *i.saleID })
	}
	switch i.Kind {
	case ReviewDoubt, ReviewConflict:
		i.Cancellation = find(of.cancellations, func(c *models.Cancellation) bool { return c.ID == i.ID })
		asked := find(of.asked, func(a *askedAbout) bool { return a.CancellationID == i.ID })
		if asked == nil {
			asked = &askedAbout{}
		}
		i.Tries = asked.Tries
		if i.Kind == ReviewDoubt && i.Cancellation != nil {
			i.NextInquiry = s.cancellations.NextInquiry(i.Cancellation, asked.Asked)
		}
	case ReviewResult:
		if r := find(of.results, func(r *resultAt) bool { return r.ID == i.ID }); r != nil {
			i.Result, i.storeID, i.Terminal.SerialNumber = &r.Result, r.StoreID, models.SerialNumber(r.SerialNumber)
		}
	case ReviewAlert:
		if i.Alert = find(of.alerts, func(a *alerts.Alert) bool { return a.ID == i.ID }); i.Alert != nil {
			i.storeID, i.Terminal.SerialNumber = i.Alert.StoreID, models.SerialNumber(i.Alert.Read().Serial)
		}
		return
	case ReviewReport:
		i.Differing = find(of.differing, func(d *Differing) bool { return d.ID == i.ID })
	case ReviewFinding:
		if i.Finding.Kind == oversight.FindLarge {
			i.storeID = &i.Finding.ID
		}
	case ReviewDifference:
		if i.Difference = find(of.differences, func(d *Difference) bool { return d.ID == i.ID }); i.Difference != nil {
			i.storeID, i.Terminal.SerialNumber = &i.Difference.StoreID, models.SerialNumber(i.Difference.SerialNumber)
		}
	}
	i.fold(of)
}

// fold names what is folded into the item of a sale.
func (i *Item) fold(of *shown) {
	if i.saleID == nil {
		return
	}
	for _, a := range of.folded {
		if a.SaleID == *i.saleID && !slices.Contains(i.Also, a.Kind) && (a.Kind != alerts.AlertDoubt || i.Kind == ReviewDoubt) {
			i.Also = append(i.Also, a.Kind)
		}
	}
	if i.Kind == ReviewDifference {
		return
	}
	if d := find(of.reports, func(d *foldedDifference) bool { return d.SaleID == *i.saleID }); d != nil {
		i.Report = d.Report
	}
}

// place fills in the store and the terminal.
func (i *Item) place(dir *terminals.Directory) {
	if i.Sale != nil {
		i.Store, i.Terminal = dir.Stores[i.Sale.StoreID], models.Terminal{
			SerialNumber: i.Sale.SerialNumber, Label: dir.Terminals[i.Sale.TerminalID].Label,
		}
		return
	}
	if i.storeID != nil {
		i.Store = dir.Stores[*i.storeID]
	}
	for _, t := range dir.Terminals {
		if t.SerialNumber == i.Terminal.SerialNumber {
			i.Terminal.Label = t.Label
			return
		}
	}
}

// recordAlerts records that somebody read alerts that wait, or what was handled.
func (s *Service) recordAlerts(ctx context.Context, actor models.Actor, wait bool, n int) error {
	about := audit.About{After: map[string]any{"unseen": wait, "alerts": n}}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		return audit.Record(t, actor, s.clock.Now(), models.ActionAlertsRead, models.OutcomeSuccess, about)
	})
	if err != nil {
		return fmt.Errorf("record reading of alerts: %w", err)
	}
	return nil
}
