package table_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"veinte/models/cards"
	"veinte/models/table"
)

// columns are the columns of the tests: two required and one optional.
var columns = []table.Column{
	{Name: "serialNumber", Synonyms: []string{"serie", "n/s", "número de serie"}, Required: true},
	{Name: "amount", Synonyms: []string{"monto", "importe"}, Required: true},
	{Name: "soldAt", Synonyms: []string{"fecha"}},
}

// open reads a file with the content.
func open(content string) (*table.Table, error) {
	return table.Open(strings.NewReader(content), int64(len(content)), table.Options{Columns: columns})
}

// rows reads all rows: each as its line, its values by column, and its problem.
func rows(tb testing.TB, content string) (all []string, notes []table.Note, err error) {
	tb.Helper()
	t, err := open(content)
	if err != nil {
		return nil, nil, err
	}
	defer t.Close()
	for t.Next() {
		r := t.Row()
		line := fmt.Sprintf("%d:", r.Line)
		if r.Problem != nil {
			line += " " + r.Problem.Code
		}
		for _, c := range columns {
			v, wrong := r.Cell(c.Name).Value()
			if wrong != nil {
				v = "!" + wrong.Code
			}
			line += " [" + v + "]"
		}
		all = append(all, line)
	}
	return all, t.Notes(), t.Err()
}

const plain = "serialNumber,amount,soldAt\n1490000001,1250.00,2026-11-20T13:45:00-06:00\n"

var plainRows = []string{"2: [1490000001] [1250.00] [2026-11-20T13:45:00-06:00]"}

// TestForms reads the same rows in the forms that programs write.
func TestForms(t *testing.T) {
	t.Parallel()
	utf16Of := func(s string, big bool) string {
		var b []byte
		for _, u := range utf16.Encode([]rune("\uFEFF" + s)) {
			if big {
				b = append(b, byte(u>>8), byte(u))
			} else {
				b = append(b, byte(u), byte(u>>8))
			}
		}
		return string(b)
	}
	for _, tt := range []struct{ fact, content string }{
		{"as we write it", plain},
		{"a byte order mark", "\uFEFF" + plain},
		{"CRLF", strings.ReplaceAll(plain, "\n", "\r\n")},
		{"no last line end", strings.TrimSuffix(plain, "\n")},
		{"semicolons", strings.ReplaceAll(plain, ",", ";")},
		{"tabs", strings.ReplaceAll(plain, ",", "\t")},
		{"UTF-16, little end first, tabs", utf16Of(strings.ReplaceAll(plain, ",", "\t"), false)},
		{"UTF-16, big end first", utf16Of(plain, true)},
		{"blank lines after", plain + "\n,,\n   \n"},
		{"quotes everywhere", `"serialNumber","amount","soldAt"` + "\n" + `"1490000001","1250.00","2026-11-20T13:45:00-06:00"`},
		{"capitals and spaces", strings.Replace(plain, "serialNumber,amount", " SERIAL_number , Amount", 1)},
		{"Spanish", strings.Replace(plain, "serialNumber,amount,soldAt", "Número de Serie,MONTO,Fecha", 1)},
		{"Spanish with a sign", strings.Replace(plain, "serialNumber", "N/S", 1)},
		{"spaces around", strings.ReplaceAll(plain, ",", " , ")},
		{"separators after the last column", strings.ReplaceAll(plain, "\n", ",,,\n")},
		{"a text that keeps its digits", strings.Replace(plain, "1490000001", `"=""1490000001"""`, 1)},
	} {
		got, notes, err := rows(t, tt.content)
		if err != nil || !cmp.Equal(got, plainRows) || len(notes) > 0 {
			t.Errorf("%s: %q, %v, %v; want %q", tt.fact, got, notes, err, plainRows)
		}
	}
}

// TestLines checks that rows carry their line in the file.
func TestLines(t *testing.T) {
	t.Parallel()
	got, notes, err := rows(t, "sep=;\n\namount;serie;otra\n\n1;2;\"tres\nlíneas\n\"\n;;\n3;4;\n")
	want := []string{"5: [2] [1] []", "9: [4] [3] []"}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("rows = %q, %v; want %q", got, err, want)
	}
	if want := []table.Note{{Code: "table.note.unknownColumns", Detail: "otra"}}; !cmp.Equal(notes, want) {
		t.Errorf("notes = %v, want %v", notes, want)
	}
}

