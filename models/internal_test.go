package models

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestClipKeepsCharactersWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "s"), rapid.IntRange(0, 20).Draw(t, "n")
		got := Truncate(s, n)
		if len(got) > n || !strings.HasPrefix(s, got) || len(s)-len(got) > 3 && len(got) < n-3 || strings.ToValidUTF8(got, "?") != got {
			t.Fatalf("clip(%q, %d) = %q", s, n, got)
		}
	})
}

func TestALegibleTextCanBeStored(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if got := Legible(s, 20); !Storable(got) || len(got) > 20 {
			t.Fatalf("legible(%q) = %q, want at most 20 bytes that PostgreSQL takes", s, got)
		}
	})
}

// Nothing that is shown may be written so that it reads otherwise.
func TestNothingInvisibleIsNamed(t *testing.T) {
	t.Parallel()
	for _, hidden := range []string{
		"\u202e", "\u2066", "\u200b", "\u061c", "\u2028", "\u2029", "\x07", "\x1b",
		"\ufeff", "\u00ad", "\U000e0041",
		"\u034f", "\u115f", "\u17b4", "\u3164", "\uffa0", "\u2800", // letters and signs that are blank
	} {
		name := "Ana" + hidden + "selbor"
		if got, err := Text("name", name, 80); err == nil {
			t.Errorf("Text takes %+q as %+q", name, got)
		}
		if got, err := ParseEmail("ana" + hidden + "@tiendas.example"); err == nil {
			t.Errorf("ParseEmail takes %+q", got)
		}
		if got := Legible(name, 80); strings.Contains(got, hidden) || !strings.HasPrefix(got, "Ana") || !strings.HasSuffix(got, "selbor") {
			t.Errorf("Legible(%+q) = %+q", name, got)
		}
	}
	for name, ok := range map[string]bool{"Ana\ufe0f": false, "\ufe0fAna": false, "Ana\U000e0100": false, "Ana ❤\ufe0f": true} {
		if got, err := Text("name", name, 80); (err == nil) != ok {
			t.Errorf("Text(%+q) = %+q, %v, want it taken: %t", name, got, err, ok)
		}
	}
	for note, want := range map[string]bool{
		"dos\nlíneas\tcon 👨\u200d👩\u200d👧": true, "al revés \u202e00.05$": false,
		"\u2066x": false, "a\x00b": false, "\x1b[31m": false, "\xff": false,
	} {
		if Readable(note) != want {
			t.Errorf("Readable(%+q) = %v, want %v", note, !want, want)
		}
	}
	if got, want := Legible("x 4111\u200b1111\u31641111\u28001111", 80), "x ••••?••••?••••?1111"; got != want {
		t.Errorf("Legible of a card number between what nobody sees = %q, want %q", got, want)
	}
	if got, want := Legible("a line\nand\tanother ñ", 80), "a line and another ñ"; got != want {
		t.Errorf("Legible = %q, want %q", got, want)
	}
}

func TestEveryErrorNamesItself(t *testing.T) {
	t.Parallel()
	if got, want := ErrTooLate.Error(), "tooLate: error.tooLate"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if got, want := fmt.Sprint(Invalid("note", "note.required")), "invalid: note: note.required"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}
