package export

import (
	"strconv"
	"strings"
	"time"

	"veinte/views/locale"
)

// Styles of cells, by their place in the part styles.xml. Text is text to
// whoever edits it later, too: what begins like a formula never becomes one.
const (
	styleHeading = ` s="1"`
	styleText    = ` s="2"`
	styleInstant = ` s="3"`
	styleAmount  = ` s="4"`
	styleWhole   = ` s="5"`
)

const (
	xmlOpening   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	sheetSpace   = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	packageSpace = "http://schemas.openxmlformats.org/package/2006/"
	officeSpace  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	sheetOpening = xmlOpening + `<worksheet ` + sheetSpace + `>`
	partType     = "application/vnd.openxmlformats-officedocument.spreadsheetml."
)

const stylesPart = xmlOpening + `<styleSheet ` + sheetSpace + `>` +
	`<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/></numFmts>` +
	`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="6">` +
	`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
	`<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1" applyNumberFormat="1"/>` +
	`<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="1" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

// part is a small file of a workbook.
type part struct{ name, text string }

// parts are what a workbook has besides its sheets. They are written last,
// because only then is it known how many sheets there are.
func (x *book) parts() []part {
	var types, relations, sheets strings.Builder
	sheet := func(id int, file, title string) {
		n := strconv.Itoa(id)
		types.WriteString(`<Override PartName="/xl/worksheets/` + file + `.xml" ContentType="` + partType + `worksheet+xml"/>`)
		relations.WriteString(`<Relationship Id="rId` + n + `" Type="` + officeSpace + `/worksheet" Target="worksheets/` + file + `.xml"/>`)
		sheets.WriteString(`<sheet name="` + title + `" sheetId="` + n + `" r:id="rId` + n + `"/>`)
	}
	for i := range x.sheets {
		sheet(i+1, "sheet"+strconv.Itoa(i+1), locale.T(x.ctx, x.titled, "N", i+1))
	}
	sheet(x.sheets+1, "about", locale.T(x.ctx, "exportSheet.about"))
	relations.WriteString(`<Relationship Id="rIdStyles" Type="` + officeSpace + `/styles" Target="styles.xml"/>`)
	return []part{
		{"xl/styles.xml", stylesPart},
		{
			"xl/workbook.xml",
			xmlOpening + `<workbook ` + sheetSpace + ` xmlns:r="` + officeSpace + `">` +
				`<bookViews><workbookView/></bookViews><sheets>` + sheets.String() + `</sheets></workbook>`,
		},
		{
			"xl/_rels/workbook.xml.rels",
			xmlOpening + `<Relationships xmlns="` + packageSpace + `relationships">` + relations.String() + `</Relationships>`,
		},
		{"_rels/.rels", xmlOpening + `<Relationships xmlns="` + packageSpace + `relationships"><Relationship Id="rId1" Type="` +
			officeSpace + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"[Content_Types].xml", xmlOpening + `<Types xmlns="` + packageSpace + `content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + partType + `sheet.main+xml"/>` +
			`<Override PartName="/xl/styles.xml" ContentType="` + partType + `styles+xml"/>` + types.String() + `</Types>`},
	}
}

func appendColumn(b []byte, n int, width float64) []byte {
	number := strconv.Itoa(n)
	b = append(b, `<col min="`+number+`" max="`+number+`" width="`...)
	return append(strconv.AppendFloat(b, width, 'f', -1, 64), `" customWidth="1"/>`...)
}

// columnNames are A, B, … AZ: more than any file has.
var columnNames = func() []string {
	names := make([]string, 52)
	for i := range names {
		names[i] = columnName(i)
	}
	return names
}()

// columnName names a column by its number from 0, for up to 26 × 27 of them.
func columnName(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return columnName(i/26-1) + columnName(i%26)
}

// appendSerial writes an instant as a workbook counts: days since the end of
// 1899, on the clock of its zone, to the millisecond.
func appendSerial(b []byte, t time.Time) []byte {
	_, offset := t.Zone()
	ms := t.UnixMilli() + int64(offset)*1000
	return strconv.AppendFloat(b, float64(ms)/86_400_000+25_569, 'f', 9, 64)
}

// maxCellText is how much text a cell holds, in UTF-16 units; a little less, for
// the mark that some was left out.
const maxCellText = 32_700

// appendSheetText writes text into a sheet. What XML cannot hold, and what a
// reader would take for such, is written as the format says: _x0001_.
func appendSheetText(b []byte, s string) []byte {
	if len(s) > maxCellText {
		s = cellText(s)
	}
	from := 0
	for i := 0; i < len(s); i++ {
		var esc string
		switch c := s[i]; {
		case c == '&':
			esc = "&amp;"
		case c == '<':
			esc = "&lt;"
		case c == '>':
			esc = "&gt;"
		case c == '_' && looksEscaped(s[i:]):
			esc = "_x005F_"
		case c < ' ' && c != '\t' && c != '\n':
			const hex = "0123456789ABCDEF"
			esc = "_x00" + string([]byte{hex[c>>4], hex[c&15]}) + "_"
		case c == 0xEF && i+2 < len(s) && s[i+1] == 0xBF && s[i+2] >= 0xBE:
			b = append(append(b, s[from:i]...), "\uFFFD"...) // U+FFFE and U+FFFF are in no XML
			i += 2
			from = i + 1
			continue
		default:
			continue
		}
		b = append(append(b, s[from:i]...), esc...)
		from = i + 1
	}
	return append(b, s[from:]...)
}

// looksEscaped reports whether a text begins with what a reader of sheets would
// take for one of their characters: _x, four hexadecimal digits, and _.
func looksEscaped(s string) bool {
	if len(s) < 7 || s[1] != 'x' || s[6] != '_' {
		return false
	}
	_, err := strconv.ParseUint(s[2:6], 16, 16)
	return err == nil
}

// cellText cuts what no cell can hold, and says so.
func cellText(s string) string {
	units := 0
	for i, r := range s {
		if units++; r > 0xFFFF {
			units++
		}
		if units > maxCellText {
			return s[:i] + "…"
		}
	}
	return s
}