// TestLatin1 reads what old Windows programs write, with a note.
func TestLatin1(t *testing.T) {
	t.Parallel()
	got, notes, err := rows(t, "n\xFAmero de serie,amount\n1,\x80 2\n")
	if err != nil || !cmp.Equal(got, []string{"2: [1] [€ 2] []"}) {
		t.Errorf("rows = %q, %v", got, err)
	}
	if want := []table.Note{{Code: "table.note.windows1252"}}; !cmp.Equal(notes, want) {
		t.Errorf("notes = %v, want %v", notes, want)
	}
}

// TestRefused checks that files that are no tables, or incomplete, are refused with
// the reason.
func TestRefused(t *testing.T) {
	t.Parallel()
	long := plain + strings.Repeat("1490000001,1.00,\n", 200_000)
	for _, tt := range []struct {
		fact, content string
		want          *table.Error
	}{
		{"nothing", "", table.ErrEmpty},
		{"white space", " \r\n\r\n", table.ErrEmpty},
		{"a byte order mark alone", "\uFEFF", table.ErrEmpty},
		{"a header alone", "serialNumber,amount\n", table.ErrNoRows},
		{"a header and blank lines", "serialNumber,amount\n,\n\n", table.ErrNoRows},
		{"a web page", "<!DOCTYPE html><html><body>Inicia sesión", table.ErrHTML},
		{"a web page after a mark", "\uFEFF\n <html>", table.ErrHTML},
		{"an image", "\x89PNG\r\n\x1a\n", table.ErrNoTable},
		{"a photograph", "\xFF\xD8\xFF\xE0..", table.ErrNoTable},
		{"a PDF", "%PDF-1.7", table.ErrNoTable},
		{"an old workbook", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1....", table.ErrOldExcel},
		{"a cut archive", "PK\x03\x04....", table.ErrCut},
		{"bytes", "serialNumber,amount\n1,\x00\x01\n", table.ErrNotText},
		{"two encodings", "serialNumber,amount,ñ\n1,2,\xF1\n", table.ErrMixed},
		{"half a character", plain + "1,2,ñ\xC3", table.ErrCut},
		{"half of UTF-16", "\xFF\xFEs\x00e", table.ErrCut},
		{"columns missing", "fecha,otra\n1,2\n", table.ErrMissing},
		{"columns twice", "serie,amount,N/S\n1,2,3\n", table.ErrDuplicate},
		{"cut within quotes", plain + "1490000001,\"12", table.ErrCutInQuotes},
		{"cut within quotes at a line's end", plain + "1490000001,\"12\n", table.ErrCutInQuotes},
		{"cut within a row", plain + "1490000001,12", table.ErrCut},
		{"too many columns", strings.Repeat("x,", 100) + "amount", table.ErrTooManyCols},
		{"too many rows", long, table.ErrTooManyRows},
		{"a line without an end", plain + strings.Repeat("x", 2<<20), table.ErrRowTooLong},
		{"a header without an end", strings.Repeat("x", 2<<20), table.ErrRowTooLong},
	} {
		_, _, err := rows(t, tt.content)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.fact, err, tt.want)
		}
	}
}

// TestMissingNamed checks that every missing column is named at once.
func TestMissingNamed(t *testing.T) {
	t.Parallel()
	_, err := open("fecha,otra\n1,2\n")
	var e *table.Error
	if !errors.As(err, &e) || e.Detail != "serialNumber, amount" || e.Line != 1 {
		t.Errorf("open = %v, want both columns named", err)
	}
}

