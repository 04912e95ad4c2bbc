package report

import (
	"errors"
	"io"
	"time"

	"veinte/models/table"
)

// openFile is a report that package table reads.
type openFile struct {
	t     *table.Table
	cells []Cell
}

// FileProblem states why a file cannot be read. Code is a key that the views
// translate, with Args as alternating names and values.
type FileProblem struct {
	Code string
	Args []any
	text string
}

func (e *FileProblem) Error() string { return e.text }

// problemOf separates errors of the file from our own.
func problemOf(err error) error {
	if p := FileProblemOf(err); p != nil {
		return p
	}
	return err
}

// FileProblemOf returns the problem of a file in an error; nil for any other error.
func FileProblemOf(err error) *FileProblem {
	var known *FileProblem
	if errors.As(err, &known) {
		return known
	}
	var wrong *table.Error
	if errors.As(err, &wrong) {
		return &FileProblem{Code: wrong.Code, Args: wrong.Args(), text: wrong.Error()}
	}
	return nil
}

// OpenReport reads the beginning of a report, CSV or XLSX. The caller leaves file
// open until the last row and then calls done. In a workbook it reads the first
// sheet that has the mapping's columns; for a mapping without columns, the first
// that has a column of amounts under a name that providers use.
//
// Errors: *FileProblem.
func OpenReport(file io.ReaderAt, size int64, m Mapping) (report Table, done func() error, err error) {
	limits := table.Limits{Rows: MaxRows}
	t, err := table.Open(file, size, table.Options{Columns: wanted(m), Limits: limits})
	if err != nil {
		// The caller reports missing columns better.
		t, err = table.Open(file, size, table.Options{Limits: limits})
	}
	if err != nil {
		return nil, nil, problemOf(err)
	}
	return &openFile{t: t}, t.Close, nil
}

func wanted(m Mapping) []table.Column {
	if len(m.Columns) == 0 {
		return []table.Column{{Name: string(FieldAmount), Synonyms: synonyms[FieldAmount], Required: true}}
	}
	var columns []table.Column
	for _, field := range Fields {
		if name := m.Columns[field]; name != "" {
			columns = append(columns, table.Column{Name: name, Required: true})
		}
	}
	return columns
}

// Header implements Table.
func (f *openFile) Header() []string { return f.t.Headers() }

// Next implements Table.
func (f *openFile) Next() ([]Cell, int, error) {
	if !f.t.Next() {
		if err := f.t.Err(); err != nil {
			return nil, 0, problemOf(err)
		}
		return nil, 0, io.EOF
	}
	row := f.t.Row()
	f.cells = f.cells[:0]
	for _, c := range row.Cells() {
		f.cells = append(f.cells, cellOf(c))
	}
	if row.Problem == nil || row.Problem.Code != table.ErrTooFew.Code {
		// A workbook does not store empty cells at the end of a row.
		for len(f.cells) < len(f.t.Headers()) {
			f.cells = append(f.cells, Cell{})
		}
	}
	return f.cells, row.Line, nil
}

// cellOf converts a cell for a profile: a date of a workbook is written with its
// year first, so that it is unambiguous in every style.
func cellOf(c table.Cell) Cell {
	switch c.Kind() {
	case table.Date:
		if at, wrong := c.Time(time.UTC); wrong == nil {
			return Cell{Text: at.Format(time.DateTime)}
		}
		if day, wrong := c.Day(time.UTC); wrong == nil {
			return Cell{Text: day.Format(time.DateOnly)}
		}
		return Cell{Text: c.Raw(), Broken: true}
	case table.Number:
		s, wrong := c.Value()
		return Cell{Text: s, Number: true, Broken: wrong != nil}
	}
	s, wrong := c.Value()
	if wrong != nil {
		return Cell{Text: c.Raw(), Broken: true}
	}
	return Cell{Text: s}
}
