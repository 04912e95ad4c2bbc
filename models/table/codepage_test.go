package table_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"
	"pgregory.net/rapid"

	"veinte/models/table"
)

// pages are the code pages in which old programs write Spanish, each with its note.
var pages = []struct {
	name, note string
	page       *charmap.Charmap
}{
	{"Windows-1252", "table.note.windows1252", charmap.Windows1252},
	{"Macintosh", "table.note.macintosh", charmap.Macintosh},
	{"MS-DOS 850", "table.note.msdos", charmap.CodePage850},
	{"MS-DOS 437", "table.note.msdos", charmap.CodePage437},
}

// words are Spanish words and signs of such files.
var words = []string{
	"Número", "Terminación", "Autorización", "Día", "Crédito", "Débito", "Baño", "Señor Núñez", "Pingüino", "Público", "José", "Peña",
	"N.º", "caña", "más", "así", "aquí", "también", "según", "1ª caja",
}

// capitals are words with letters that MS-DOS 437 does not have. One Ú at the
// beginning of a word, alone in its file, could also be the é of Windows.
var capitals = []string{"NÚMERO", "TERMINACIÓN", "DÍA", "AÑO", "MÁS", "María Ángeles", "Álvaro", "Óscar", "PINGÜINO"}

// TestCodePages reads Spanish texts of every old code page, also a single word.
func TestCodePages(t *testing.T) {
	t.Parallel()
	check := func(tb testing.TB, name, note string, page *charmap.Charmap, text string) {
		tb.Helper()
		encoded, err := page.NewEncoder().String("serie,amount,fecha\n1,2," + text + "\n")
		if err != nil {
			tb.Fatalf("%s: %q: %v", name, text, err)
		}
		got, notes, err := rows(tb, encoded)
		if want := []string{"2: [1] [2] [" + text + "]"}; err != nil || !cmp.Equal(got, want) || len(notes) != 1 || notes[0].Code != note {
			tb.Errorf("%s: %q, %v, %v; want %q", name, got, notes, err, want)
		}
	}
	for _, p := range pages {
		some := words
		if p.name != "MS-DOS 437" {
			some = append(some[:len(some):len(some)], capitals...)
		}
		for _, word := range some {
			check(t, p.name, p.note, p.page, word)
		}
		rapid.Check(t, func(r *rapid.T) {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(some), 1, 20).Draw(r, p.name), " ")
			encoded, err := p.page.NewEncoder().String("serie,amount,fecha\n1,2," + text + "\n")
			if err != nil {
				r.Fatal(err)
			}
			tab, err := open(encoded)
			if err != nil || !tab.Next() {
				r.Fatalf("%s: %q: %v", p.name, text, err)
			}
			if got := tab.Row().Cell("soldAt").Raw(); got != text {
				r.Errorf("%s: %q, want %q", p.name, got, text)
			}
		})
	}
	// What Windows writes around Spanish words is no Macintosh.
	for _, text := range []string{"McDonald’s", "O’Brien", "5 €", "“La Niña”", "Café – bar"} {
		check(t, "Windows-1252", "table.note.windows1252", charmap.Windows1252, text)
	}
}

// TestCarriageReturns reads lines as an old Macintosh ends them.
func TestCarriageReturns(t *testing.T) {
	t.Parallel()
	for fact, content := range map[string]string{
		"ASCII":     strings.ReplaceAll(plain, "\n", "\r"),
		"UTF-8":     strings.ReplaceAll("\uFEFFNúmero de serie,amount,soldAt\n1490000001,1250.00,2026-11-20T13:45:00-06:00\n", "\n", "\r"),
		"Macintosh": "N\x9Cmero de serie,amount,soldAt\r1490000001,1250.00,2026-11-20T13:45:00-06:00\r",
		"no end":    strings.TrimSuffix(strings.ReplaceAll(plain, "\n", "\r"), "\r"),
	} {
		if got, _, err := rows(t, content); err != nil || !cmp.Equal(got, plainRows) {
			t.Errorf("%s: %q, %v; want %q", fact, got, err, plainRows)
		}
	}
	// A carriage return within a text of other lines stays.
	got, _, err := rows(t, "serie,amount,fecha\n1,2,\"a\rb\"\n")
	if want := []string{"2: [1] [2] [a\rb]"}; err != nil || !cmp.Equal(got, want) {
		t.Errorf("rows = %q, %v; want %q", got, err, want)
	}
	if _, _, err := rows(t, "serie,amount\r1,2\r1"); err == nil || err.(*table.Error).Code != table.ErrCut.Code {
		t.Errorf("a cut text of a Macintosh = %v, want %v", err, table.ErrCut)
	}
}
