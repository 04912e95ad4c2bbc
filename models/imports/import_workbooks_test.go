package imports_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veinte/models/imports"
	"veinte/models/intake"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

const workbooks = "../table/testdata/workbooks/"

// TestWorkbooksAreImportedAsMeant imports what spreadsheet programs wrote, 2,000
// sales each: none is refused, and every sale has the amount of the CSV beside it.
func TestWorkbooksAreImportedAsMeant(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"libreoffice", "openpyxl", "excel", "excel-1904", "google-sheets", "inline-strings"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			_, err := o.Terminals.CreateTerminal(t.Context(), o.Admin, terminals.Input{
				SerialNumber: "1490000001", Label: "Caja", MerchantID: "9001", StoreID: o.Store.ID,
			})
			if err != nil {
				t.Fatal(err)
			}
			s := modelstest.Confirm(t, o, giveFile(t, o, workbooks+name+".xlsx"), false)
			want(t, s, "imported rows 2000 new 2000 known 0 conflict 0 refused 0 warned 0")
			got := map[string]string{}
			rows, err := o.Owner.QueryContext(t.Context(), `SELECT order_id,
				(amount / 100)::text || '.' || lpad((amount % 100)::text, 2, '0')
				|| to_char(sold_at AT TIME ZONE 'America/Mexico_City', ' YYYY-MM-DD"T"HH24:MI:SS') FROM sales`)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			for rows.Next() {
				var order, facts string
				if err := rows.Scan(&order, &facts); err != nil {
					t.Fatal(err)
				}
				got[order] = facts
			}
			if diff := cmp.Diff(meant(t, workbooks+name+".csv"), got); diff != "" || rows.Err() != nil {
				t.Errorf("%v\n%s", rows.Err(), diff)
			}
		})
	}
}

// meant are the amount and the time by order number, as the workbook's writer noted them.
func meant(t *testing.T, name string) map[string]string {
	t.Helper()
	b, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	all, err := csv.NewReader(b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	byOrder := map[string]string{}
	for _, r := range all[1:] {
		byOrder[r[0]] = r[1] + " " + r[2]
	}
	return byOrder
}

// giveFile uploads a file and runs the job that checks it.
func giveFile(t *testing.T, o *modelstest.Office, name string) *imports.Detail {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	imp, err := o.Imports.Upload(t.Context(), o.Admin, imports.OfSales, name, f, info.Size())
	if err != nil {
		t.Fatalf("Upload(%s) = %v", name, err)
	}
	return modelstest.RunImport(t, o, imp.ID)
}

// TestPrintedDoubles imports amounts of a CSV as programs print a double in full;
// some of them end in what looks like a card number.
func TestPrintedDoubles(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	s := modelstest.Confirm(t, o, modelstest.Give(t, o, modelstest.CSVHeader+
		strings.Replace(modelstest.CSVSale(o, "A"), "1250.00", "206.58000000000001", 1)+
		strings.Replace(modelstest.CSVSale(o, "B"), "1250.00", "206.57999999999998", 1)), false)
	want(t, s, "imported rows 2 new 2 known 0 conflict 0 refused 0 warned 0")
	if n := modelstest.Count(t, o.Owner, "SELECT count(*) FROM sales WHERE amount = 20658"); n != 2 {
		t.Errorf("sales of 206.58 = %d, want both", n)
	}
}

// TestCardNumbersInAmounts: a card number in the column of amounts is refused and
// not stored, grouped by thousands too.
func TestCardNumbersInAmounts(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, amount := range []string{"4111111111111111", `"4,111,111,111,111,111.00"`, "4111111111111111.5", "4111 1111 1111 1111"} {
		s := modelstest.Give(t, o, modelstest.CSVHeader+strings.Replace(modelstest.CSVSale(o, "A"), "1250.00", amount, 1))
		for _, row := range append(s.Remarks, s.First...) {
			if text := fmt.Sprint(row); strings.Contains(text, "4111") || strings.Contains(text, "111,111") || row.Status != intake.Refused {
				t.Errorf("an amount of %s is stored as %s", amount, text)
			}
		}
	}
}
