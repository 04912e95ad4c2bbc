package views

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"veinte/views/gallery"
	"veinte/views/locale"
)

// literals are all strings that the program's code and templates hold.
func literals(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "e2e" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, _ := strconv.Unquote(lit.Value)
				all[text] = true
				// A field's tag names keys too, a statement of SQL values.
				for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\"'` ,:", r) }) {
					all[part] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// catalogue are the keys of a language, as its file has them.
func catalogue(t *testing.T, lang string) []string {
	t.Helper()
	data, err := os.ReadFile("locale/" + lang + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var messages map[string]any
	if err := json.Unmarshal(data, &messages); err != nil {
		t.Fatal(err)
	}
	keys := make([]string, 0, len(messages))
	for key := range messages {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// alive are keys whose ends come from elsewhere than our code.
var alive = map[string]string{
	"zone.":                    "of the time zone database",
	"says.cancellation.moved.": "the states of a cancellation",
	"saying.act.":              "the paths of forms",
	"verifier.":                "the scripts of views/verifier, whose own test looks for each",
}

// Every key is written out somewhere, or is put together from pieces that are.
func TestEveryKeyIsUsed(t *testing.T) {
	t.Parallel()
	said := literals(t)
	end := func(rest string) bool {
		return said[rest] || strings.Trim(rest, "0123456789") == ""
	}
	used := func(key string) bool {
		if said[key] {
			return true
		}
		for i := 1; i < len(key); i++ {
			begins, rest := key[:i], key[i:]
			if alive[begins] != "" {
				return true
			}
			if !said[begins] || !strings.Contains(begins, ".") {
				continue
			}
			if end(rest) {
				return true
			}
			for j := 1; j < len(rest); j++ { // a value with what is asked of it after it, or with a number
				if end(rest[:j]) && (said[rest[j:]] || rest[j] == '.' && strings.Trim(rest[j+1:], "0123456789") == "") {
					return true
				}
			}
		}
		return false
	}
	for _, key := range catalogue(t, locale.Languages[0]) {
		if !used(key) {
			t.Errorf("no code names %q", key)
		}
	}
}

// Every whole key that the code names is in the catalogues: what looks like one
// and begins as others do.
func TestEveryWholeKeyExists(t *testing.T) {
	t.Parallel()
	call := regexp.MustCompile(`(?:locale\.(?:T|Has)\(ctx, |locale\.In\(lang, |countOf\(ctx, )` +
		`"([A-Za-z]+\.[A-Za-z0-9.]*[A-Za-z0-9])"([^+]|\s*\))`)
	n := 0
	for file, text := range sources(t, ".") {
		if strings.HasSuffix(file, "_templ.go") {
			continue
		}
		for _, m := range call.FindAllStringSubmatch(text, -1) {
			n++
			if !locale.Has(m[1]) && !strings.HasPrefix(strings.TrimSpace(m[2]), "+") {
				t.Errorf("%s uses %q, which no catalogue has", file, m[1])
			}
		}
	}
	if n < 500 {
		t.Errorf("%d uses of keys were found, want most of them", n)
	}
}

// No page shows a key where its words should be.
func TestNoPageShowsAKey(t *testing.T) {
	t.Parallel()
	shown := regexp.MustCompile(`>([^<]*)<|(?:title|alt|aria-label|placeholder|data-label|data-done|data-busy)="([^"]*)"`)
	keylike := regexp.MustCompile(`\b[a-z][A-Za-z]*\.[a-z][A-Za-z0-9.]*\b`)
	known := map[string]bool{}
	for _, key := range catalogue(t, locale.Languages[0]) {
		known[key] = true
	}
	frame := demoView(t).Page
	pages := gallery.All(frame)
	for _, part := range gallery.GalleryParts() {
		pages = append(pages, gallery.Shown(part))
	}
	for _, lang := range locale.Languages {
		for _, p := range pages {
			for _, m := range shown.FindAllStringSubmatch(draw(t, lang, p.Body), -1) {
				for _, word := range keylike.FindAllString(m[1]+" "+m[2], -1) {
					if known[word] {
						t.Errorf("%s in %s shows the key %q", p.Name, lang, word)
					}
				}
			}
		}
	}
}