// TestRows checks that a wrong row does not stop the others.
func TestRows(t *testing.T) {
	t.Parallel()
	got, _, err := rows(t, strings.Join([]string{
		"serialNumber,amount,soldAt",
		"1,2,3",
		"1,2",
		"1,2,3,4",
		`1,2" grande,3`,
		`"1"x,2,3`,
		"=1+1,2,3",
		"'=1,'-2,'@3",
		"1.49E+09,1.490000001E+09,3",
		"1,2," + strings.Repeat("ñ", 1001),
		"1,2," + strings.Repeat("ñ", 1000) + "\n",
	}, "\n"))
	want := []string{
		"2: [1] [2] [3]",
		"3: table.tooFewFields [1] [2] []",
		"4: table.tooManyFields [1] [2] [3]",
		"5: table.quotes [] [] []",
		"6: table.quotes [] [] []",
		"7: [!table.formula] [2] [3]",
		"8: [=1] [-2] [@3]",
		"9: [!table.lostDigits] [1.490000001E+09] [3]",
		"10: [1] [2] [!table.cellTooLong]",
		"11: [1] [2] [" + strings.Repeat("ñ", 1000) + "]",
	}
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// endless is a file of the given size that is never in memory.
type endless struct{ size int64 }

func (e endless) ReadAt(p []byte, off int64) (int, error) {
	line := []byte("1490000001,1250.00,2026-11-20T13:45:00-06:00\n")
	head := "serialNumber,amount,soldAt                  \n"
	for i := range p {
		at := off + int64(i)
		if at >= e.size {
			return i, io.EOF
		}
		if p[i] = line[at%int64(len(line))]; at < int64(len(line)) {
			p[i] = head[at]
		}
	}
	return len(p), nil
}

// TestTwoGigabytes refuses a file by its size without reading it.
func TestTwoGigabytes(t *testing.T) {
	t.Parallel()
	_, err := table.Open(endless{2 << 30}, 2<<30, table.Options{Columns: columns})
	if !errors.Is(err, table.ErrTooLarge) {
		t.Errorf("open of 2 GB = %v, want %v", err, table.ErrTooLarge)
	}
}

// TestAnyColumns reads a file without knowing its columns.
func TestAnyColumns(t *testing.T) {
	t.Parallel()
	content := "Núm. Autorización;Importe neto\n1;2\n"
	tab, err := table.Open(strings.NewReader(content), int64(len(content)), table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	if !cmp.Equal(tab.Headers(), []string{"Núm. Autorización", "Importe neto"}) || !tab.Next() {
		t.Fatalf("headers = %q, %v", tab.Headers(), tab.Err())
	}
	if v, wrong := tab.Row().Cell("Importe neto").Value(); v != "2" || wrong != nil {
		t.Errorf("cell = %q, %v", v, wrong)
	}
}

// TestShown checks that the text repeated in an error has no card number.
func TestShown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"4111111111111111", "****1111"},
		{"tarjeta 4111 1111-1111 1111 12/28", "tarjeta ****1111 12/28"},
		{"4111 1111 1111 1111 123", "****1111 123"},
		{"4111111111111112", "4111111111111112"}, // no check digit
		{"261120134500-1490000001", "261120134500-1490000001"},
		{"378282246310005 y 5555555555554444", "****0005 y ****4444"},
		{"a\nb\x00c\u202Ed", "a bcd"},
		{strings.Repeat("ñ", 61), strings.Repeat("ñ", 59) + "…"},
		{strings.Repeat("x", 58) + "4111111111111111", strings.Repeat("x", 58) + "*…"},
		{strings.Repeat("4-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1 ", 60), strings.Repeat("****1111 ", 6) + "****1…"},
		{strings.Repeat("\U0001F4B3", 2000), strings.Repeat("\U0001F4B3", 59) + "…"},
	} {
		if got := table.Shown(tt.text); got != tt.want {
			t.Errorf("Shown(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
	if !cards.Likely("x5555-5555-5555-4444") || cards.Likely("1490000001") {
		t.Error("Likely does not know a card number")
	}
}

// A cell of the maximum length, full of digits, is masked in linear time. It took 13
// s.
func TestLongCellsAreMaskedInOnePass(t *testing.T) {
	t.Parallel()
	const card = "4111 1111 1111 1111"
	for _, filler := range []string{"x", "1", "1 ", "12-", "4111111111111112 "} {
		text := strings.Repeat(strings.Repeat(filler, 2000)+"x"+card+"y", 200)
		want := strings.ReplaceAll(text, card, "****1111")
		began := time.Now()
		got := cards.Mask(text)
		took := time.Since(began)
		if got != want {
			t.Errorf("%d bytes of %q: something else than the card numbers is masked, or not all", len(text), filler)
		}
		if took > 5*time.Second {
			t.Errorf("%d bytes of %q took %s", len(text), filler, took)
		}
	}
}
