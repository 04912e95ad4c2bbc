package table_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"veinte/models/table"
)

// TestTitlesAboveTheHead reads files with titles above the head, which they say.
func TestTitlesAboveTheHead(t *testing.T) {
	t.Parallel()
	titles := "Reporte de ventas\nSucursal: Centro, CDMX;;\n\n"
	book := func(more map[string]any) string {
		cells := map[string]any{
			"A1": "Ventas del día", "A2": "Sucursal", "B2": "Centro", "A3": "Fecha", "B3": "20/11/2026",
			"A5": "N/S", "B5": "Importe", "C5": "Fecha", "A6": "1", "B6": 2, "C6": "3",
		}
		for at, v := range more {
			cells[at] = v
		}
		return workbook(t, cells)
	}
	for _, tt := range []struct {
		fact, content string
		want          []string
		line          string
	}{
		{"separated by semicolons", titles + "N/S;Importe;Fecha\n1;2;3\n", []string{"5: [1] [2] [3]"}, "4"},
		{"separated by commas", "Reporte de ventas\nN/S,Importe,Fecha\n1,2,3\n", []string{"3: [1] [2] [3]"}, "2"},
		{"by tabs, without a last line end", "Ventas\t\t\nN/S\tImporte\tFecha\n1\t2\t3", []string{"3: [1] [2] [3]"}, "2"},
		{"a title that names two of its columns", "Importe y Fecha,Fecha\nN/S,Importe\n1,2\n", []string{"3: [1] [2] []"}, "2"},
		{"a broken quotation mark in a title", "Ventas \"del\" día,\nN/S,Importe\n1,2\n", []string{"3: [1] [2] []"}, "2"},
		{"nineteen lines of them", strings.Repeat("Aviso, importante\n", 19) + "N/S,Importe\n1,2\n", []string{"21: [1] [2] []"}, "20"},
		{"a workbook", book(nil), []string{"6: [1] [2] [3]"}, "5"},
		{"a workbook whose title spans the table", book(map[string]any{"B1": "x", "C1": "y"}), []string{"6: [1] [2] [3]"}, "5"},
		{
			"groups above the columns", "Terminal,,Venta,\nN/S,Caja,Importe,Fecha\n1,,2,3\n",
			[]string{"3: [1] [2] [3]"},
			"2",
		},
	} {
		got, notes, err := rows(t, tt.content)
		if err != nil || !cmp.Equal(got, tt.want) {
			t.Errorf("%s: %q, %v; want %q", tt.fact, got, err, tt.want)
		}
		if want := (table.Note{Code: "table.note.titles", Detail: tt.line}); !hasNote(notes, want) {
			t.Errorf("%s: notes %v, want %v", tt.fact, notes, want)
		}
	}
}

func hasNote(notes []table.Note, want table.Note) bool {
	for _, n := range notes {
		if n == want {
			return true
		}
	}
	return false
}

// TestHeadsOfTwoRows reads heads with merged cells: a group over several columns, a
// name that spans both rows.
func TestHeadsOfTwoRows(t *testing.T) {
	t.Parallel()
	merged := workbook(t, map[string]any{
		"A1": "Terminal", "C1": "Venta", "E1": "Folio", "A2": "Serie", "B2": "Caja", "C2": "Importe", "D2": "Fecha",
		"A3": "1", "B3": "Caja 1", "C3": 2, "D3": "3", "E3": "x",
	}, func(f *excelize.File) {
		_, _, _ = f.MergeCell("Sheet1", "A1", "B1"), f.MergeCell("Sheet1", "C1", "D1"), f.MergeCell("Sheet1", "E1", "E2")
	})
	for fact, content := range map[string]string{
		"a name in the upper row, one in the lower": "Serie,,Fecha\n,Importe,\n1,2,3\n",
		"all names below groups":                    "Terminal,,Venta,\nSerie,Caja,Importe,Fecha\n1,x,2,3\n",
		"a head that goes on below":                 "Serie,Importe,Fecha,Tarjeta,\n,,,Marca,Terminación\n1,2,3,VISA,4242\n",
		"merged cells":                              merged,
	} {
		got, _, err := rows(t, content)
		if want := []string{"3: [1] [2] [3]"}; err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", fact, got, err, want)
		}
	}
	// A second row that is a row of the table stays one.
	got, _, err := rows(t, "Serie,Importe,Fecha\nno,hay,nada\n1,2,3\n")
	if want := []string{"2: [no] [hay] [nada]", "3: [1] [2] [3]"}; err != nil || !cmp.Equal(got, want) {
		t.Errorf("a row of words below the head: %q, %v; want %q", got, err, want)
	}
}

