package models

import (
	"context"
	"time"

	"veinte/models/cards"
	"veinte/models/table"
)

// importKind is what the import of one kind of file consists of. What is common
// (the file, the passes, the progress, the trail) knows nothing else of it.
type importKind struct {
	may     Permission // of whoever gives, confirms and undoes
	columns []table.Column
	done    Action // the trail's word for it
	// read understands a row's cells: Values by column, Problems of cells that
	// mean nothing. zone is that of times without one.
	read func(r *table.Row, zone *time.Location) ImportRow
	// begin starts a pass over the rows, in the transaction that ends with them.
	begin func(ctx context.Context, s *Cancellations, p *importPass) (importRun, error)
	// undo takes back what the import wrote, and says how many rows that were.
	undo func(ctx context.Context, p *importPass) (int64, error)
}

// importPass is a pass over an import's rows.
type importPass struct {
	tx
	imp   *Import
	actor Actor
	now   time.Time
}

// importRun judges rows and writes what they say. A dry run ends without write.
type importRun interface {
	// judge gives each row its status, problems and warnings. It sees the rows
	// in order, some hundreds at a time, and none that could not be read.
	judge(ctx context.Context, rows []*ImportRow) error
	// write makes what was judged new true, all at once. errImportRaced: somebody
	// else was faster with one of them, and the pass must be made again.
	write(ctx context.Context) error
}

var importKinds = map[ImportKind]*importKind{
	ImportOfSales:     salesImport,
	ImportOfTerminals: terminalsImport,
}

// ImportColumns are the names of a kind's columns, in the order of
// ImportRow.Values.
func ImportColumns(kind ImportKind) []string {
	k := importKinds[kind]
	if k == nil {
		return nil
	}
	names := make([]string, len(k.columns))
	for i, c := range k.columns {
		names[i] = c.Name
	}
	return names
}

// ImportColumnsOf describes the columns of a kind.
func ImportColumnsOf(kind ImportKind) []table.Column {
	if k := importKinds[kind]; k != nil {
		return k.columns
	}
	return nil
}

// ShownValue is a value of a file as it may be repeated to a person.
func ShownValue(s string) string { return table.Shown(s) }

// kindFor returns the kind, when the actor may use it. The operator at the
// command line may: whoever has the database's password may do more.
func kindFor(kind ImportKind, actor Actor) (*importKind, error) {
	k := importKinds[kind]
	if k == nil {
		return nil, ErrNotFound
	}
	if !actor.May(k.may) && actor.Role != SystemRole {
		return nil, ErrForbidden
	}
	return k, nil
}

// ImportKinds lists the kinds whose files the actor may give.
func ImportKinds(actor Actor) []ImportKind {
	var kinds []ImportKind
	for _, kind := range []ImportKind{ImportOfSales, ImportOfTerminals} {
		if _, err := kindFor(kind, actor); err == nil {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// importCells reads the cells of a row one by one.
type importCells struct {
	row *table.Row
	out ImportRow
}

func readCells(r *table.Row) *importCells {
	c := &importCells{row: r, out: ImportRow{Line: r.Line}}
	if r.Problem != nil {
		c.problem("", r.Problem)
	}
	return c
}

// add understands one cell; its value, or its text when it means nothing.
func (c *importCells) add(column string, read func(table.Cell) (string, *table.Error)) {
	cell := c.row.Cell(column)
	value, wrong := read(cell)
	if wrong == nil {
		wrong = cell.Card()
	}
	if wrong != nil {
		value = cards.Mask(cell.Raw())
		c.problem(column, wrong)
	}
	c.out.Values = append(c.out.Values, value)
}

func (c *importCells) problem(column string, e *table.Error) {
	c.out.Status = SaleRefused
	c.out.Problems = append(c.out.Problems, ImportProblem{Column: column, Code: e.Code, Detail: e.Detail, N: e.N, Most: e.Most})
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
