package imports

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/cards"
	"veinte/models/database"
	"veinte/models/intake"
	"veinte/models/sales"
	"veinte/models/table"
)

// saleCells are the facts of such a file, each with its parser; nil for the time of
// the sale, which several columns may have.
var saleCells = []struct {
	table.Column
	read func(table.Cell) (string, *table.Error)
}{
	{table.Column{Name: "serialNumber", Required: true, Synonyms: []string{
		"serie", "n/s", "no. de serie", "núm. de serie", "n.º de serie", "número de serie", "serial", "terminal",
	}}, table.Cell.Digits},
	{table.Column{Name: "merchantId", Synonyms: []string{"id. de comercio", "id comercio", "comercio", "storeId"}}, wholeValue},
	{table.Column{Name: "orderId", Required: true, Synonyms: []string{
		"orden", "no. de orden", "núm. de orden", "n.º de orden", "número de orden", "order",
	}}, wholeValue},
	{table.Column{Name: "amount", Required: true, Synonyms: []string{"monto", "importe", "total"}}, table.Cell.Amount},
	{table.Column{Name: "currency", Synonyms: []string{"moneda", "divisa"}}, upperValue},
	{table.Column{Name: "soldAt", Required: true, Synonyms: []string{
		"fecha", "fecha y hora", "fecha de venta", "fecha y hora de venta", "date",
	}}, nil},
	{table.Column{Name: "last4", Synonyms: []string{
		"últimos 4", "últimos cuatro", "últimos 4 dígitos", "últimos cuatro dígitos", "terminación",
	}}, lastFour},
	{table.Column{Name: "cardBrand", Synonyms: []string{"marca", "marca de tarjeta"}}, wholeValue},
	{table.Column{Name: "authCode", Synonyms: []string{
		"autorización", "no. de autorización", "número de autorización", "código de autorización",
	}}, wholeValue},
	{table.Column{Name: "folio", Synonyms: []string{"no. de folio", "número de folio"}}, wholeValue},
	{table.Column{Name: "reference", Synonyms: []string{"referencia", "ticket"}}, wholeValue},
}

// hourColumn has the time of day where the file has it apart from the date.
var hourColumn = table.Column{Name: "time", First: true, Synonyms: []string{
	"hora", "hora de venta", "hora de la venta", "hora de operación", "hora de la operación", "hora de transacción",
	"hora de la transacción", "hour",
}}

// saleFileColumns are the facts of a sale, then the columns that only say how to read
// a row. Rows are stored with their values in this order: new ones go to the end.
func saleFileColumns() []table.Column {
	columns := make([]table.Column, len(saleCells))
	for i := range saleCells {
		columns[i] = saleCells[i].Column
	}
	return append(append(columns, hourColumn), statusColumns...)
}

// salesImport is the import of sales: its columns are the HTTP API's names, and
// headers that are usual in Mexico.
var salesImport = &importer{
	may:     models.ImportSales,
	done:    models.ActionSalesImported,
	columns: saleFileColumns(),
	read:    readSale,
	place:   placeSales,
	begin:   beginSales,
	undo: func(ctx context.Context, p *pass) (int64, error) {
		return intake.UndoSales(ctx, p.Tx, p.imp.ID, p.now)
	},
}

// optionalColumns are the facts that a sale may lack.
var optionalColumns = func() map[string]bool {
	names := map[string]bool{}
	for i := range models.SaleFacts {
		names[models.SaleFacts[i].Name] = models.SaleFacts[i].Optional()
	}
	return names
}()

func readSale(r *table.Row) Row {
	c := readCells(r)
	c.optional = optionalColumns
	for i := range saleCells {
		switch cell := saleCells[i]; cell.Name {
		case soldAtColumn:
			c.addMoment(cell.Name, hourColumn.Name, false)
		case "amount":
			c.addWhole(cell.Name, cell.read)
		case "orderId", "merchantId", "authCode", "folio", "reference":
			c.addNumber(cell.Name, cell.read)
		default:
			c.add(cell.Name, cell.read)
		}
	}
	c.addHour()
	for _, column := range statusColumns {
		c.out.Values = append(c.out.Values, statusValue(r.Cell(column.Name)))
	}
	return c.out
}