// TestHeadsThatNobodyNamed finds the head of tables whose columns the caller does not
// know, as in a provider's report.
func TestHeadsThatNobodyNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact, content string
		want          []string
		line          int // of the first row
	}{
		{"no title", "A;B;C\n1;2;3\n", []string{"A", "B", "C"}, 2},
		{"titles", "Reporte\nDel 20/11/2026;\n\nOrden;Monto;Tipo;Día\n1;2;Venta;x\n2;3;Venta;x\n", []string{"Orden", "Monto", "Tipo", "Día"}, 5},
		{
			"pairs of a name and a value above it", "Sucursal,Centro,,,,\nFecha,20/11/2026,,,,\nOrden,Monto,Tipo,Día,Hora,Folio\n1,2,Venta,x,y,z\n",
			[]string{"Orden", "Monto", "Tipo", "Día", "Hora", "Folio"},
			4,
		},
		{
			"groups and names", "Venta,,Tarjeta,\nMonto,Fecha,Marca,Fecha\n1,2,3,4\n",
			[]string{"Monto", "Venta Fecha", "Marca", "Tarjeta Fecha"},
			3,
		},
		{
			"names that span two rows", "Orden,Venta,,Folio\n,Monto,Hora,\n7,2,3,4\n",
			[]string{"Orden", "Monto", "Hora", "Folio"},
			3,
		},
		{"one column", "Orden\nA\nB\n", []string{"Orden"}, 2},
		{"a row that is longer than the head", "A,B,C,D,E\n1,2,3,4,5,6\n", []string{"A", "B", "C", "D", "E"}, 2},
		{"nothing that looks like a head", "1,2,3\n4,5,6\n", []string{"1", "2", "3"}, 2},
	} {
		tab, err := table.Open(strings.NewReader(tt.content), int64(len(tt.content)), table.Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.fact, err)
			continue
		}
		if !tab.Next() || !cmp.Equal(tab.Headers(), tt.want) || tab.Row().Line != tt.line {
			t.Errorf("%s: head %q, first row in line %d; want %q and %d", tt.fact, tab.Headers(), tab.Row().Line, tt.want, tt.line)
		}
	}
}

// TestWhatWasTakenForTheHead: a file without the columns says which line was taken
// for the head, and what stands there.
func TestWhatWasTakenForTheHead(t *testing.T) {
	t.Parallel()
	summary := workbook(t, map[string]any{"A1": "Resumen", "A2": "Total", "B2": 5}, func(f *excelize.File) {
		if _, err := f.NewSheet("Ventas"); err != nil {
			t.Fatal(err)
		}
		for at, v := range map[string]any{"A1": "Ventas", "A2": "Serie", "B2": "Monto total", "A3": "1", "B3": 2} {
			if err := f.SetCellValue("Ventas", at, v); err != nil {
				t.Fatal(err)
			}
		}
	})
	for _, tt := range []struct {
		fact, content, missing, head string
		line                         int
	}{
		{"no column at all", "uno,dos\n1,2\n", "serialNumber, amount", "uno, dos", 1},
		{"one of two, below a title", "Ventas\n\nSerie,Precio\n1,2\n", "amount", "Serie, Precio", 3},
		{"on the second sheet", summary, "amount", "Serie, Monto total", 2},
		{"a card number in it", "Serie,4111111111111111\n1,2\n", "amount", "Serie, ****1111", 1},
	} {
		_, _, err := rows(t, tt.content)
		var e *table.Error
		if !errors.As(err, &e) || !e.Is(table.ErrMissing) || e.Detail != tt.missing || e.Head != tt.head || e.Line != tt.line {
			t.Errorf("%s: %+v, want %s missing in line %d, %q", tt.fact, e, tt.missing, tt.line, tt.head)
		}
	}
}

// TestCutBelowTitles: a file that was cut within its last row is refused, however few
// rows it has.
func TestCutBelowTitles(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"Ventas\nSerie,Importe,Fecha\n1,2,3\n1,2", "Serie,,Fecha\n,Importe,\n1,2,3\n1,2"} {
		if _, _, err := rows(t, content); !errors.Is(err, table.ErrCut) {
			t.Errorf("%q: %v, want %v", content, err, table.ErrCut)
		}
	}
	content := "A;B;C\n1;2;3\n1;2"
	tab, err := table.Open(strings.NewReader(content), int64(len(content)), table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for tab.Next() {
	}
	if !errors.Is(tab.Err(), table.ErrCut) {
		t.Errorf("%q without known columns: %v, want %v", content, tab.Err(), table.ErrCut)
	}
}
