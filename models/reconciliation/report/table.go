package report

import (
	"errors"
	"io"
	"math"
	"strconv"
	"time"

	"veinte/models/table"
)

// openFile is a report that package table reads.
type openFile struct {
	t        *table.Table
	workbook bool
	cells    []Cell
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
	var begin [2]byte
	_, err = file.ReadAt(begin[:], 0)
	return &openFile{t: t, workbook: err == nil && string(begin[:]) == "PK"}, t.Close, nil
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

// Notes implements Table.
func (f *openFile) Notes() []table.Note { return f.t.Notes() }

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
	width := len(f.t.Headers())
	if f.workbook && len(f.cells) > width {
		f.cells = f.cells[:width] // what somebody wrote beside the table moves no cell
	}
	if row.Problem == nil || row.Problem.Code != table.ErrTooFew.Code {
		// A workbook does not store empty cells at the end of a row.
		for len(f.cells) < width {
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
		if when := whenOf(c); when != "" {
			return Cell{Text: when, When: when}
		}
		return Cell{Text: c.Raw(), Broken: problemBroken}
	case table.Number:
		if s, wrong := c.Value(); wrong == nil {
			return Cell{Text: s, Number: true, When: whenOf(c)}
		}
	}
	s, wrong := c.Value()
	if wrong != nil {
		return Cell{Text: c.Raw(), Broken: brokenBy(wrong)}
	}
	return Cell{Text: s}
}

func brokenBy(wrong *table.Error) string {
	switch {
	case wrong == nil:
		return ""
	case wrong.Code == table.ErrLostDigits.Code:
		return problemLostDigits
	}
	return problemBroken
}

// whenOf is a workbook's number as a date, or as a time of day where it is less than
// one day; "" when it is neither.
func whenOf(c table.Cell) string {
	if days, err := strconv.ParseFloat(c.Raw(), 64); err == nil && days >= 0 && days < 1 {
		second := min(time.Duration(math.Round(days*24*60*60)), 24*60*60-1)
		return time.Time{}.Add(second * time.Second).Format(time.TimeOnly)
	}
	if at, wrong := c.Time(time.UTC); wrong == nil {
		return at.Format(time.DateTime)
	}
	if day, wrong := c.Day(time.UTC); wrong == nil {
		return day.Format(time.DateOnly)
	}
	return ""
}
