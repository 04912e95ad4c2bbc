package imports_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"veinte/models"
	"veinte/models/imports"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

// wrongCells lists the problems of an import's rows with their columns.
func wrongCells(s *imports.Detail) (all []string) {
	for _, r := range s.Remarks {
		for _, p := range r.Problems {
			all = append(all, fmt.Sprintf("%d %s %s", r.Line, p.Column, p.Code))
		}
	}
	return all
}

// TestEveryColumnWrong: every problem in a file names its column.
func TestEveryColumnWrong(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	columns := imports.Columns(imports.OfSales)
	good := map[string]string{
		"serialNumber": string(o.Terminal.SerialNumber), "orderId": "ORDER", "amount": "1250.00", "soldAt": "2026-11-20 11:59",
	}
	cases := []struct{ column, value, code string }{
		{"serialNumber", "", "field.required"},
		{"serialNumber", "149", "serial.invalid"},
		{"serialNumber", "1.49E+09", "table.lostDigits"},
		{"serialNumber", "N/S 1490000001", "table.noDigits"},
		{"serialNumber", modelstest.NextSerial(), "sale.unknownTerminal"},
		{"merchantId", strings.Repeat("9", 251), "merchantId.invalid"},
		{"orderId", "", "field.required"},
		{"orderId", strings.Repeat("x", 251), "field.tooLong"},
		{"orderId", "2.611E+20", "table.lostDigits"},
		{"orderId", "=A1", "table.formula"},
		{"orderId", strings.Repeat("x", 1001), "table.cellTooLong"},
		{"amount", "", "field.required"},
		{"amount", "0.00", "amount.zero"},
		{"amount", "-5.00", "amount.invalid"},
		{"amount", "1,250", "table.twoAmounts"},
		{"amount", "mil", "table.noAmount"},
		{"amount", "12.505", "table.twoAmounts"},
		{"amount", "1250.505", "amount.invalid"},
		{"amount", "99999999999.00", "amount.tooLarge"},
		{"amount", "#N/A", "table.noAmount"},
		{"currency", "USD", "currency.invalid"},
		{"soldAt", "", "field.required"},
		{"soldAt", "ayer", "table.noTime"},
		{"soldAt", "20/11/2026", "table.noClock"},
		{"soldAt", "11/20/2026 10:00", "table.monthFirst"},
		{"soldAt", "20/11/26 10:00", "table.shortYear"},
		{"soldAt", "31/02/2026 10:00", "table.noSuchDay"},
		{"soldAt", "2026-11-20 11:59 CST", "table.noTime"},
		{"soldAt", "2026-11-20 11:59+25:00", "table.noTime"},
		{"soldAt", "2026-11-20 12:30", "soldAt.future"},
		{"soldAt", "2024-11-20 11:59", "soldAt.tooOld"},
		{"soldAt", "46346.49", "table.serialDate"},
		{"last4", "42", "last4.invalid"},
		{"last4", "42424", "last4.invalid"},
		{"last4", "42a4", "table.noDigits"},
		{"last4", "4111111111111111", "table.cardNumber"},
		{"cardBrand", strings.Repeat("x", 21), "field.tooLong"},
		{"authCode", strings.Repeat("x", 21), "field.tooLong"},
		{"folio", strings.Repeat("x", 81), "field.tooLong"},
		{"reference", "a\u202eb", "field.invalidText"},
		{"reference", "4111-1111-1111-1111", "table.cardNumber"},
		{"amount", "4111111111111111", "table.cardNumber"},
		{"amount", "4,111,111,111,111,111.00", "table.cardNumber"},
	}
	content := strings.Join(columns, ";") + "\n"
	var wanted []string
	for i, tt := range cases {
		var cells []string
		for _, c := range columns {
			v := good[c]
			if c == "orderId" {
				v += fmt.Sprint(i)
			}
			if c == tt.column {
				v = tt.value
			}
			cells = append(cells, v)
		}
		content += strings.Join(cells, ";") + "\n"
		wanted = append(wanted, fmt.Sprintf("%d %s %s", i+2, tt.column, tt.code))
	}
	s := modelstest.Give(t, o, content)
	if diff := cmp.Diff(wanted, wrongCells(s)); diff != "" {
		t.Error(diff)
	}
	refused := 0 // an optional column holds nothing back
	for _, tt := range cases {
		if !slices.Contains([]string{"last4", "cardBrand", "authCode", "folio", "reference"}, tt.column) {
			refused++
		}
	}
	if s.RefusedCount != refused || s.WarnedCount != len(cases)-refused {
		t.Errorf("refused = %d, with warnings %d, want %d of %d refused", s.RefusedCount, s.WarnedCount, refused, len(cases))
	}
}