// addHour adds the time of day as it stands in the file, unless it is part of the
// time of the sale already: the file of the wrong rows is uploaded again.
func (c *cellReader) addHour() {
	hour, cell := "", c.row.Cell(hourColumn.Name)
	switch _, result := cell.Computed(); {
	case c.wrongAt(soldAtColumn):
		hour = table.Shown(cell.Raw())
	case result:
		c.noteFormula(hourColumn.Name, cell)
	}
	c.out.Values = append(c.out.Values, hour)
}

// wholeValue reads a text.
func wholeValue(c table.Cell) (string, *table.Error) { return c.Value() }

func upperValue(c table.Cell) (string, *table.Error) {
	v, wrong := c.Value()
	return strings.ToUpper(v), wrong
}

func lastFour(c table.Cell) (string, *table.Error) { return c.PaddedDigits(4) }

// saleInput converts a row for the intake of sales.
func saleInput(r *Row, fallback *time.Location) models.SaleInput {
	var in models.SaleInput
	for i := range saleCells {
		*in.Field(saleCells[i].Name) = r.Values[i]
	}
	if m, ok := onWall(in.SoldAt); ok { // of a terminal that nobody registered
		if at, wrong := m.In(fallback); wrong == nil {
			in.SoldAt = at.Format(time.RFC3339Nano)
		}
	}
	return in
}

// salesRun collects the new sales of an import in a staging table and moves them
// into the table of sales with one statement. The day's sums, for which the
// terminals' posts wait, are locked only at the very end.
type salesRun struct {
	*pass
	calendar  models.Calendar
	terminals []int64 // all of them, with the versions that they had when the pass began
	versions  []int64
	staged    int64
	again     []int64             // listed sales of other imports that this one reports too
	told      []intake.Told       // what the file says more than listed sales
	within    []*intake.Candidate // rows that say more than an earlier row of their sale
}

func beginSales(ctx context.Context, s *Service, p *pass) (run, error) {
	r := &salesRun{pass: p, calendar: s.window().Calendar}
	type version struct {
		ID      int64
		Version int64
	}
	seen, err := database.TxRows[version](ctx, p.Tx, `SELECT id, version FROM terminals`)
	if err != nil {
		return nil, fmt.Errorf("begin import of sales: %w", err)
	}
	for _, t := range seen {
		r.terminals, r.versions = append(r.terminals, t.ID), append(r.versions, t.Version)
	}
	return r, nil
}

// clear takes away what was staged, whatever became of it.
func (r *salesRun) clear(ctx context.Context) error {
	if _, err := r.SQL.ExecContext(ctx, `DELETE FROM import_sales WHERE batch_id = $1`, r.imp.ID); err != nil {
		return fmt.Errorf("clear what import %d has staged: %w", r.imp.ID, err)
	}
	return nil
}

// judge determines what RecordSales would do with each sale.
func (r *salesRun) judge(ctx context.Context, rows []*Row) error {
	if err := placeSales(ctx, r.Tx, rows); err != nil {
		return err
	}
	rows = slices.DeleteFunc(slices.Clone(rows), (*Row).wrong) // a time that the store's clock skipped
	inputs := make([]models.SaleInput, len(rows))
	for i, row := range rows {
		inputs[i] = saleInput(row, r.calendar.Zone())
	}
	call := &intake.Call{
		Options: intake.Options{Source: models.SourceImport, BatchID: r.imp.ID},
		Actor:   r.actor, Now: r.now, Outcomes: make([]intake.Outcome, len(rows)),
	}
	call.Judge(inputs, r.calendar)
	in := &intake.Batch{Tx: r.Tx, First: map[intake.SaleKey]*intake.Candidate{}}
	in.Begin(call)
	if err := in.Sort(ctx); err != nil {
		return err
	}
	told, within := in.Told()
	r.again, r.told, r.within = append(r.again, in.Again...), append(r.told, told...), append(r.within, within...)
	if err := r.stage(ctx, in); err != nil {
		return err
	}
	for i := range rows {
		rows[i].apply(&call.Outcomes[i])
	}
	return nil
}

