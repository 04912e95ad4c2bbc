package export

import (
	"archive/zip"
	"compress/flate"
	"context"
	"io"
	"strconv"
	"time"

	"veinte/models"
	"veinte/models/audit/export"
	"veinte/views/locale"
	"veinte/views/ui"
)

// ExportXLSX writes the trail as a workbook while it is read: real dates and
// numbers, a header that stays in sight, as many sheets as there need be, and one
// that says what the file is.
//
// It writes the parts of a workbook itself, each row as it comes. A library
// gathers the sheets in files of its own first, so that nothing leaves until the
// last row is read: no progress to see, no reader to miss, and a disk to fill. A
// workbook that is only written is a zip archive with six small files and the
// rows.
type ExportXLSX struct {
	ctx     context.Context
	head    *ExportHead
	words   *exportWords
	file    *countingWriter
	zip     *zip.Writer
	sheet   io.Writer // the one under way
	sheets  int
	row     int // of the sheet, the last one begun; the first is 1
	written int64
	buf     []byte
	column  int
	ref     []byte // of the row: its number in decimal
	n       int64
	zone    zoneCache
}

var _ export.Writer = (*ExportXLSX)(nil)

const (
	// sheetRows is how many rows a sheet can have, its header included.
	sheetRows = 1_048_576
	// sheetBytes is where a sheet ends all the same: readers of the format count
	// in 32 bits.
	sheetBytes = 3 << 30
)

// NewExportXLSX writes to out.
func NewExportXLSX(ctx context.Context, out io.Writer, head *ExportHead) *ExportXLSX {
	file := &countingWriter{out: out}
	x := &ExportXLSX{
		ctx: ctx, head: head, words: newExportWords(ctx, head), file: file, zip: zip.NewWriter(file), zone: zoneCache{zone: head.Zone},
	}
	x.zip.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed) // the rows repeat themselves: more effort gains little
	})
	return x
}

// Begin begins the first sheet.
func (x *ExportXLSX) Begin() error { return x.beginSheet() }

// Entry writes a row, on a further sheet when this one is full.
func (x *ExportXLSX) Entry(e *models.AuditEntry) error {
	if x.row == sheetRows || x.written > sheetBytes {
		if err := x.endSheet(); err != nil {
			return err
		}
		if err := x.beginSheet(); err != nil {
			return err
		}
	}
	x.n++
	x.beginRow()
	exportRow(x, x.words, x.n, e)
	x.buf = append(x.buf, "</row>"...)
	return x.send(sendAt)
}

// End ends the last sheet and writes the one that says what the file is.
func (x *ExportXLSX) End(t export.Totals) error {
	return x.finish(append(x.head.facts(x.ctx), exportFoot(x.ctx, t, x.head.Zone)...))
}

// Break ends the file so that it opens and says that it is not whole.
func (x *ExportXLSX) Break(s export.State) {
	_ = x.finish(append(x.head.facts(x.ctx), broken(x.ctx, s))) // whoever is gone needs no last word
}

// Sent is how many bytes were handed over.
func (x *ExportXLSX) Sent() int64 { return x.file.sent.Load() }

func (x *ExportXLSX) finish(about []ui.Fact) error {
	if x.sheet != nil {
		if err := x.endSheet(); err != nil {
			return err
		}
	}
	if err := x.aboutSheet(about); err != nil {
		return err
	}
	for _, p := range x.parts() {
		w, err := x.zip.Create(p.name)
		if err == nil {
			_, err = io.WriteString(w, p.text)
		}
		if err != nil {
			return err
		}
	}
	return x.zip.Close()
}

