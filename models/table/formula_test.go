package table_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"veinte/models/table"
)

// TestFormulas: a formula is shown as the formula. What it was computed to is read
// only where the caller asks for it, and only where the workbook has stored it.
func TestFormulas(t *testing.T) {
	t.Parallel()
	good := workbook(t, map[string]any{"A1": "serie", "B1": "monto", "A2": "1", "B2": 2})
	for _, tt := range []struct{ cell, shown, amount string }{
		{`<c r="B2"><f>D2*1.16</f><v>206.57999999999998</v></c>`, "=D2*1.16", "206.58"},
		{`<c r="B2" t="str"><f>TEXT(D2,"0.00")</f><v>1250.00</v></c>`, `=TEXT(D2,"0.00")`, "1250.00"},
		{`<c r="B2"><f>D2*1.16</f></c>`, "=D2*1.16", "!formula"}, // as openpyxl writes it: never computed
		{`<c r="B2"><f>D2*1.16</f><v></v></c>`, "=D2*1.16", "!formula"},
		{`<c r="B2" t="e"><f>VLOOKUP(A2,X:Y,2,0)</f><v>#N/A</v></c>`, "=VLOOKUP(A2,X:Y,2,0)", "!formula"},
		{`<c r="B2"><f>4111111111111110+1</f><v>4111111111111111</v></c>`, "=4111111111111110+1", "!lostDigits"},
	} {
		content := edited(t, good, map[string]string{sheetPart: sheetBegins + sheetHeader +
			`<row r="2"><c r="A2" t="inlineStr"><is><t>1</t></is></c>` + tt.cell + `</row>` + sheetEnds})
		tab, err := open(content)
		if err != nil || !tab.Next() {
			t.Fatalf("%s: %v", tt.cell, err)
		}
		c := tab.Row().Cell("amount")
		_, wrong := c.Amount()
		if wrong == nil || !wrong.Is(table.ErrFormula) || wrong.Detail != tt.shown || c.Raw() != tt.shown || c.Kind() != table.Formula {
			t.Errorf("%s: %v, shown as %q; want a refusal with %q", tt.cell, wrong, c.Raw(), tt.shown)
		}
		computed, _ := c.Computed()
		amount, wrong := computed.Amount()
		if got := orCode(amount, wrong, same); got != tt.amount || computed.Formula() != tt.shown {
			t.Errorf("%s computed = %s of %s, want %s of %s", tt.cell, got, computed.Formula(), tt.amount, tt.shown)
		}
	}
}

// TestSharedFormulas shows the formulas of a column that was filled down, of which a
// workbook stores only the first.
func TestSharedFormulas(t *testing.T) {
	t.Parallel()
	good := workbook(t, map[string]any{"A1": "serie", "B1": "monto", "A2": "1", "B2": 2})
	var rows strings.Builder
	rows.WriteString(sheetRow) // the head has its own
	for i := 3; i <= 5; i++ {
		text := ""
		if i == 3 {
			text = `D3*$E$1+SUM(AA3:AB$9)+LOG10(5)+&quot;A1&quot;+'Hoja A1'!B3+x_B3+F$3+$G3`
		}
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%d"><v>1</v></c><c r="B%d"><f t="shared" si="0">%s</f><v>5</v></c></row>`, i, i, i, text)
	}
	tab, err := open(edited(t, good, map[string]string{sheetPart: sheetBegins + sheetHeader + rows.String() + sheetEnds}))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for tab.Next() {
		got = append(got, tab.Row().Cell("amount").Formula())
	}
	want := []string{
		"",
		`=D3*$E$1+SUM(AA3:AB$9)+LOG10(5)+"A1"+'Hoja A1'!B3+x_B3+F$3+$G3`,
		`=D4*$E$1+SUM(AA4:AB$9)+LOG10(5)+"A1"+'Hoja A1'!B4+x_B3+F$3+$G4`,
		`=D5*$E$1+SUM(AA5:AB$9)+LOG10(5)+"A1"+'Hoja A1'!B5+x_B3+F$3+$G5`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestFormulasThatShowNothing: rows prepared with =IF(A3="","",…) are blank.
func TestFormulasThatShowNothing(t *testing.T) {
	t.Parallel()
	good := workbook(t, map[string]any{"A1": "serie", "B1": "monto", "A2": "1", "B2": 2})
	got, _, err := rows(t, edited(t, good, map[string]string{sheetPart: sheetBegins + sheetHeader + sheetRow +
		`<row r="3"><c r="B3" t="str"><f>IF(A3="","",D3)</f><v></v></c></row>` + sheetEnds}))
	if want := []string{"2: [1] [2] []"}; err != nil || !cmp.Equal(got, want) {
		t.Errorf("rows = %q, %v; want %q", got, err, want)
	}
}

// TestHiddenSheetsAndRows: what a workbook hides is named.
func TestHiddenSheetsAndRows(t *testing.T) {
	t.Parallel()
	sheet := func(name string, visible bool, cells map[string]any) func(*excelize.File) {
		return func(f *excelize.File) {
			_, err := f.NewSheet(name)
			for at, v := range cells {
				if err == nil {
					err = f.SetCellValue(name, at, v)
				}
			}
			if err == nil && !visible {
				err = f.SetSheetVisible(name, false)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	sales := map[string]any{"A1": "serie", "B1": "monto"}
	for i := 2; i <= 9; i++ {
		sales[fmt.Sprintf("A%d", i)], sales[fmt.Sprintf("B%d", i)] = "1", i
	}
	hide := func(name string, lines ...int) func(*excelize.File) {
		return func(f *excelize.File) {
			for _, line := range lines {
				if err := f.SetRowVisible(name, line, false); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	old := map[string]any{"A1": "serie", "B1": "monto", "A2": "9", "B2": 9}
	for _, tt := range []struct {
		fact    string
		content string
		rows    int
		want    []table.Note
	}{
		{
			"a hidden sheet before the visible one", workbook(t, old, sheet("Ventas", true, sales), func(f *excelize.File) {
				f.SetActiveSheet(1)
				_ = f.SetSheetVisible("Sheet1", false)
			}),
			8,
			[]table.Note{{Code: "table.note.sheet", Detail: "Ventas"}, {Code: "table.note.hiddenSheets", Detail: "Sheet1"}},
		},
		{
			"the table on the hidden one", workbook(t, map[string]any{"A1": "Resumen"}, sheet("Datos", false, old)), 1,
			[]table.Note{{Code: "table.note.sheetHidden", Detail: "Datos"}},
		},
		{"hidden rows", workbook(t, sales, hide("Sheet1", 3, 5, 6, 7)), 8, []table.Note{{Code: "table.note.hiddenRows", Detail: "4 (3, 5–7)"}}},
	} {
		got, notes, err := rowsThenNotes(t, tt.content)
		if diff := cmp.Diff(tt.want, notes); diff != "" || err != nil || got != tt.rows {
			t.Errorf("%s: %d rows, %v, want %d\n%s", tt.fact, got, err, tt.rows, diff)
		}
	}
}

func rowsThenNotes(t *testing.T, content string) (int, []table.Note, error) {
	t.Helper()
	all, notes, err := rows(t, content)
	return len(all), notes, err
}
