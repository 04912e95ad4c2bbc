package views

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"veinte/static"
	"veinte/views/locale"
	salesview "veinte/views/sales"
)

var (
	scriptOf = regexp.MustCompile(`src="(` + static.Prefix + `app\.[\w.-]+\.js)"`)
	asksFor  = regexp.MustCompile(`inWords\[([^\]]*)\]`)
	asKey    = regexp.MustCompile(`"([a-z]\w*\.[\w.]*)"( \+)?`)
)

// inWords are the words that the scripts of a page in the language begin with.
func inWords(t *testing.T, lang string) map[string]string {
	t.Helper()
	src := scriptOf.FindStringSubmatch(draw(t, lang, salesview.Sales(shop.Sales("19:20:00"))))
	if src == nil {
		t.Fatalf("%s: the page loads no app.js", lang)
	}
	data, _, _ := static.Open(src[1])
	first, _, _ := strings.Cut(string(data), ";\n")
	says := map[string]string{}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(first, "self.inWords=")), &says); err != nil {
		t.Fatalf("%s: the scripts begin with %.60q: %v", lang, first, err)
	}
	return says
}

// Scripts have the words that they say, in the language of their page, and no others.
func TestScriptsHaveTheirWords(t *testing.T) {
	t.Parallel()
	asked := map[string]bool{} // a key, or how several begin
	files, err := fs.Glob(static.FS, "js/*.js")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(static.FS, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, use := range asksFor.FindAllStringSubmatch(string(text), -1) {
			for _, key := range asKey.FindAllStringSubmatch(use[1], -1) {
				asked[key[1]] = key[2] != ""
			}
		}
		for _, key := range regexp.MustCompile(`notice\("([\w.]+)"`).FindAllStringSubmatch(string(text), -1) {
			asked[key[1]] = false
		}
	}
	for _, lang := range locale.Languages {
		says := inWords(t, lang)
		for key, begins := range asked {
			if begins == (says[key] != "") || !begins && says[key] != locale.In(lang, key) {
				t.Errorf("%s: of %s the scripts have %q, want %q", lang, key, says[key], locale.In(lang, key))
			}
		}
		for key := range says {
			used := false
			for a, begins := range asked {
				used = used || a == key || begins && strings.HasPrefix(key, a)
			}
			if !used {
				t.Errorf("%s: no script says %s", lang, key)
			}
		}
	}
}