func (x *ExportXLSX) beginSheet() error {
	x.sheets++
	x.row, x.written = 0, 0
	var err error
	if x.sheet, err = x.zip.Create("xl/worksheets/sheet" + strconv.Itoa(x.sheets) + ".xml"); err != nil {
		return err
	}
	selected := ""
	if x.sheets == 1 {
		selected = ` tabSelected="1"`
	}
	x.buf = append(x.buf, sheetOpening+`<sheetViews><sheetView workbookViewId="0"`+selected+
		`><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>`...)
	for i, c := range exportColumns {
		x.buf = appendColumn(x.buf, i+1, c.width)
	}
	x.buf = append(x.buf, "</cols><sheetData>"...)
	x.beginRow()
	for _, c := range exportColumns {
		x.styled(locale.T(x.ctx, c.heading), styleHeading)
	}
	x.buf = append(x.buf, "</row>"...)
	return x.send(0)
}

func (x *ExportXLSX) endSheet() error {
	last := columnName(len(exportColumns)-1) + strconv.Itoa(x.row)
	x.buf = append(x.buf, `</sheetData><autoFilter ref="A1:`+last+`"/></worksheet>`...)
	err := x.send(0)
	x.sheet = nil
	return err
}

func (x *ExportXLSX) aboutSheet(facts []ui.Fact) error {
	var err error
	if x.sheet, err = x.zip.Create("xl/worksheets/about.xml"); err != nil {
		return err
	}
	x.buf = append(x.buf[:0], sheetOpening+"<cols>"...)
	x.buf = append(appendColumn(appendColumn(x.buf, 1, 44), 2, 80), "</cols><sheetData>"...)
	x.row = 0
	for _, f := range facts {
		x.beginRow()
		x.styled(f.Label, styleHeading)
		x.text(f.Value)
		x.buf = append(x.buf, "</row>"...)
	}
	x.buf = append(x.buf, "</sheetData></worksheet>"...)
	return x.send(0)
}

func (x *ExportXLSX) beginRow() {
	x.row++
	x.column = 0
	x.ref = strconv.AppendInt(x.ref[:0], int64(x.row), 10)
	x.buf = append(append(append(x.buf, `<row r="`...), x.ref...), `">`...)
}

func (x *ExportXLSX) send(from int) error {
	if len(x.buf) < from {
		return nil
	}
	_, err := x.sheet.Write(x.buf)
	x.written += int64(len(x.buf))
	x.buf = x.buf[:0]
	return err
}

// open writes the beginning of a cell up to its other attributes.
func (x *ExportXLSX) open() {
	x.buf = append(append(append(append(x.buf, `<c r="`...), columnNames[x.column]...), x.ref...), '"')
	x.column++
}

func (x *ExportXLSX) text(s string) { x.styled(s, styleText) }

func (x *ExportXLSX) styled(s, style string) {
	if s == "" {
		x.column++
		return
	}
	x.open()
	x.buf = append(append(x.buf, style...), ` t="inlineStr"><is><t xml:space="preserve">`...)
	x.buf = append(appendSheetText(x.buf, s), "</t></is></c>"...)
}

func (x *ExportXLSX) raw(b []byte) { x.styled(string(b), styleText) }

func (x *ExportXLSX) number(n int64) {
	x.open()
	x.buf = append(append(x.buf, styleWhole...), "><v>"...)
	x.buf = append(strconv.AppendInt(x.buf, n, 10), "</v></c>"...)
}

func (x *ExportXLSX) numberOf(n *int64) {
	if n == nil {
		x.column++
		return
	}
	x.number(*n)
}

func (x *ExportXLSX) amount(m *models.Money) {
	if m == nil {
		x.column++
		return
	}
	x.open()
	x.buf = append(append(x.buf, styleAmount...), "><v>"...)
	x.buf = append(appendDecimal(x.buf, *m), "</v></c>"...)
}

func (x *ExportXLSX) instant(t time.Time) {
	x.open()
	x.buf = append(append(x.buf, styleText...), ` t="inlineStr"><is><t>`...)
	x.buf = append(x.zone.in(t).AppendFormat(x.buf, isoTime), "</t></is></c>"...)
}

func (x *ExportXLSX) local(t time.Time) {
	x.open()
	x.buf = append(append(x.buf, styleInstant...), "><v>"...)
	x.buf = append(appendSerial(x.buf, x.zone.in(t)), "</v></c>"...)
}
