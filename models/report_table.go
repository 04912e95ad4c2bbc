package models

import (
	"errors"
	"io"
	"time"

	"veinte/models/table"
)

// reportFile is a report over the tolerant reader of tables.
type reportFile struct {
	t     *table.Table
	cells []ReportCell
}

// FileProblem says why a file cannot be read. Code is a key that the views
// translate, with Args as names and values by turns.
type FileProblem struct {
	Code string
	Args []any
	text string
}

func (e *FileProblem) Error() string { return e.text }

// problemOf tells what is wrong with the file from what is wrong with us.
func problemOf(err error) error {
	if p := FileProblemOf(err); p != nil {
		return p
	}
	return err
}

// FileProblemOf returns what an error says of a file; nil when it is another.
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

// OpenReport reads the beginning of a report, CSV or XLSX. The caller keeps file
// open until the last row, and calls done then.
//
// Errors: *FileProblem.
func OpenReport(file io.ReaderAt, size int64) (report ReportTable, done func() error, err error) {
	t, err := table.Open(file, size, table.Options{Limits: table.Limits{Rows: MostReportRows}})
	if err != nil {
		return nil, nil, problemOf(err)
	}
	return &reportFile{t: t}, t.Close, nil
}

// Header implements ReportTable.
func (f *reportFile) Header() []string { return f.t.Headers() }

// Next implements ReportTable.
func (f *reportFile) Next() ([]ReportCell, int, error) {
	if !f.t.Next() {
		if err := f.t.Err(); err != nil {
			return nil, 0, problemOf(err)
		}
		return nil, 0, io.EOF
	}
	row := f.t.Row()
	f.cells = f.cells[:0]
	for _, c := range row.Cells() {
		f.cells = append(f.cells, reportCell(c))
	}
	if row.Problem == nil || row.Problem.Code != table.ErrTooFew.Code {
		// A workbook does not keep empty cells at the end of a row.
		for len(f.cells) < len(f.t.Headers()) {
			f.cells = append(f.cells, ReportCell{})
		}
	}
	return f.cells, row.Line, nil
}

// reportCell is a cell as a profile reads it: a date of a workbook is written
// with its year first, so that no style misunderstands it.
func reportCell(c table.Cell) ReportCell {
	switch c.Kind() {
	case table.Date:
		if at, wrong := c.Time(time.UTC); wrong == nil {
			return ReportCell{Text: at.Format(time.DateTime)}
		}
		if day, wrong := c.Day(time.UTC); wrong == nil {
			return ReportCell{Text: day.Format(time.DateOnly)}
		}
		return ReportCell{Text: c.Raw(), Broken: true}
	case table.Number:
		s, wrong := c.Value()
		return ReportCell{Text: s, Number: true, Broken: wrong != nil}
	}
	s, wrong := c.Value()
	if wrong != nil {
		return ReportCell{Text: c.Raw(), Broken: true}
	}
	return ReportCell{Text: s}
}
