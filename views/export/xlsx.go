package export

import (
	"archive/zip"
	"context"
	"io"
	"strconv"
	"time"

	"github.com/klauspost/compress/flate"

	"veinte/models/audit/export"
	"veinte/views/locale"
	"veinte/views/ui"
)

// book writes rows as a workbook while they are read: real dates and numbers, a header
// that stays in sight, as many sheets as there need be, and one that says what the
// file is.
//
// It writes the parts of a workbook itself, each row as it comes. A library
// gathers the sheets in files of its own first, so that nothing leaves until the
// last row is read: no progress to see, no reader to miss, and a disk to fill. A
// workbook that is only written is a zip archive with six small files and the
// rows.
type book struct {
	ctx     context.Context
	columns []exportColumn
	heading func(exportColumn) string
	titled  string // key of the sheets' name
	zip     *zip.Writer
	sheet   io.Writer // the one under way
	sheets  int
	row     int // of the sheet, the last one begun; the first is 1
	written int64
	buf     []byte
	column  int
	ref     []byte // of the row: its number in decimal
	zone    zoneCache
}

const (
	// sheetRows is how many rows a sheet can have, its header included.
	sheetRows = 1_048_576
	// sheetBytes is where a sheet ends all the same: readers of the format count
	// in 32 bits.
	sheetBytes = 3 << 30
)

func newBook(ctx context.Context, out io.Writer, zone *time.Location, titled string, columns []exportColumn) *book {
	x := &book{ctx: ctx, columns: columns, titled: titled, zip: zip.NewWriter(out), zone: zoneCache{zone: zone}}
	x.heading = func(c exportColumn) string { return locale.T(ctx, c.heading) }
	x.zip.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed) // the rows repeat themselves: more effort gains little
	})
	return x
}

// nextRow begins a row, on a further sheet when this one is full.
func (x *book) nextRow() error {
	if x.row == sheetRows || x.written > sheetBytes {
		if err := x.endSheet(); err != nil {
			return err
		}
		if err := x.beginSheet(); err != nil {
			return err
		}
	}
	x.beginRow()
	return nil
}

func (x *book) endRow() error {
	x.buf = append(x.buf, "</row>"...)
	return x.send(sendAt)
}

// ExportXLSX writes the trail as a workbook.
type ExportXLSX struct {
	*book
	head  *ExportHead
	words *exportWords
	n     int64
}

var _ export.Writer = (*ExportXLSX)(nil)

// NewExportXLSX writes to out.
func NewExportXLSX(ctx context.Context, out io.Writer, head *ExportHead) *ExportXLSX {
	return &ExportXLSX{newBook(ctx, out, head.Zone, "exportSheet.entries", exportColumns), head, newExportWords(ctx, head), 0}
}

// Begin begins the first sheet.
func (x *ExportXLSX) Begin() error { return x.beginSheet() }

// Entry writes a row.
func (x *ExportXLSX) Entry(e *export.Entry) error {
	if err := x.nextRow(); err != nil {
		return err
	}
	x.n++
	exportRow(x, x.words, x.n, e)
	return x.endRow()
}

// End ends the last sheet and writes the one that says what the file is.
func (x *ExportXLSX) End(t export.Totals) error {
	return x.finish(append(x.head.facts(x.ctx), exportFoot(x.ctx, t, x.head.Zone)...))
}

// Break ends the file so that it opens and says that it is not whole.
func (x *ExportXLSX) Break(s export.State) {
	_ = x.finish(append(x.head.facts(x.ctx), broken(x.ctx, s))) // whoever is gone needs no last word
}

func (x *book) finish(about []ui.Fact) error {
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

func (x *book) beginSheet() error {
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
	for i, c := range x.columns {
		x.buf = appendColumn(x.buf, i+1, c.width)
	}
	x.buf = append(x.buf, "</cols><sheetData>"...)
	x.beginRow()
	for _, c := range x.columns {
		x.styled(x.heading(c), styleHeading)
	}
	x.buf = append(x.buf, "</row>"...)
	return x.send(0)
}

func (x *book) endSheet() error {
	last := columnName(len(x.columns)-1) + strconv.Itoa(x.row)
	x.buf = append(x.buf, `</sheetData><autoFilter ref="A1:`+last+`"/></worksheet>`...)
	err := x.send(0)
	x.sheet = nil
	return err
}

func (x *book) aboutSheet(facts []ui.Fact) error {
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

func (x *book) beginRow() {
	x.row++
	x.column = 0
	x.ref = strconv.AppendInt(x.ref[:0], int64(x.row), 10)
	x.buf = append(append(append(x.buf, `<row r="`...), x.ref...), `">`...)
}

func (x *book) send(from int) error {
	if len(x.buf) < from {
		return nil
	}
	_, err := x.sheet.Write(x.buf)
	x.written += int64(len(x.buf))
	x.buf = x.buf[:0]
	return err
}
