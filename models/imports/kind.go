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
	// read parses a row's cells: Values by column, Problems of unreadable cells.
	// zone is that of times without one.
	read func(r *table.Row, zone *time.Location) Row
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
}

// run judges rows and writes them. A dry run ends without write.
type run interface {
	// judge sets the status, problems and warnings of each row. It gets the rows in
	// order, some hundreds at a time, without the unreadable ones.
	judge(ctx context.Context, rows []*Row) error
	// write stores the new rows, all at once. errImportRaced: another process was
	// first with one of them, and the pass must be repeated.
	write(ctx context.Context) error
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
	cell := c.row.Cell(column)
	value, wrong := read(cell)
	if wrong != nil {
		value = cards.Mask(cell.Raw())
	} else if wrong = card(cell, value); wrong != nil {
		value = cards.Mask(value)
	}
	if wrong != nil && c.optional[column] {
		c.leaveOut(column, wrong)
		value = ""
	} else if wrong != nil {
		c.problem(column, wrong)
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

func (c *cellReader) problem(column string, e *table.Error) {
	c.out.Status = intake.Refused
	c.out.Problems = append(c.out.Problems, Problem{Column: column, Code: e.Code, Detail: e.Detail, N: e.N, Max: e.Max})
}

// instant reads a cell as RFC 3339.
func instant(zone *time.Location) func(table.Cell) (string, *table.Error) {
	return func(c table.Cell) (string, *table.Error) {
		at, wrong := c.Time(zone)
		if wrong != nil || at.IsZero() {
			return "", wrong
		}
		return at.Format(time.RFC3339Nano), nil
	}
}
