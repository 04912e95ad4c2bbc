package table_test

import (
	"bytes"
	"errors"
	"testing"

	"veinte/models/modelstest/mutated"
	"veinte/models/table"
)

// FuzzCSV reads arbitrary input: it ends with rows or an error.
func FuzzCSV(f *testing.F) {
	var seeds [][]byte
	for _, s := range []string{
		plain,
		"\uFEFF" + plain,
		"sep=;\n" + plain,
		"\"",
		"\xFF\xFE\"\x00",
		"a,b\n\"",
		"PK\x03\x04",
		"Ventas\n\nserie,,monto\n,fecha,\n1,2,3",
		"N\x9Cmero de serie,monto\r1,2\r",
		"N\xA3mero,D\xA1a\n1,2",
		"amount\tserie\r\n=\"1\"\t1,2\r",
	} {
		seeds = append(seeds, []byte(s))
	}
	mutated.Add(f, seeds, func(input []byte) { f.Add(input) })
	f.Fuzz(func(t *testing.T, content []byte) {
		tab, err := table.Open(bytes.NewReader(content), int64(len(content)), table.Options{Columns: columns})
		if err != nil {
			known(t, err)
			return
		}
		defer tab.Close()
		for tab.Next() {
			for _, c := range tab.Row().Cells() {
				_, _ = c.Value()
				_, _ = c.Amount()
				_, _ = c.Digits()
				_, _ = c.Time(mexico)
				if m, wrong := c.Moment(); wrong == nil {
					_, _ = m.WithClock(c)
				}
				_, _ = c.Computed()
				_ = c.Raw()
			}
		}
		if tab.Err() != nil {
			known(t, tab.Err())
		}
	})
}

func known(t *testing.T, err error) {
	t.Helper()
	var e *table.Error
	if !errors.As(err, &e) {
		t.Errorf("an error that nobody translates: %v", err)
	}
}

// FuzzWorkbook reads sheets with arbitrary content.
func FuzzWorkbook(f *testing.F) {
	good := workbook(f, map[string]any{"A1": "serie", "B1": "monto", "A2": "1", "B2": 2})
	for _, s := range []string{
		sheetRow,
		`<row r="x"><c r="" t="s" s="-1"><v/></c></row>`,
		`<row><c t="inlineStr"><is><rPh><t>x</t></rPh></is></c>`,
		"<c>",
		`<row r="2"><c r="A2"><f>1</f></c></row>`,
		`<row r="2" hidden="1"><c r="A2"><f t="shared" si="0">$B2*'x'!A1</f><v>1</v></c><c r="B3"><f t="shared" si="0"/></c></row>`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		content := edited(t, good, map[string]string{sheetPart: sheetBegins + sheetHeader + body + sheetEnds})
		if _, _, err := rows(t, content); err != nil {
			known(t, err)
		}
	})
}
