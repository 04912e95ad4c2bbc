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

func TestEveryErrorNamesItself(t *testing.T) {
	t.Parallel()
	if got, want := ErrTooLate.Error(), "tooLate: error.tooLate"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if got, want := fmt.Sprint(Invalid("note", "note.required")), "invalid: note: note.required"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}