// TestSpreadsheetsWorkbook imports a workbook that a spreadsheet program wrote.
func TestSpreadsheetsWorkbook(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, serial := range []string{"1490000001", "0149000003", "1490000002"} {
		_, err := o.Terminals.CreateTerminal(t.Context(), o.Admin, terminals.Input{
			SerialNumber: serial, Label: serial, MerchantID: "9001", StoreID: o.Store.ID,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	o.Clock.Advance(5 * time.Hour)
	b, err := os.ReadFile("../table/testdata/sales.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	imp, err := o.Imports.Upload(t.Context(), o.Admin, imports.OfSales, "sales.xlsx", bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	s := modelstest.RunImport(t, o, imp.ID)
	// The sheet shows $0.30, so that is read; the formula is named beside it.
	want(t, s, "checked rows 3 new 3 known 0 conflict 0 refused 0 warned 2")
	formulas := []imports.Problem{{Column: "amount", Code: "row.formula", Detail: "=0.1+0.2"}}
	if last := s.Remarks[len(s.Remarks)-1]; last.Line != 7 || !cmp.Equal(last.Notes, formulas) {
		t.Errorf("the row with a formula = %+v, want %v", last, formulas)
	}
	modelstest.Confirm(t, o, s, true)
	for order, wanted := range map[string]string{
		"261120134500-1490000001": "1490000001 9001 $125000 2026-11-20T19:45:00Z 0042",
		"261120150000-0149000003": "0149000003 M-9003 $125050 2026-11-20T21:00:05Z 0007",
	} {
		sale := o.FindSale(order)
		at := sale.SoldAt.UTC().Format(time.RFC3339)
		got := fmt.Sprintf("%s %s $%d %s %s", sale.SerialNumber, sale.MerchantID, sale.Amount, at, sale.Last4)
		if got != wanted {
			t.Errorf("sale %s = %s, want %s", order, got, wanted)
		}
	}
	o.CheckInvariants(t)
}

// TestOnePersonHasTwoFilesUnderway: one job works on the files of everybody, so whoever
// sends many keeps nobody waiting behind more than two.
func TestOnePersonHasTwoFilesUnderway(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	upload := func(who models.Actor, order string) (*imports.Import, error) {
		file := modelstest.CSVHeader + modelstest.CSVSale(o, order)
		return o.Imports.Upload(t.Context(), who, imports.OfSales, "ventas.csv", strings.NewReader(file), int64(len(file)))
	}
	first, err := upload(o.Admin, "A")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := upload(o.Admin, "B"); err != nil {
		t.Errorf("a second file beside one that is checked: %v", err)
	}
	if _, err := upload(o.Admin, "C"); !errors.Is(err, imports.ErrUnderway) {
		t.Errorf("a third = %v, want %v", err, imports.ErrUnderway)
	}
	if _, err := upload(modelstest.Person(models.Administrator), "C"); err != nil {
		t.Errorf("another administrator's = %v", err)
	}
	modelstest.RunImport(t, o, first.ID)
	if _, err := upload(o.Admin, "C"); err != nil {
		t.Errorf("a third once one is done: %v", err)
	}
}
