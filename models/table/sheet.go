package table

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
)

// sheetSource reads the rows of a sheet, one after the other.
type sheetSource struct {
	book  *book
	guard *guard
	xml   *xml.Decoder
	most  int // columns
	line  int
	cells []Cell
	done  bool
	// shared are the formulas that are stored once for several cells.
	shared map[string]sharedFormula
}

func newSheetSource(b *book, p io.Reader, l Limits) *sheetSource {
	// The largest row that the limits allow, each cell with its tags.
	g := &guard{r: p, most: l.Columns*(l.Cell*8+200) + 256<<10}
	d := xml.NewDecoder(g)
	d.CharsetReader = utf8Only
	return &sheetSource{book: b, guard: g, xml: d, most: l.Columns}
}

// utf8Only accepts parts that state UTF-8 as their encoding, in any case.
func utf8Only(charset string, r io.Reader) (io.Reader, error) {
	if strings.EqualFold(charset, "utf-8") {
		return r, nil
	}
	return nil, ErrNotText
}

// next reads to the end of a row. At the end of the data it also reads the rest of
// the part: only then has its checksum been verified.
func (s *sheetSource) next() (sourceRow, error) {
	s.guard.read = 0
	for !s.done {
		token, err := s.xml.RawToken()
		if err != nil {
			return sourceRow{}, damaged(err) // before the data's end
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local == "row" {
				return s.row(e)
			}
		case xml.EndElement:
			s.done = e.Name.Local == "sheetData"
		}
	}
	if _, err := io.Copy(io.Discard, s.guard.r); err != nil {
		return sourceRow{}, err
	}
	return sourceRow{}, io.EOF
}

func attribute(e xml.StartElement, name string) string {
	for i := range e.Attr {
		if e.Attr[i].Name.Local == name {
			return e.Attr[i].Value
		}
	}
	return ""
}

// row reads the cells up to the row's end.
func (s *sheetSource) row(e xml.StartElement) (sourceRow, error) {
	s.line++
	if n, err := strconv.Atoi(attribute(e, "r")); err == nil && n > 0 {
		s.line = n
	}
	row := sourceRow{line: s.line, hidden: yes(attribute(e, "hidden"))}
	s.cells = s.cells[:0]
	for {
		token, err := s.xml.RawToken()
		if err != nil {
			return row, damaged(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local != "c" {
				continue
			}
			at := len(s.cells)
			if ref := attribute(e, "r"); ref != "" {
				at = columnOf(ref)
			}
			cell, err := s.cell(e, at)
			if err != nil {
				return row, err
			}
			if cell.Empty() {
				continue
			}
			if at < 0 || at >= s.most {
				return row, ErrTooManyCols.counts(at+1, s.most).at(s.line)
			}
			for len(s.cells) <= at {
				s.cells = append(s.cells, Cell{})
			}
			s.cells[at] = cell
		case xml.EndElement:
			if e.Name.Local == "row" {
				row.cells = s.cells
				return row, nil
			}
		}
	}
}

// columnOf is the position in a reference such as B7, from 0; -1 for an invalid
// reference.
func columnOf(ref string) int {
	n := 0
	for i := range len(ref) {
		c := ref[i]
		if c < 'A' || c > 'Z' {
			break
		}
		if n = n*26 + int(c-'A') + 1; n > 20_000 {
			return -1
		}
	}
	return n - 1
}

// yes reads a truth as XML schemas write it.
func yes(s string) bool { return s == "1" || s == "true" }

// cell reads one cell: its value, and whether it is computed.
func (s *sheetSource) cell(start xml.StartElement, at int) (Cell, error) {
	c := Cell{from04: s.book.from04}
	kind := attribute(start, "t")
	var value, inline, formula strings.Builder
	var shared string // the index of a formula that is stored once for several cells
	into := (*strings.Builder)(nil)
	skip := false // a pronunciation guide above Japanese text
	for {
		token, err := s.xml.RawToken()
		if err != nil {
			return c, damaged(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "f":
				c.kind, into = Formula, &formula
				if attribute(e, "t") == "shared" {
					shared = attribute(e, "si")
				}
			case "v":
				into, c.stored = &value, true
			case "t":
				into = &inline
			case "rPh":
				skip = true
			}
		case xml.CharData:
			if into != nil && !skip {
				into.Write(e)
			}
		case xml.EndElement:
			switch e.Name.Local {
			case "v", "t", "f":
				into = nil
			case "rPh":
				skip = false
			case "c":
				if c.kind == Formula {
					c.formula = "=" + s.formulaOf(shared, formula.String(), s.line, at)
					c.stored = c.stored && (value.Len() > 0 || kind == "str")
				}
				return s.typed(c, kind, attribute(start, "s"), value.String(), inline.String())
			}
		}
	}
}

// typed sets the cell's value and kind by its type and style; for a formula those of
// the stored result.
func (s *sheetSource) typed(c Cell, kind, styled, value, inline string) (Cell, error) {
	if c.kind == Formula {
		c.kind = Text
		c, err := s.typed(c, kind, styled, value, inline)
		c.result, c.kind = c.kind, Formula
		return c, err
	}
	c.raw = value
	switch kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || i < 0 || i >= len(s.book.strings) {
			return c, ErrCut
		}
		c.raw = s.book.strings[i]
	case "inlineStr":
		c.raw = inline
	case "str": // the text of a computed cell without its formula
	case "b":
		c.kind, c.raw = Bool, map[bool]string{true: "TRUE", false: "FALSE"}[value == "1"]
	case "e":
		c.kind = Fault
	case "d": // ISO 8601 as text
	default:
		c.raw = meant(strings.TrimSpace(value))
		if c.raw == "" {
			return c, nil
		}
		c.kind = Number
		if i, err := strconv.Atoi(styled); err == nil && i >= 0 && i < len(s.book.styles) {
			if st := s.book.styles[i]; st.date {
				c.kind, c.clock = Date, st.clock
			} else {
				c.zeros = st.zeros
			}
		}
	}
	return c, nil
}

// maxShared limits the shared strings, which stay in memory, in bytes.
const maxShared = 64 << 20

// sharedStrings reads the strings that cells refer to.
func (b *book) sharedStrings() (all []string, err error) {
	const name = "xl/sharedStrings.xml"
	if _, ok := b.parts[name]; !ok {
		return nil, nil
	}
	p, err := b.open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	g := &guard{r: p, most: 1 << 20}
	d := xml.NewDecoder(g)
	d.CharsetReader = utf8Only
	var text strings.Builder
	total, inside, skip := 0, false, false
	for {
		token, err := d.RawToken()
		if err != nil {
			return nil, damaged(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			inside = e.Name.Local == "t"
			skip = skip || e.Name.Local == "rPh"
		case xml.CharData:
			if inside && !skip {
				text.Write(e)
			}
		case xml.EndElement:
			inside = false
			switch e.Name.Local {
			case "rPh":
				skip = false
			case "si":
				if total += text.Len() + 16; total > maxShared {
					return nil, ErrTooLarge.counts(total>>20, maxShared>>20)
				}
				all = append(all, text.String())
				text.Reset()
				g.read = 0
			case "sst":
				_, err := io.Copy(io.Discard, p)
				return all, err
			}
		}
	}
}
