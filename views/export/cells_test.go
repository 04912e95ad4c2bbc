package export

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// slowCell is appendCell, a rune at a time: a ' before each sign that begins a part, quotes
// where RFC 4180 asks for them.
func slowCell(s string) string {
	var b strings.Builder
	if strings.ContainsRune("\t\r\n", rune(s[0])) {
		b.WriteByte('\'')
	}
	begins := true
	for _, r := range s {
		if begins && strings.ContainsRune(formulaSigns, r) {
			b.WriteByte('\'')
		}
		b.WriteRune(r)
		begins = strings.ContainsRune(";\t\r\n", r) || begins && (r == ' ' || r == '"')
	}
	if cell := b.String(); cell == s && !strings.ContainsAny(s, ",\"\r\n") {
		return s
	}
	return `"` + strings.ReplaceAll(b.String(), `"`, `""`) + `"`
}

// TestCellsAreWrittenAsTheSlowWayDoes: nearly all cells are written as they are, and none
// that has to be defused or quoted.
func TestCellsAreWrittenAsTheSlowWayDoes(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	signs := []rune(`=+-@＝＋－＠％;,"  ab'é` + "\t\r\n")
	for range 200_000 {
		cell := make([]rune, 1+r.IntN(6))
		for i := range cell {
			cell[i] = signs[r.IntN(len(signs))]
		}
		s := string(cell)
		if got, want := string(appendCell(nil, s)), slowCell(s); got != want || !utf8.ValidString(got) {
			t.Fatalf("appendCell(%q) = %q, want %q (seed %d)", s, got, want, seed)
		}
	}
}
