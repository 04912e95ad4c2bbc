package table

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// openWorkbook starts to read the first sheet that has the header.
func (t *Table) openWorkbook(r io.ReaderAt, size int64, columns []Column) error {
	b, err := openParts(r, size, t.limits)
	if err != nil {
		return err
	}
	sheets, err := b.sheets()
	if err != nil {
		return err
	}
	if b.strings, err = b.sharedStrings(); err != nil {
		return err
	}
	if err := b.readStyles(); err != nil {
		return err
	}
	var best error
	for _, sheet := range sheets {
		err := t.openSheet(b, sheet, columns)
		if err == nil {
			t.noteSheets(sheets, sheet)
			return nil
		}
		var known *Error
		if !errors.As(err, &known) || known.Code == ErrCut.Code {
			return err
		}
		if better(known, best) {
			best = known
		}
	}
	return best
}

// better reports whether an error helps more than that of an earlier sheet. That of an
// empty sheet helps nobody when another one lacks columns, and that of the sheet
// that lacks fewest says most.
func better(e *Error, earlier error) bool {
	var other *Error
	return !errors.As(earlier, &other) || errors.Is(other, ErrEmpty) ||
		errors.Is(e, ErrMissing) && errors.Is(other, ErrMissing) && e.N < other.N
}

// noteSheets names the sheet that is read if there are several, and the hidden ones.
func (t *Table) noteSheets(sheets []sheet, read sheet) {
	var hidden []string
	for _, s := range sheets {
		if s.hidden && s != read {
			hidden = append(hidden, Shown(s.name))
		}
	}
	switch {
	case read.hidden:
		t.notes = append(t.notes, Note{"table.note.sheetHidden", Shown(read.name)})
	case len(sheets) > 1:
		t.notes = append(t.notes, Note{"table.note.sheet", Shown(read.name)})
	}
	if len(hidden) > 0 {
		t.notes = append(t.notes, Note{"table.note.hiddenSheets", listed(hidden)})
	}
}

func (t *Table) openSheet(b *book, at sheet, columns []Column) error {
	part, err := b.open(at.part)
	if err != nil {
		return err
	}
	if err := t.openHead(newSheetSource(b, part, t.limits), columns); err != nil {
		return errors.Join(err, part.Close())
	}
	t.close = part.Close
	return nil
}

// book is a workbook's zip archive.
type book struct {
	parts   map[string]*zip.File
	limits  Limits
	strings []string // the shared strings
	styles  []style
	from04  bool
}

type sheet struct {
	name, part string
	hidden     bool
}

// maxParts is far more than a workbook with a table has.
const maxParts = 1_000

// openParts reads the archive's directory. It refuses an archive that would unpack
// to far too much, before anything is unpacked.
func openParts(r io.ReaderAt, size int64, l Limits) (*book, error) {
	if err := checkDirectory(r, size); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, ErrCut
	}
	b := &book{parts: map[string]*zip.File{}, limits: l}
	var unpacked uint64
	for _, f := range z.File {
		b.parts[strings.TrimPrefix(f.Name, "/")] = f
		if unpacked += f.UncompressedSize64; unpacked > uint64(l.Unpacked) || len(b.parts) > maxParts {
			return nil, ErrBomb
		}
	}
	if unpacked > 10<<20 && unpacked/uint64(size) > uint64(l.Ratio) {
		return nil, ErrBomb
	}
	return b, nil
}

// checkDirectory checks the archive's end: without one the file was cut, and a
// directory of millions is not worth reading.
func checkDirectory(r io.ReaderAt, size int64) error {
	tail := make([]byte, min(size, 66<<10))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read file: %w", err)
	}
	at := strings.LastIndex(string(tail), "PK\x05\x06")
	if at < 0 || len(tail)-at < 22 {
		return ErrCut
	}
	end := tail[at:]
	if entries := int(end[10]) | int(end[11])<<8; entries > maxParts {
		return ErrBomb
	}
	start := int64(end[16]) | int64(end[17])<<8 | int64(end[18])<<16 | int64(end[19])<<24
	if from := size - int64(len(tail)) + int64(at); start > from || from-start > 1<<20 {
		return ErrBomb
	}
	return nil
}

// part is one file of the archive, read as a stream.
type part struct {
	io.Reader
	file io.Closer
}

func (p *part) Close() error { return p.file.Close() }

// open starts to unpack a part. The zip reader enforces the size that the archive
// states.
func (b *book) open(name string) (*part, error) {
	f, ok := b.parts[name]
	if !ok {
		return nil, ErrNoTable
	}
	r, err := f.Open()
	if err != nil {
		return nil, ErrCut
	}
	return &part{Reader: unpacking{r}, file: r}, nil
}

// unpacking translates the errors of unpacking: data that does not unpack was cut or
// damaged in transfer.
type unpacking struct{ r io.Reader }

func (u unpacking) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = ErrCut
	}
	return n, err
}

// smallPart limits the size of parts that are read as a whole.
const smallPart = 4 << 20

// decode reads a small part as a whole.
func (b *book) decode(name string, into any) error {
	p, err := b.open(name)
	if err != nil {
		return err
	}
	if b.parts[name].UncompressedSize64 > smallPart {
		err = ErrBomb
	} else if err = xml.NewDecoder(p).Decode(into); err != nil {
		err = damaged(err)
	}
	return errors.Join(err, p.Close())
}

// damaged is the error for XML that cannot be read further.
func damaged(err error) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	return ErrCut
}

// sheets lists the sheets in the order of their tabs, hidden ones last: what people
// see is what they mean.
func (b *book) sheets() ([]sheet, error) {
	if _, ok := b.parts["xl/workbook.xml"]; !ok {
		if _, ok := b.parts["content.xml"]; ok {
			return nil, ErrOpenDoc
		}
		return nil, ErrNoTable
	}
	var workbook struct {
		Properties struct {
			From04 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name  string `xml:"name,attr"`
			ID    string `xml:"id,attr"` // in the namespace of relationships
			State string `xml:"state,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := b.decode("xl/workbook.xml", &workbook); err != nil {
		return nil, err
	}
	b.from04 = yes(workbook.Properties.From04)
	var relations struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
			Type   string `xml:"Type,attr"`
		} `xml:"Relationship"`
	}
	if err := b.decode("xl/_rels/workbook.xml.rels", &relations); err != nil {
		return nil, err
	}
	targets := map[string]string{}
	for _, r := range relations.All {
		if strings.HasSuffix(r.Type, "/worksheet") { // not a chart, not a macro
			targets[r.ID] = partName(r.Target)
		}
	}
	var sheets []sheet
	for _, s := range workbook.Sheets {
		if part, ok := targets[s.ID]; ok {
			sheets = append(sheets, sheet{s.Name, part, s.State == "hidden" || s.State == "veryHidden"})
		}
	}
	slices.SortStableFunc(sheets, func(a, b sheet) int {
		switch {
		case a.hidden == b.hidden:
			return 0
		case a.hidden:
			return 1
		}
		return -1
	})
	if len(sheets) == 0 {
		return nil, ErrEmpty
	}
	return sheets, nil
}

// partName resolves a target of the workbook's relations.
func partName(target string) string {
	if rooted, ok := strings.CutPrefix(target, "/"); ok {
		return rooted
	}
	return path.Join("xl", target)
}
