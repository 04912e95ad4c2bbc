package table

import (
	"errors"
	"io"
)

// Column is a column that the caller reads.
type Column struct {
	Name     string   // the name for Row.Cell; a header of this name is accepted too
	Synonyms []string // other headers; case, accents, spaces and signs do not matter
	Required bool     // a file without it is refused
	First    bool     // of several such columns the first is read; else the file is refused
}

// Options configure what is read, and the limits.
type Options struct {
	// Columns are those that the caller knows. If empty, every header is a column
	// with its own text as name.
	Columns []Column
	Limits  Limits
}

// Limits are the limits of a file. Zero means the default.
type Limits struct {
	Bytes    int64 // of the file as received; 50 MB
	Unpacked int64 // of a workbook's parts together; 500 MB
	Ratio    int64 // of unpacked to packed, beyond which a workbook is a bomb; 200
	Rows     int   // below the header; 200,000
	Columns  int   // 100
	Cell     int   // characters; 1,000
}

func (l Limits) orDefault() Limits {
	fill(&l.Bytes, 50<<20)
	fill(&l.Unpacked, 500<<20)
	fill(&l.Ratio, 200)
	fill(&l.Rows, 200_000)
	fill(&l.Columns, 100)
	fill(&l.Cell, 1_000)
	return l
}

func fill[T int | int64](v *T, def T) {
	if *v == 0 {
		*v = def
	}
}

// DefaultLimits are the limits that apply where none are set.
var DefaultLimits = Limits{}.orDefault()

// TooLarge refuses a file of more bytes than the limits allow.
func TooLarge(l Limits) *Error { return ErrTooLarge.counts(0, int(l.Bytes>>20)) }

// Table is a file that is being read. It is used as
//
//	for t.Next() {
//		row := t.Row()
//	}
//	err := t.Err()
//
// After an error of Err, the rows that were read must not be used as complete.
type Table struct {
	limits   Limits
	header   header
	source   source
	notes    []Note
	hidden   lines // rows that the workbook hides; they are read
	row      Row
	rows     int
	err      error
	close    func() error
	workbook bool
}

// source reads the rows of one format, the header first. At the end it returns
// io.EOF. An error of type *rowError is about that row alone, whose line it returns.
type source interface {
	next() (sourceRow, error)
}

// rowError is an unreadable row in a readable file.
type rowError struct{ why *Error }

func (e *rowError) Error() string { return e.why.Error() }

// Open reads the beginning of a file: its format and its header. The format is taken
// from the content, because names are unreliable. The caller leaves r open until the
// last row, and closes the table.
func Open(r io.ReaderAt, size int64, o Options) (*Table, error) {
	t := &Table{limits: o.Limits.orDefault()}
	if size > t.limits.Bytes {
		return nil, TooLarge(t.limits)
	}
	kind, err := sniff(r, size)
	if err != nil {
		return nil, err
	}
	if kind == zipFile {
		t.workbook = true
		err = t.openWorkbook(r, size, o.Columns)
	} else {
		err = t.openText(r, size, o.Columns)
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Close releases the resources of reading. The caller closes the file itself.
func (t *Table) Close() error {
	if t.close == nil {
		return nil
	}
	f := t.close
	t.close = nil
	return f()
}

// Headers are the file's own names of its columns, in order.
func (t *Table) Headers() []string { return t.header.texts }

// HeaderOf is the file's own name of a column; "" when it has no such column.
func (t *Table) HeaderOf(column string) string {
	if i, ok := t.header.at[column]; ok {
		return t.header.texts[i]
	}
	return ""
}

// Has reports whether the file has the column.
func (t *Table) Has(column string) bool {
	_, ok := t.header.at[column]
	return ok
}

// Err is the error that ended reading early; nil at the end of the file.
func (t *Table) Err() error { return t.err }

// Row is the current row. It is valid until the next call of Next.
func (t *Table) Row() *Row { return &t.row }

// Next moves to the next row that is not blank. It returns false at the end, or when
// the file cannot be read further: see Err.
func (t *Table) Next() bool {
	if t.err != nil {
		return false
	}
	for {
		row, err := t.source.next()
		var wrong *rowError
		switch {
		case errors.Is(err, io.EOF):
			if t.rows == 0 {
				t.err = ErrNoRows
			}
			return false
		case errors.As(err, &wrong):
			t.row = Row{Line: row.line, Problem: wrong.why.at(row.line), header: &t.header}
		case err != nil:
			t.err = err
			return false
		case blank(row.cells):
			continue
		default:
			t.fill(row.line, row.cells)
		}
		if row.hidden {
			t.hidden.add(row.line)
		}
		if t.rows++; t.rows > t.limits.Rows {
			t.err = ErrTooManyRows.counts(t.rows, t.limits.Rows)
			return false
		}
		return true
	}
}

// fill sets the row's cells: as many as the header has.
func (t *Table) fill(line int, cells []Cell) {
	t.row = Row{Line: line, cells: cells, header: &t.header}
	width := len(t.header.texts)
	if len(cells) > width && blank(cells[width:]) {
		t.row.cells = cells[:width]
	}
	if n := len(t.row.cells); n > width {
		t.row.Problem = ErrTooMany.counts(n, width).at(line)
	} else if n < width && !t.workbook {
		t.row.Problem = ErrTooFew.counts(n, width).at(line)
	}
	for i := range t.row.cells {
		t.row.cells[i].check(t.limits.Cell)
	}
}

func blank(cells []Cell) bool {
	for i := range cells {
		if !cells[i].Empty() {
			return false
		}
	}
	return true
}

// Row is one row of the table.
type Row struct {
	Line int // in the file, from 1
	// Problem is what is wrong with the row as a whole; nil when it has as many
	// fields as the header.
	Problem *Error
	cells   []Cell
	header  *header
}

// Cell returns the cell of a column; an empty one when the file has no such column.
func (r *Row) Cell(column string) Cell {
	if i, ok := r.header.at[column]; ok && i < len(r.cells) {
		return r.cells[i]
	}
	return Cell{}
}

// Cells are all cells in the file's order, including those of unknown columns.
func (r *Row) Cells() []Cell { return r.cells }
