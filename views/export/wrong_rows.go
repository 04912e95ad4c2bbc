package export

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"

	"veinte/models/imports"
	exchangeview "veinte/views/exchange"
	"veinte/views/locale"
)

// WrongRows writes rows that cannot be imported as a file that can be mended
// and given again: the line, the columns, and why.
type WrongRows struct {
	ctx     context.Context
	csv     *csv.Writer
	columns []string
}

// NewWrongRows begins the file with a byte order mark, for Excel, and the header.
func NewWrongRows(ctx context.Context, w io.Writer, columns []string) *WrongRows {
	_, _ = io.WriteString(w, "\uFEFF") // an error comes back with the next write
	out := &WrongRows{ctx, csv.NewWriter(w), columns}
	header := append([]string{locale.T(ctx, "import.line")}, columns...)
	_ = out.csv.Write(defused(append(header, locale.T(ctx, "import.reason"))))
	return out
}

// Write adds a row; one that has only a warning is left out.
func (w *WrongRows) Write(r *imports.Row) error {
	if !r.Wrong() {
		return nil
	}
	record := []string{strconv.Itoa(r.Line)}
	for i := range w.columns {
		value := ""
		if i < len(r.Values) {
			value = r.Values[i]
		}
		record = append(record, value)
	}
	return w.csv.Write(defused(append(record, exchangeview.Reasons(w.ctx, r))))
}

// Flush writes what is left, and says whether all of it went out.
func (w *WrongRows) Flush() error {
	w.csv.Flush()
	return w.csv.Error()
}
