package static

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

// Colors, font sizes and distances must be defined as tokens only, so that they are
// consistent. Widths for a page's layout (a column, a breakpoint) may be anywhere.
func TestStylesSpeakInTokens(t *testing.T) {
	t.Parallel()
	rules := map[string]*regexp.Regexp{
		"a colour":          regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|\b(rgb|hsl|oklch)a?\(`),
		"a size of letters": regexp.MustCompile(`font(-size)?:[^;]*\d(rem|px)`),
		"a distance":        regexp.MustCompile(`(margin|padding|gap)[a-z-]*:[^;]*\drem`),
		"a round corner":    regexp.MustCompile(`border-radius:[^;]*\d(rem|px)`),
		"a target":          regexp.MustCompile(`height: 44px`),
	}
	for name, text := range styles(t) {
		if name == "tokens.css" {
			continue
		}
		for n, line := range strings.Split(text, "\n") {
			for what, rule := range rules {
				if got := rule.FindString(line); got != "" {
					t.Errorf("%s:%d writes %s that is no token: %s", name, n+1, what, got)
				}
			}
		}
	}
}

// An undefined token silently has no effect, and an unused one is dead code.
func TestTokensAreDefinedAndUsed(t *testing.T) {
	t.Parallel()
	defined, used := map[string]bool{}, map[string]bool{}
	for _, text := range styles(t) {
		for _, m := range regexp.MustCompile(`(--[a-z0-9-]+):`).FindAllStringSubmatch(text, -1) {
			defined[m[1]] = true
		}
		for _, m := range regexp.MustCompile(`var\((--[a-z0-9-]+)`).FindAllStringSubmatch(text, -1) {
			used[m[1]] = true
		}
	}
	for name := range used {
		if !defined[name] {
			t.Errorf("the styles use %s, which nothing defines", name)
		}
	}
	for name := range defined {
		if !used[name] {
			t.Errorf("the styles define %s, which nothing uses", name)
		}
	}
}

// Styles outside of a layer would override all layers, and a layer that the first
// line does not name would override those that it names.
func TestStylesAreInLayers(t *testing.T) {
	t.Parallel()
	all := styles(t)
	order := regexp.MustCompile(`@layer ([a-z, ]+);`).FindStringSubmatch(all["tokens.css"])
	if order == nil {
		t.Fatal("tokens.css does not say the order of the layers")
	}
	known := map[string]bool{}
	for _, layer := range strings.Split(order[1], ", ") {
		known[layer] = true
	}
	for name, text := range all {
		text = regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(text, "")
		text = strings.Replace(text, order[0], "", 1)
		depth, start := 0, 0
		for i, c := range text {
			switch c {
			case '{':
				if depth == 0 {
					if head := strings.TrimSpace(text[start:i]); !known[strings.TrimPrefix(head, "@layer ")] {
						t.Errorf("%s: %q is in no layer of the order", name, head)
					}
				}
				depth++
			case '}':
				if depth--; depth == 0 {
					start = i + 1
				}
			}
		}
		if depth != 0 {
			t.Errorf("%s has %d braces too many", name, depth)
		}
	}
}

// styles are the sources of the styles by name.
func styles(t *testing.T) map[string]string {
	t.Helper()
	names, err := fs.Glob(FS, "css/*.css")
	if err != nil || len(names) == 0 {
		t.Fatalf("no styles: %v", err)
	}
	all := map[string]string{}
	for _, name := range names {
		data, err := fs.ReadFile(FS, name)
		if err != nil {
			t.Fatal(err)
		}
		all[path.Base(name)] = string(data)
	}
	return all
}
