package table_test

import (
	"encoding/csv"
	"os"
	"testing"

	"veinte/models/table"
)

// written are the workbooks of testdata/workbooks, by the program or the form.
var written = []string{"libreoffice", "openpyxl", "excel", "excel-1904", "google-sheets", "inline-strings"}

// TestAmountsAreTheNumberThatWasMeant reads 2,000 random amounts and times of each
// workbook. What was meant is in a CSV that the workbook's writer made, not we.
func TestAmountsAreTheNumberThatWasMeant(t *testing.T) {
	t.Parallel()
	for _, name := range written {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			meant := meantBy(t, "testdata/workbooks/"+name+".csv")
			f, err := os.Open("testdata/workbooks/" + name + ".xlsx")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			info, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			tab, err := table.Open(f, info.Size(), table.Options{Columns: saleColumns})
			if err != nil {
				t.Fatal(err)
			}
			defer tab.Close()
			n := 0
			for ; tab.Next(); n++ {
				r := tab.Row()
				order, _ := r.Cell("orderId").Value()
				if n >= len(meant) || order != meant[n][0] {
					t.Fatalf("row %d is order %q, want that of line %d of the CSV", r.Line, order, n+2)
				}
				amount, wrong := r.Cell("amount").Amount()
				if wrong != nil || amount != meant[n][1] {
					t.Errorf("amount of %s (%s) = %s, %v; want %s", order, r.Cell("amount").Raw(), amount, wrong, meant[n][1])
				}
				at, wrong := r.Cell("soldAt").Time(mexico)
				if got := at.Format("2006-01-02T15:04:05"); wrong != nil || got != meant[n][2] {
					t.Errorf("time of %s (%s) = %s, %v; want %s", order, r.Cell("soldAt").Raw(), got, wrong, meant[n][2])
				}
				for _, column := range []string{"serialNumber", "amount", "soldAt"} {
					if card := r.Cell(column).Card(); card != nil {
						t.Errorf("the %s of %s (%s) is taken for a card number", column, order, r.Cell(column).Raw())
					}
				}
			}
			if tab.Err() != nil || n != len(meant) || n < 2000 {
				t.Errorf("%d rows, %v; want the %d of the CSV", n, tab.Err(), len(meant))
			}
		})
	}
}

func meantBy(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[1:]
}

// TestNumbersOfCells reads numbers as programs store them.
func TestNumbersOfCells(t *testing.T) {
	t.Parallel()
	good := workbook(t, map[string]any{"A1": "serie", "B1": "monto", "A2": "1", "B2": 2})
	for _, tt := range []struct{ stored, raw, amount, card string }{
		{"206.58000000000001", "206.58", "206.58", ""},  // Excel: 17 digits of the nearest double
		{"206.57999999999998", "206.58", "206.58", ""},  // 178.08620689655172*1.16
		{"0.30000000000000004", "0.3", "0.30", ""},      // 0.1+0.2
		{"1.2500000000000001E3", "1250", "1250.00", ""}, // scientific notation
		{"1E-3", "0.001", "0.001", ""},                  // a fraction of a centavo stays one
		{"99999999999.990005", "99999999999.99", "99999999999.99", ""},
		{"1234567890123.45", "1234567890123.45", "1234567890123.45", ""},
		{"4111111111111111", "4111111111111111", "!lostDigits", "!cardNumber"},
		{"4.111111111111111E15", "4111111111111111", "!lostDigits", "!cardNumber"},
		{"378282246310005", "378282246310005", "378282246310005.00", "!cardNumber"},
		{"378282246310005.0", "378282246310005", "378282246310005.00", "!cardNumber"},
		{"4222222222222.5", "4222222222222.5", "4222222222222.50", "!cardNumber"},
		{"1e400", "1e400", "!noDigits", ""},
		{"0x1p4", "0x1p4", "!noDigits", ""},
		{"NaN", "NaN", "!noDigits", ""},
		{"12 3", "12 3", "!noDigits", ""},
	} {
		content := edited(t, good, map[string]string{sheetPart: sheetBegins + sheetHeader +
			`<row r="2"><c r="A2" t="inlineStr"><is><t>1</t></is></c><c r="B2"><v>` + tt.stored + `</v></c></row>` + sheetEnds})
		tab, err := open(content)
		if err != nil || !tab.Next() {
			t.Fatalf("a cell with %s: %v", tt.stored, err)
		}
		c := tab.Row().Cell("amount")
		amount, wrong := c.Amount()
		card := orCode("", c.Card(), same)
		if got := orCode(amount, wrong, same); c.Raw() != tt.raw || got != tt.amount || card != tt.card {
			t.Errorf("a cell with %s: raw %s, amount %s, card %q; want %s, %s, %q", tt.stored, c.Raw(), got, card, tt.raw, tt.amount, tt.card)
		}
	}
	// A day with its time has many digits too.
	if card := only(t, 46346.572916666664, format("dd/mm/yyyy hh:mm")).Card(); card != nil {
		t.Errorf("a date is taken for a card number: %v", card)
	}
	if card := only(t, 4111111111111111.0, format("dd/mm/yyyy")).Card(); card == nil {
		t.Error("a card number under a format of dates is not noticed")
	}
}