// apply stores the outcome of the row's sale, with the file's values in the columns
// at fault.
func (r *Row) apply(o *intake.Outcome) {
	r.Status = o.Status
	for _, code := range o.Warnings {
		if !slices.Contains(r.Warnings, code) {
			r.Warnings = append(r.Warnings, code)
		}
	}
	for _, p := range o.Problems {
		problem := Problem{Column: p.Field, Code: p.Code}
		for i, c := range salesImport.columns {
			if c.Name == p.Field {
				if p.Code == "field.cardNumber" {
					r.Values[i] = cards.Mask(r.Values[i])
				}
				problem.Detail = table.Shown(r.Values[i])
			}
		}
		r.Problems = append(r.Problems, problem)
	}
}

// stage adds new sales to the staging table. A sale that an earlier part of the file
// has already is compared with that.
func (r *salesRun) stage(ctx context.Context, in *intake.Batch) error {
	if len(in.Add) == 0 {
		return nil
	}
	added, err := database.TxRows[intake.SaleKey](ctx, in.Tx,
		sales.InsertSales("import_sales")+`ON CONFLICT DO NOTHING RETURNING serial_number, order_id`, intake.NewSales(in.Add)...)
	if err != nil {
		return fmt.Errorf("stage %d sales: %w", len(in.Add), err)
	}
	r.staged += int64(len(added))
	staged := make(map[intake.SaleKey]bool, len(added))
	for _, key := range added {
		staged[key] = true
	}
	var late []*intake.Candidate
	for _, c := range in.Add {
		if staged[c.Key()] {
			c.Outcome().Status = intake.Created
		} else {
			late = append(late, c)
		}
	}
	return r.compareStaged(ctx, in, late)
}

// compareStaged compares sales with those of earlier rows.
func (r *salesRun) compareStaged(ctx context.Context, in *intake.Batch, late []*intake.Candidate) error {
	if len(late) == 0 {
		return nil
	}
	serials, orders, byKey := make([]string, len(late)), make([]string, len(late)), map[intake.SaleKey]*intake.Candidate{}
	for i, c := range late {
		serials[i], orders[i], byKey[c.Key()] = string(c.SerialNumber), c.OrderID, c
	}
	staged, err := database.TxRows[models.Sale](ctx, in.Tx, `SELECT `+sales.StagedColumns.Names("s.")+`
		FROM unnest($1::text[], $2::text[]) AS n(serial, order_id)
		JOIN import_sales s ON s.batch_id = $3 AND s.serial_number = n.serial AND s.order_id = n.order_id`, serials, orders, r.imp.ID)
	if err != nil {
		return fmt.Errorf("compare with earlier rows: %w", err)
	}
	for i := range staged {
		staged[i].Source = models.SourceImport
		c := byKey[intake.SaleKey{SerialNumber: staged[i].SerialNumber, OrderID: staged[i].OrderID}]
		if c.Compare(&staged[i]) {
			r.within = append(r.within, c)
		}
	}
	return nil
}

// errImportRaced means that somebody reported one of the sales, or moved one of the
// terminals, while the file was being read.
var errImportRaced = errors.New("somebody was faster with a row of the import")

// write moves the staged sales, in one order and at once.
func (r *salesRun) write(ctx context.Context) error {
	if err := r.lockTerminals(ctx); err != nil {
		return err
	}
	ids := slices.Clone(r.again)
	for i := range r.told {
		ids = append(ids, r.told[i].SaleID)
	}
	if err := intake.LockSales(ctx, r.pass.Tx, ids); err != nil {
		return err
	}
	done, err := r.SQL.ExecContext(ctx, `INSERT INTO sales (`+sales.RevisionNames+`)
		SELECT `+sales.RevisionNames+` FROM import_sales WHERE batch_id = $1 ORDER BY serial_number, merchant_id, order_id
		ON CONFLICT ON CONSTRAINT sales_identity DO NOTHING`, r.imp.ID)
	if err != nil {
		return fmt.Errorf("insert %d sales of import %d: %w", r.staged, r.imp.ID, err)
	}
	n, err := done.RowsAffected()
	if err != nil {
		return err
	}
	if n != r.staged {
		return errImportRaced
	}
	if r.imp.rowsDigest, err = recordRows(ctx, r.pass.Tx, r.imp.ID); err != nil {
		return err
	}
	if err := intake.MarkReportedAgain(ctx, r.pass.Tx, r.again); err != nil {
		if errors.Is(err, intake.ErrSaleUndone) {
			return errImportRaced
		}
		return err
	}
	return r.complete(ctx)
}

