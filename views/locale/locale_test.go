package locale

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func read(t *testing.T, lang string) map[string]any {
	t.Helper()
	data, err := files.ReadFile(lang + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

var place = regexp.MustCompile(`{{\.[A-Za-z]+}}`)

// places returns the values a message takes, in an order of no meaning.
func places(message any) []string {
	var all []string
	switch m := message.(type) {
	case string:
		all = place.FindAllString(m, -1)
	case map[string]any:
		all = places(m["other"])
	}
	slices.Sort(all)
	return all
}

func TestCataloguesHaveTheSameKeysAndPlaces(t *testing.T) {
	t.Parallel()
	first := read(t, Languages[0])
	for _, lang := range Languages[1:] {
		other := read(t, lang)
		for key, message := range first {
			if _, ok := other[key]; !ok {
				t.Errorf("%s lacks %q", lang, key)
				continue
			}
			if diff := cmp.Diff(places(message), places(other[key])); diff != "" {
				t.Errorf("%s: values of %q differ (-%s +%s):\n%s", lang, key, Languages[0], lang, diff)
			}
		}
		for key := range other {
			if _, ok := first[key]; !ok {
				t.Errorf("%s lacks %q", Languages[0], key)
			}
		}
	}
}

func TestNoMessageIsEmptyOrHasAnUnreadablePlace(t *testing.T) {
	t.Parallel()
	unreadable := regexp.MustCompile(`{{|}}`)
	for _, lang := range Languages {
		for key, message := range read(t, lang) {
			forms, ok := message.(map[string]any)
			if !ok {
				forms = map[string]any{"other": message}
			}
			for form, text := range forms {
				s, _ := text.(string)
				if s == "" || unreadable.MatchString(place.ReplaceAllString(s, "")) {
					t.Errorf("%s %q %s = %q", lang, key, form, s)
				}
			}
		}
	}
}

func TestPlurals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		lang  string
		count int64
		shown string
		want  string
	}{
		{"es-MX", 0, "0", "0 ventas"},
		{"es-MX", 1, "1", "1 venta"},
		{"es-MX", 2, "2", "2 ventas"},
		{"es-MX", 1_000_000, "1,000,000", "1,000,000 ventas"},
		{"en", 0, "0", "0 sales"},
		{"en", 1, "1", "1 sale"},
		{"en", 1_000_000, "1,000,000", "1,000,000 sales"},
	}
	for _, tt := range tests {
		if got := In(tt.lang, "sales.count", "Count", tt.count, "N", tt.shown); got != tt.want {
			t.Errorf("In(%s, sales.count, %d) = %q, want %q", tt.lang, tt.count, got, tt.want)
		}
	}
}

func TestEveryPluralHasItsForms(t *testing.T) {
	t.Parallel()
	for _, lang := range Languages {
		for key, message := range read(t, lang) {
			if _, plural := message.(map[string]any); !plural {
				continue
			}
			for _, n := range []int64{0, 1, 2, 5, 21, 1_000_000} {
				if got := In(lang, key, "Count", n, "N", "#"); got == "" || got == sane(key) {
					t.Errorf("In(%s, %s, %d) = %q", lang, key, n, got)
				}
			}
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	tests := []struct{ accept, want string }{
		{"", "es-MX"},
		{"en-US,en;q=0.9", "en"},
		{"es-ES,es;q=0.9,en;q=0.8", "es-MX"},
		{"fr-FR, en;q=0.5", "en"},
		{"de", "es-MX"},
		{"*", "es-MX"},
		{"en;q=0", "es-MX"},
		{strings.Repeat("en,", 4000), "en"},
		{";;;", "es-MX"},
	}
	for _, tt := range tests {
		if got := Match(tt.accept); got != tt.want {
			t.Errorf("Match(%.30q) = %q, want %q", tt.accept, got, tt.want)
		}
	}
}

func TestAMissingKeyShowsSomethingReadable(t *testing.T) {
	t.Parallel()
	if got, want := T(context.Background(), "nobody.wrote_this"), "wrote this"; got != want {
		t.Errorf("T = %q, want %q", got, want)
	}
}

func TestValuesAreFilledIn(t *testing.T) {
	t.Parallel()
	ctx := With(context.Background(), "en")
	if got, want := T(ctx, "cutoff.local", "Time", "21:00", "Place", "Cancún"), "21:00 in Cancún"; got != want {
		t.Errorf("T = %q, want %q", got, want)
	}
	if got, want := Of(With(ctx, "tlh")), "es-MX"; got != want {
		t.Errorf("Of(With(tlh)) = %q, want %q", got, want)
	}
}
