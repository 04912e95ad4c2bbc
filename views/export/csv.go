package export

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/audit/export"
	"veinte/views/locale"
	"veinte/views/ui"
)

// sheet writes rows as CSV, in pieces of sendAt bytes.
type sheet struct {
	out     io.Writer
	columns []exportColumn
	buf     []byte
	zone    zoneCache
}

// sendAt is how much is gathered before it is sent, in bytes.
const sendAt = 64 << 10

// ExportCSV writes the trail for spreadsheets and scripts; EXPORT.md describes
// the file. Every row has the same number of cells, as RFC 4180 asks for. Rows
// that are no entries begin with #, so that a program passes over them.
type ExportCSV struct {
	sheet
	ctx   context.Context
	head  *ExportHead
	words *exportWords
	n     int64
}

var _ export.Writer = (*ExportCSV)(nil)

// NewExportCSV writes to out.
func NewExportCSV(ctx context.Context, out io.Writer, head *ExportHead) *ExportCSV {
	return &ExportCSV{
		sheet: sheet{out: out, columns: exportColumns, zone: zoneCache{zone: head.Zone}},
		ctx:   ctx, head: head, words: newExportWords(ctx, head),
	}
}

// Begin writes what the file is, the names of its columns for programs first, and
// the one header row right above the entries.
func (x *ExportCSV) Begin() error {
	x.buf = append(x.buf, "\ufeff"...)
	for i, c := range exportColumns {
		if i == 0 {
			x.buf = append(x.buf, '#')
		}
		x.text(c.name)
	}
	x.endRow()
	for _, f := range x.head.facts(x.ctx) {
		x.note(f)
	}
	x.emptyRow()
	for _, c := range exportColumns {
		x.text(locale.T(x.ctx, c.heading))
	}
	x.endRow()
	return x.send(0)
}

// Entry writes a row.
func (x *ExportCSV) Entry(e *export.Entry) error {
	x.n++
	exportRow(x, x.words, x.n, e)
	x.endRow()
	return x.send(sendAt)
}

// End writes the foot.
func (x *ExportCSV) End(t export.Totals) error {
	x.emptyRow()
	for _, f := range exportFoot(x.ctx, t, x.head.Zone) {
		x.note(f)
	}
	return x.send(0)
}

// Break writes that the file is not whole.
func (x *ExportCSV) Break(s export.State) {
	x.note(broken(x.ctx, s))
	_ = x.send(0) // whoever is gone needs no last word
}

func (x *sheet) note(f ui.Fact) {
	x.buf = append(x.buf, "#,"...)
	x.text(f.Label)
	x.text(f.Value)
	for range len(x.columns) - 3 {
		x.buf = append(x.buf, ',')
	}
	x.endRow()
}

// emptyRow sets the notes apart, so that a spreadsheet takes the headings and the
// rows below them for one table and can filter it.
func (x *sheet) emptyRow() {
	for range x.columns {
		x.text("")
	}
	x.endRow()
}

// endRow takes the place of the last cell's comma.
func (x *sheet) endRow() {
	x.buf = append(x.buf[:len(x.buf)-1], '\r', '\n')
}

func (x *sheet) send(from int) error {
	if len(x.buf) < from {
		return nil
	}
	_, err := x.out.Write(x.buf)
	x.buf = x.buf[:0]
	return err
}

func (x *sheet) text(s string) {
	if s != "" {
		x.buf = appendCell(x.buf, s)
	}
	x.buf = append(x.buf, ',')
}

// formulaSigns begin a formula, in full width too, which some spreadsheets take for the
// same.
const formulaSigns = "=+-@＝＋－＠"

// harmless writes a ' before whatever would begin a formula: the cell itself and each
// part of it behind a semicolon, a tab or a line break. A computer in Mexico has a comma
// or a semicolon for its list separator, and with the other one the quotes around a cell
// no longer hold its parts together.
func harmless(s string) string {
	blank := strings.IndexByte("\t\r\n", s[0]) >= 0
	if !blank && !mayReckon(s) {
		return s
	}
	var b strings.Builder
	if blank {
		b.WriteByte('\'')
	}
	begins := true
	for _, r := range s {
		if begins && strings.ContainsRune(formulaSigns, r) {
			b.WriteByte('\'')
		}
		b.WriteRune(r)
		begins = strings.ContainsRune(";\t\r\n", r) || begins && (r == ' ' || r == '"')
	}
	return b.String()
}

// mayReckon reports whether a sign stands where a part of a text begins. One in full width
// is known by its first byte: others may have that too, and harmless looks closely.
func mayReckon(s string) bool {
	begins := true
	for i := range len(s) {
		switch s[i] {
		case '=', '+', '-', '@', "＝"[0]:
			if begins {
				return true
			}
		case ';', '\t', '\r', '\n':
			begins = true
			continue
		case ' ', '"':
			continue
		}
		begins = false
	}
	return false
}

// marked are the bytes that have a cell quoted, or behind which a part of it begins.
var marked = [256]bool{',': true, '"': true, '\r': true, '\n': true, '\t': true, ';': true}

// plain reports whether a cell is written as it is, which most are.
func plain(s string) bool {
	for i := range len(s) {
		if marked[s[i]] {
			return false
		}
	}
	return !mayReckon(s[:min(len(s), 1)]) && s[0] != ' '
}

// defused are cells that no spreadsheet reckons, for a csv.Writer.
func defused(cells []string) []string {
	for i, cell := range cells {
		if cell != "" {
			cells[i] = harmless(cell)
		}
	}
	return cells
}

// appendCell writes a cell that no spreadsheet reckons. It is quoted where it must be.
func appendCell(b []byte, s string) []byte {
	if plain(s) {
		return append(b, s...)
	}
	safe := harmless(s)
	if len(safe) == len(s) && !strings.ContainsAny(s, ",\"\r\n") {
		return append(b, s...)
	}
	s = safe
	b = append(b, '"')
	for {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			return append(append(b, s...), '"')
		}
		b = append(append(b, s[:i]...), '"', '"')
		s = s[i+1:]
	}
}

// raw writes JSON, which begins with a brace and always has quotes in it. A semicolon is
// only ever in a text of it and is written as its number there, see harmless.
func (x *sheet) raw(j []byte) {
	if len(j) > 0 {
		j = bytes.ReplaceAll(j, []byte(";"), []byte(`\u003b`))
		x.buf = append(x.buf, '"')
		for {
			i := bytes.IndexByte(j, '"')
			if i < 0 {
				break
			}
			x.buf = append(append(x.buf, j[:i]...), '"', '"')
			j = j[i+1:]
		}
		x.buf = append(append(x.buf, j...), '"')
	}
	x.buf = append(x.buf, ',')
}

func (x *sheet) number(n int64) {
	x.buf = append(strconv.AppendInt(x.buf, n, 10), ',')
}

func (x *sheet) numberOf(n *int64) {
	if n != nil {
		x.buf = strconv.AppendInt(x.buf, *n, 10)
	}
	x.buf = append(x.buf, ',')
}

func (x *sheet) amount(m *models.Money) {
	if m != nil {
		x.buf = appendDecimal(x.buf, *m)
	}
	x.buf = append(x.buf, ',')
}

func (x *sheet) instant(t time.Time) {
	x.buf = append(x.zone.in(t).AppendFormat(x.buf, isoTime), ',')
}

func (x *sheet) local(t time.Time) {
	x.buf = append(x.zone.in(t).AppendFormat(x.buf, time.DateTime), ',')
}
