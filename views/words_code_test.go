package views

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// wordy is text that somebody may read: two words, or a letter that keys and
// names of ours do not have.
var wordy = regexp.MustCompile(`\p{L}{2,},? \p{L}{2,}|[áéíóúñ¿¡ÁÉÍÓÚÑ]`)

// typed are texts of the code that look like words and that nobody reads as such.
var typed = map[string]string{
	"veinte audit verify --file veinte-bitacora.jsonl --key ":     "a command to type",
	"DATABASE_URL=… veinte audit verify --key ":                   "a command to type",
	"veinte audit verify --proof veinte-prueba-123.json --key ":   "a command to type",
	" --checkpoint checkpoint.txt":                                "a command to type",
	"--state witness.json":                                        "a command to type",
	"VEINTE_API_KEY_FILE=api.key veinte audit witness --every 1m": "a command to type",
}

// marks are tags, whole, begun or ended in the text before or after.
var marks = regexp.MustCompile(`<[^>]*>|^[^<>]*>|<[^>]*$`)

// wordsSaid are the words of a Go expression that nobody looked up: what is written
// out or joined, and what looks like words wherever it stands.
func wordsSaid(e ast.Expr) (words []string) {
	note := func(text string, plain bool) {
		if typed[text] != "" {
			return
		}
		text = marks.ReplaceAllString(text, " ")
		if wordy.MatchString(text) || plain && strings.ContainsFunc(text, unicode.IsLetter) {
			words = append(words, text)
		}
	}
	var look func(n ast.Node, plain bool)
	look = func(n ast.Node, plain bool) {
		switch n := n.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				note(text, plain)
			}
		case *ast.ParenExpr:
			look(n.X, plain)
		case *ast.BinaryExpr:
			plain = plain && n.Op == token.ADD
			look(n.X, plain)
			look(n.Y, plain)
		default:
			ast.Inspect(n, func(in ast.Node) bool {
				if lit, ok := in.(*ast.BasicLit); ok {
					look(lit, false)
				}
				return true
			})
		}
	}
	look(e, true)
	return words
}

// saidBy is wordsSaid of an expression as a template has it.
func saidBy(expression string) []string {
	e, err := parser.ParseExpr(strings.TrimSpace(expression))
	if err != nil {
		return nil // a statement
	}
	return wordsSaid(e)
}

// wordsInFile are the words that the text of a file of ours holds.
func wordsInFile(tb testing.TB, name string, src any) (words []string) {
	tb.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		tb.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				for _, text := range wordsSaid(n) {
					if wordy.MatchString(text) {
						words = append(words, text)
					}
				}
			}
		}
		return true
	})
	return words
}

// A word that people see is in the catalogues, or in no code that draws pages.
func TestNoWordsInTheCode(t *testing.T) {
	t.Parallel()
	files := below(t, ".", ".go")
	if len(files) < 100 {
		t.Fatalf("%d files; want all of them", len(files))
	}
	for _, file := range files {
		ours := !strings.HasSuffix(file, "_test.go") && !strings.HasSuffix(file, "_templ.go")
		if !ours || strings.HasPrefix(file, "sample") || strings.HasPrefix(file, "gallery") || strings.HasPrefix(file, "export") &&
			strings.Contains(file, "xlsx") {
			continue // what happens in samples is of no language, the format of a workbook neither
		}
		for _, words := range wordsInFile(t, file, nil) {
			t.Errorf("%s: %q is in no catalogue", file, words)
		}
	}
}

// The test would see what it looks for.
func TestWordsInTheCodeAreFound(t *testing.T) {
	t.Parallel()
	got := wordsInFile(t, "sample.go", `package views

import "net/url"

const heading = "Ventas de hoy"

func sample(n int) string {
	if n == 0 {
		return "Quedó" // one word with an accent
	}
	return "<p class=\"a b c\">todavía no</p><b" + text("sales.title", "button primary danger") + "\">Sí, cancelar</b>"
}
`)
	want := []string{"Ventas de hoy", "Quedó", " todavía no  ", "button primary danger", " Sí, cancelar "}
	if !slices.Equal(got, want) {
		t.Errorf("the words are %q, want %q", got, want)
	}
	total := `"Total: " + money(v.Amount) + locale.T(ctx, "sales.count", "N", "1")`
	if got, want := saidBy(total), []string{"Total: "}; !slices.Equal(got, want) {
		t.Errorf("the words of what is joined are %q, want %q", got, want)
	}
	if got, want := saidBy(`notice("outage", "triangle-alert", "No hay conexión")`), []string{"No hay conexión"}; !slices.Equal(got, want) {
		t.Errorf("the words of what is given are %q, want %q", got, want)
	}
}
