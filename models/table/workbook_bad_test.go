package table_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"

	"veinte/models/table"
)

// edited changes the parts of a workbook; an empty new content removes one.
func edited(tb testing.TB, content string, parts map[string]string) string {
	tb.Helper()
	z, err := zip.NewReader(strings.NewReader(content), int64(len(content)))
	if err != nil {
		tb.Fatal(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range z.File {
		if _, ok := parts[f.Name]; !ok {
			if err := w.Copy(f); err != nil {
				tb.Fatal(err)
			}
		}
	}
	for name, text := range parts {
		if text == "" {
			continue
		}
		p, err := w.Create(name)
		if err == nil {
			_, err = p.Write([]byte(text))
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

const (
	sheetPart   = "xl/worksheets/sheet1.xml"
	sharedPart  = "xl/sharedStrings.xml"
	sheetBegins = `<?xml version="1.0" encoding="UTF-8"?>` +
		`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`
	sheetHeader = `<row r="1"><c r="A1" t="inlineStr"><is><t>serie</t></is></c><c r="B1" t="inlineStr"><is><t>monto</t></is></c></row>`
	sheetRow    = `<row r="2"><c r="A2" t="inlineStr"><is><t>1</t></is></c><c r="B2"><v>2</v></c></row>`
	sheetEnds   = `</sheetData></worksheet>`
)

// TestBadWorkbooks checks that damaged and hostile workbooks are refused with
// the reason, and early.
func TestBadWorkbooks(t *testing.T) {
	t.Parallel()
	good := workbook(t, map[string]any{"A1": "serie", "B1": "monto", "A2": "1", "B2": 2})
	sheet := func(text string) string { return edited(t, good, map[string]string{sheetPart: text}) }
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	_, _ = w.Create("foto.jpg")
	_ = w.Close()
	bomb := sheet(sheetBegins + sheetHeader + strings.Repeat(sheetRow, 1_500_000) + sheetEnds)
	for _, tt := range []struct {
		fact, content string
		want          *table.Error
	}{
		{"half of it", good[:len(good)/2], table.ErrCut},
		{"without its last bytes", good[:len(good)-10], table.ErrCut},
		{"another archive", archive.String(), table.ErrNoTable},
		{"an OpenDocument", edited(t, good, map[string]string{"xl/workbook.xml": "", "content.xml": "<x/>"}), table.ErrOpenDoc},
		{"a part missing", edited(t, good, map[string]string{sheetPart: ""}), table.ErrNoTable},
		{"an empty sheet", sheet(sheetBegins + sheetEnds), table.ErrEmpty},
		{"a header alone", sheet(sheetBegins + sheetHeader + sheetEnds), table.ErrNoRows},
		{"a sheet cut between rows", sheet(sheetBegins + sheetHeader + sheetRow), table.ErrCut},
		{"a sheet cut within a cell", sheet(sheetBegins + sheetHeader + sheetRow[:50]), table.ErrCut},
		{"a text that is not there", sheet(sheetBegins + sheetHeader + `<row><c t="s"><v>99</v></c></row>` + sheetEnds), table.ErrCut},
		{"entities", sheet(`<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]>` + sheetBegins +
			`<row><c t="inlineStr"><is><t>&a;</t></is></c></row>` + sheetEnds), table.ErrCut},
		{"a cell without an end", sheet(sheetBegins + sheetHeader + `<row><c><v>` + strings.Repeat("1", 5<<20)), table.ErrRowTooLong},
		{"a column far to the right", sheet(sheetBegins + sheetHeader +
			`<row r="2"><c r="XFD2"><v>1</v></c></row>` + sheetEnds), table.ErrTooManyCols},
		{"a reference that is none", sheet(sheetBegins + sheetHeader +
			`<row r="2"><c r="ZZZZZZZZZZ2"><v>1</v></c></row>` + sheetEnds), table.ErrTooManyCols},
		{"a bomb", bomb, table.ErrBomb},
		{"too many rows", sheet(sheetBegins + sheetHeader +
			strings.Repeat(`<row><c><v>1</v></c></row>`, 200_001) + sheetEnds), table.ErrTooManyRows},
		{"duplicate headers", workbook(t, map[string]any{"A1": "serie", "B1": "monto", "C1": "IMPORTE", "A2": 1}), table.ErrDuplicate},
		{"a column missing", workbook(t, map[string]any{"A1": "serie", "A2": 1}), table.ErrMissing},
	} {
		_, _, err := rows(t, tt.content)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.fact, err, tt.want)
		}
	}
	// One flipped bit in the packed data: the checksum detects it.
	z, err := zip.NewReader(strings.NewReader(good), int64(len(good)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if f.Name == sheetPart {
			at, err := f.DataOffset()
			if err != nil {
				t.Fatal(err)
			}
			b := []byte(good)
			b[at+int64(f.CompressedSize64)/2] ^= 1
			if _, _, err := rows(t, string(b)); !errors.Is(err, table.ErrCut) {
				t.Errorf("a flipped bit: %v, want %v", err, table.ErrCut)
			}
		}
	}
}

// TestLyingArchive has a bomb whose archive states a small size: it is refused.
func TestLyingArchive(t *testing.T) {
	t.Parallel()
	good := workbook(t, map[string]any{"A1": "serie", "B1": "monto", "A2": "1", "B2": 2})
	big := []byte(edited(t, good, map[string]string{sheetPart: sheetBegins + sheetHeader + strings.Repeat(sheetRow, 1_500_000) + sheetEnds}))
	// The directory's entry holds the size 24 bytes after its signature.
	for at := 0; ; {
		i := bytes.Index(big[at:], []byte("PK\x01\x02"))
		if i < 0 {
			break
		}
		at += i + 4
		if nameAt := at + 42; strings.HasPrefix(string(big[nameAt:]), sheetPart) {
			copy(big[at+20:], []byte{0, 16, 0, 0}) // 4 KB
		}
	}
	if _, _, err := rows(t, string(big)); !errors.Is(err, table.ErrCut) {
		t.Errorf("a bomb that says it is small: %v, want %v", err, table.ErrCut)
	}
}
