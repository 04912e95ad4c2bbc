package notes_test

import (
	"strings"
	"testing"

	"veinte/models/audit/trailfile/notes"
)

func TestAddLines(t *testing.T) {
	t.Parallel()
	first, second := notes.Line("a", 1, make([]byte, 64)), notes.Line("b", 2, make([]byte, 64))
	start := "text\n\n" + first + "\n"
	got, err := notes.AddLines(start, first, second, second)
	if want := start + second + "\n"; err != nil || got != want {
		t.Errorf("AddLines = %q, %v, want %q", got, err, want)
	}
	for _, wrong := range []string{"", "— a", "— a b\n— c d", second + "\n\n"} {
		if _, err := notes.AddLines(start, wrong); err == nil {
			t.Errorf("AddLines took the line %q", wrong)
		}
	}
	if _, err := notes.AddLines("text\n", second); err == nil {
		t.Error("AddLines took a text that is no note")
	}
	long := notes.Line("c", 3, make([]byte, 40<<10))
	if got, err := notes.AddLines(start, long, second, long); err != nil || got != start+long+"\n"+second+"\n" && got != start+second+"\n" {
		t.Errorf("AddLines of what does not fit has %d bytes, %v", len(got), err)
	}
	full := start
	for i := range 200 {
		full, err = notes.AddLines(full, notes.Line("d", uint32(i), make([]byte, 64)))
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := len(notes.Lines(full)); n != 100 || len(full) > notes.Max || !strings.HasPrefix(full, start) {
		t.Errorf("%d lines and %d bytes, want 100 and at most %d", n, len(full), notes.Max)
	}
}
