package locale

import (
	"encoding/json"
	"testing"
)

// TestNoKeyIsDefinedTwice: of two messages under one key, readers of JSON keep the
// last and say nothing, and a button has another page's words.
func TestNoKeyIsDefinedTwice(t *testing.T) {
	t.Parallel()
	for _, lang := range Languages {
		f, err := files.Open(lang + ".json")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		d := json.NewDecoder(f)
		var seen []map[string]bool // keys of each object that is open
		key := false               // whether a string at this place is one
		for d.More() || len(seen) > 0 {
			token, err := d.Token()
			if err != nil {
				t.Fatalf("%s: %v", lang, err)
			}
			switch token := token.(type) {
			case json.Delim:
				if token == '{' {
					seen = append(seen, map[string]bool{})
				} else {
					seen = seen[:len(seen)-1]
				}
				key = true
			case string:
				if !key {
					key = true
					continue
				}
				if open := seen[len(seen)-1]; open[token] {
					t.Errorf("%s defines %q twice", lang, token)
				} else {
					open[token] = true
				}
				key = false
			}
		}
	}
}

func TestAManualSaleIsCalledOne(t *testing.T) {
	t.Parallel()
	for lang, want := range map[string]string{"es-MX": "Capturar un ticket", "en": "Enter a ticket"} {
		if got := T(With(t.Context(), lang), "entry.title"); got != want {
			t.Errorf("%s: the button that adds a sale says %q, want %q", lang, got, want)
		}
	}
}