// recordRows stores what the sales of the file are, a line each, and returns the hash that
// binds them to the import's entry. Whoever compares them with it can name one that was changed.
func recordRows(ctx context.Context, t database.Tx, id int64) (digest string, err error) {
	err = t.SQL.QueryRowContext(ctx, `WITH lines AS (
			INSERT INTO recorded_rows (of_table, subject, block, lines)
			SELECT 'sales', $1, n / 10000, string_agg(id || ' ' || store_id || ' ' || amount || E'\n', '' ORDER BY id)
			FROM (SELECT id, store_id, amount, row_number() OVER (ORDER BY id) - 1 AS n FROM sales WHERE batch_id = $1) s
			GROUP BY n / 10000 RETURNING block, lines)
		SELECT coalesce(encode(sha256(convert_to(string_agg(encode(sha256(convert_to(lines, 'UTF8')), 'hex') || E'\n', '' ORDER BY block),
			'UTF8')), 'hex'), '') FROM lines`, id).Scan(&digest)
	if err != nil {
		return "", fmt.Errorf("record the rows of import %d: %w", id, err)
	}
	return digest, nil
}

// complete adds what rows say more: of listed sales, and of sales of the file itself.
func (r *salesRun) complete(ctx context.Context) error {
	all := slices.Clone(r.told)
	for rows := range slices.Chunk(r.within, maxTold) {
		told, err := r.toldWithin(ctx, rows)
		if err != nil {
			return err
		}
		all = append(all, told...)
	}
	for told := range slices.Chunk(all, maxTold) {
		if err := intake.Complete(ctx, r.pass.Tx, r.now, told); err != nil {
			if errors.Is(err, intake.ErrSaleUndone) {
				return errImportRaced
			}
			return err
		}
	}
	return nil
}

// toldWithin finds the sales of the file that were written meanwhile.
func (r *salesRun) toldWithin(ctx context.Context, rows []*intake.Candidate) ([]intake.Told, error) {
	serials, orders, byKey := make([]string, len(rows)), make([]string, len(rows)), map[intake.SaleKey][]*intake.Candidate{}
	for i, c := range rows {
		serials[i], orders[i], byKey[c.Key()] = string(c.SerialNumber), c.OrderID, append(byKey[c.Key()], c)
	}
	type written struct {
		ID           int64
		SerialNumber models.SerialNumber
		OrderID      string
	}
	found, err := database.TxRows[written](ctx, r.pass.Tx, `SELECT s.id, s.serial_number, s.order_id
		FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[])) AS n(serial, order_id)
		JOIN sales s ON s.order_id = n.order_id AND s.serial_number = n.serial AND s.batch_id = $3`, serials, orders, r.imp.ID)
	if err != nil {
		return nil, fmt.Errorf("find %d sales of the file: %w", len(rows), err)
	}
	var told []intake.Told
	for _, w := range found {
		for _, c := range byKey[intake.SaleKey{SerialNumber: w.SerialNumber, OrderID: w.OrderID}] {
			told = append(told, c.Told(w.ID))
		}
	}
	return told, nil
}

// maxTold is how many listed sales one statement completes.
const maxTold = 5000

// lockTerminals locks the terminals of the staged sales until they are written. A
// pass takes long, and a move need not wait for it: what was judged before a move is
// judged again.
func (r *salesRun) lockTerminals(ctx context.Context) error {
	_, err := r.SQL.ExecContext(ctx, `SELECT FROM terminals
		WHERE id IN (SELECT terminal_id FROM import_sales WHERE batch_id = $1) ORDER BY id FOR KEY SHARE`, r.imp.ID)
	if err != nil {
		return fmt.Errorf("hold terminals of import %d: %w", r.imp.ID, err)
	}
	var changed bool
	err = r.SQL.QueryRowContext(ctx, `SELECT EXISTS (
		SELECT FROM (SELECT DISTINCT terminal_id AS id FROM import_sales WHERE batch_id = $1) s
		LEFT JOIN unnest($2::bigint[], $3::bigint[]) seen (id, version) USING (id) LEFT JOIN terminals t USING (id)
		WHERE t.version IS DISTINCT FROM seen.version)`, r.imp.ID, r.terminals, r.versions).Scan(&changed)
	if err != nil {
		return fmt.Errorf("compare terminals of import %d: %w", r.imp.ID, err)
	}
	if changed {
		return errImportRaced
	}
	return nil
}
