package locale

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outline is what a guide must say in every language: its sections, and in each
// the words of screens, the pictures, the ways and the number of steps.
func outline(g *Guide) (lines []string) {
	inline := func(pieces []Inline) {
		for _, p := range pieces {
			switch {
			case p.Key != "":
				lines = append(lines, "key "+p.Key)
			case p.To != "":
				lines = append(lines, "to "+p.To)
			case p.Code:
				lines = append(lines, "code "+p.Text)
			}
		}
	}
	blocks := func(all []Block) {
		for _, b := range all {
			inline(b.Text)
			for _, step := range b.Steps {
				lines = append(lines, "step")
				inline(step)
			}
			if b.States {
				lines = append(lines, "states")
			}
			if b.Picture != "" {
				lines = append(lines, "picture "+b.Picture)
			}
		}
	}
	blocks(g.Lead)
	for _, s := range g.Sections {
		lines = append(lines, "section "+s.ID)
		blocks(s.Blocks)
	}
	return lines
}

// guideNames are the guides that there are, which are the same in every language.
func guideNames(t *testing.T) (names []string) {
	t.Helper()
	for _, lang := range Languages {
		var here []string
		for name := range guides {
			if of, name, _ := strings.Cut(name, "/"); of == lang {
				here = append(here, name)
			}
		}
		slices.Sort(here)
		if names == nil {
			names = here
		}
		if len(here) == 0 || !slices.Equal(names, here) {
			t.Fatalf("guides in %s: %v, want %v", lang, here, names)
		}
	}
	if len(guides) != len(Languages)*len(names) {
		t.Fatalf("guides = %d, want one for each of %v in each of %v", len(guides), names, Languages)
	}
	return names
}

func TestGuidesSayTheSameInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, name := range guideNames(t) {
		first := outline(GuideIn(Languages[0], name))
		if len(first) < 20 {
			t.Errorf("the guide %s has %d parts, want a guide", name, len(first))
		}
		for _, lang := range Languages[1:] {
			if diff := cmp.Diff(first, outline(GuideIn(lang, name))); diff != "" {
				t.Errorf("guide %s (-%s +%s):\n%s", name, Languages[0], lang, diff)
			}
		}
	}
}

// The words of a screen reach a guide only by their key: what is quoted by hand
// goes stale without anybody noticing.
func TestGuidesShowTheWordsOfTheScreens(t *testing.T) {
	t.Parallel()
	for _, lang := range Languages {
		for _, name := range guideNames(t) {
			for _, s := range GuideIn(lang, name).Sections {
				for _, b := range s.Blocks {
					for _, pieces := range append(b.Steps, b.Text) {
						for _, p := range pieces {
							if p.Key != "" && strings.Contains(p.Text, "{{") || p.Text == "" {
								t.Errorf("%s/%s#%s shows %q for %s", lang, name, s.ID, p.Text, p.Key)
							}
							if p.Key == "" && strings.Contains(p.Text, "**") {
								t.Errorf("%s/%s#%s quotes words without their key: %q", lang, name, s.ID, p.Text)
							}
						}
					}
				}
			}
		}
	}
}

func TestAGuideThatCannotBeReadSaysWhy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Oprime [[nobody.wrote]].":      "no key",
		"## Sin ancla":                  "no anchor",
		"1. uno\ndos":                   "among steps",
		"Oprime **Guardar**.":           "form that guides do not have",
		"Lee [esto](javascript:alert).": "form that guides do not have",
	} {
		if _, err := readGuide("es-MX", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("readGuide(%q) = %v, want an error with %q", text, err, want)
		}
	}
}
