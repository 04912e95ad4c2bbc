package imports

import (
	"context"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/cards"
	"veinte/models/database"
	"veinte/models/intake"
	"veinte/models/table"
)

// importer is the implementation of one kind of file. The common part (the file, the
// passes, the progress, the trail) uses only this.
type importer struct {
	may     models.Permission // to upload, confirm and undo
	columns []table.Column
	done    models.Action // the trail's name for it
	// read parses a row's cells: Values by column, Problems of unreadable cells. Times
	// without a zone stay without.
	read func(r *table.Row) Row
	// place gives such times of rows the zone of their store; nil where judge does it.
	place func(ctx context.Context, t database.Tx, rows []*Row) error
	// begin starts a pass over the rows, in the transaction that ends with them.
	begin func(ctx context.Context, s *Service, p *pass) (run, error)
	// undo removes what the import wrote, and returns the number of rows.
	undo func(ctx context.Context, p *pass) (int64, error)
}

// pass is a pass over an import's rows.
type pass struct {
	database.Tx
	imp   *Import
	actor models.Actor
	now   time.Time
	// status is the file's own word on which rows are sales; nil where it has none.
	status *statusRule
}

// run judges rows and writes them. A dry run ends without write.
type run interface {
	// judge sets the status, problems and warnings of each row. It gets the rows in
	// order, some hundreds at a time, without the unreadable ones.
	judge(ctx context.Context, rows []*Row) error
	// write stores the new rows, all at once. errImportRaced: another process was
	// first with one of them, and the pass must be repeated.
	write(ctx context.Context) error
	// clear takes away what the pass has stored for itself.
	clear(ctx context.Context) error
}

var importers = map[Kind]*importer{
	OfSales:     salesImport,
	OfTerminals: terminalsImport,
}

// Columns are the names of a kind's columns, in the order of
// Row.Values.
func Columns(kind Kind) []string {
	k := importers[kind]
	if k == nil {
		return nil
	}
	names := make([]string, len(k.columns))
	for i, c := range k.columns {
		names[i] = c.Name
	}
	return names
}

// ColumnsOf describes the columns of a kind.
func ColumnsOf(kind Kind) []table.Column {
	if k := importers[kind]; k != nil {
		return k.columns
	}
	return nil
}

// ShownValue is a value of a file that is safe to show to a person.
func ShownValue(s string) string { return table.Shown(s) }

// kindFor returns the kind, when the actor may use it. The operator at the command
// line may always: with the database's password they could do more.
func kindFor(kind Kind, actor models.Actor) (*importer, error) {
	k := importers[kind]
	if k == nil {
		return nil, models.ErrNotFound
	}
	if !actor.May(k.may) && actor.Role != models.SystemRole {
		return nil, models.ErrForbidden
	}
	return k, nil
}

// Kinds lists the kinds whose files the actor may upload.
func Kinds(actor models.Actor) []Kind {
	var kinds []Kind
	for _, kind := range []Kind{OfSales, OfTerminals} {
		if _, err := kindFor(kind, actor); err == nil {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// cellReader reads the cells of a row one by one.
type cellReader struct {
	row      *table.Row
	out      Row
	optional map[string]bool // columns whose cells are left out when they cannot be read
}

func readCells(r *table.Row) *cellReader {
	c := &cellReader{row: r, out: Row{Line: r.Line}}
	if r.Problem != nil {
		c.problem("", r.Problem)
	}
	return c
}

// add parses one cell and adds its value, or its text when it cannot be parsed.
func (c *cellReader) add(column string, read func(table.Cell) (string, *table.Error)) {
	c.addChecked(column, read, func(cell table.Cell, _ string) *table.Error { return cell.Card() })
}

// addWhole adds a cell whose whole text is an amount or an instant. There is nothing
// beside it, and only the whole part of an amount could be a card number: the digits
// of 206.58000000000001 are none.
func (c *cellReader) addWhole(column string, read func(table.Cell) (string, *table.Error)) {
	c.addChecked(column, read, func(_ table.Cell, value string) *table.Error { return table.CardIn(value) })
}

// addNumber adds a cell of a number of the service's or the merchant's, which may look
// like a card's more easily. The import's judge knows the day and is stricter.
func (c *cellReader) addNumber(column string, read func(table.Cell) (string, *table.Error)) {
	c.addChecked(column, read, func(cell table.Cell, _ string) *table.Error { return cell.CardInNumber() })
}

func (c *cellReader) addChecked(
	column string, read func(table.Cell) (string, *table.Error), card func(table.Cell, string) *table.Error,
) {
	cell := computed(c.row.Cell(column))
	value, wrong := read(cell)
	if wrong != nil {
		value = cards.Mask(cell.Raw())
	} else if wrong = card(cell, value); wrong != nil {
		value = cards.Mask(value)
	}
	switch {
	case wrong != nil && c.optional[column]:
		c.leaveOut(column, wrong)
		value = ""
	case wrong != nil:
		c.problem(column, wrong)
	case cell.Formula() != "" && value != "":
		c.noteFormula(column, cell)
	}
	c.out.Values = append(c.out.Values, value)
}

// leaveOut notes a cell without which the row is taken all the same.
func (c *cellReader) leaveOut(column string, e *table.Error) {
	status := c.out.Status
	c.problem(column, e)
	c.out.Status = status
	if !slices.Contains(c.out.Warnings, "sale.leftOut") {
		c.out.Warnings = append(c.out.Warnings, "sale.leftOut")
	}
}

func (c *cellReader) noteFormula(column string, cell table.Cell) {
	c.out.Notes = append(c.out.Notes, Problem{Column: column, Code: "row.formula", Detail: table.Shown(cell.Formula())})
}

// computed is the cell with what its formula was computed to, where the workbook has
// stored that: it is what the shop sees in the sheet. The row has a note with the
// formula, so that nobody imports it unseen. A formula without a result is refused.
func computed(cell table.Cell) table.Cell {
	if result, ok := cell.Computed(); ok {
		return result
	}
	return cell
}

// wrongAt reports whether the column could not be read.
func (c *cellReader) wrongAt(column string) bool {
	return slices.ContainsFunc(c.out.Problems, func(p Problem) bool { return p.Column == column })
}

func (c *cellReader) problem(column string, e *table.Error) {
	c.out.Status = intake.Refused
	c.out.Problems = append(c.out.Problems, Problem{Column: column, Code: e.Code, Detail: e.Detail, N: e.N, Max: e.Max})
}

// addMoment adds a date with its time of day, which may be in a column of its own. A
// date alone is its midnight where it may be.
func (c *cellReader) addMoment(column, hour string, dateAlone bool) {
	c.addWhole(column, func(cell table.Cell) (string, *table.Error) {
		m, wrong := cell.Moment()
		if wrong == nil && hour != "" {
			m, wrong = m.WithClock(computed(c.row.Cell(hour)))
		}
		if wrong == nil && !m.Clock && !dateAlone && !m.Wall.IsZero() {
			wrong = table.NoClock(cell)
		}
		return momentText(m), wrong
	})
}
